"""What happens in a storm, and what was seen in it."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import redis
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Count

from feeds.loading.graph import load_graph
from feeds.models import PulledAuthor
from feeds.threshold import set_threshold
from social.authentication import access_token
from social.models import Account, Follow
from tests.stateful.client import Client
from tests.stateful.processes import Beat, Child, Web, Worker
from tests.storm.readers import Readers, Report

VIEWERS, AUTHORS, MENUS, READERS = 300, 1000, 2000, 4
# Second of the storm, what happens then. An interval has to be open for ten seconds before pushes are left out.
EVENTS = (
    (0, "threshold 100"),
    (14, "kill the worker"),
    (20, "flush"),
    (26, "threshold 2000"),
    (40, "threshold 50"),
    (50, "kill the worker"),
    (56, "flush"),
    (64, "threshold 2000"),
    (76, "threshold 100"),
    (90, "end"),
)


@dataclass
class Site:
    """Two web processes, a worker and beat with the settings of a real installation."""

    webs: list[Web]
    worker: Worker

    def do(self, deed: str) -> None:
        if deed.startswith("threshold "):
            set_threshold(int(deed.split()[1]))
        elif deed == "kill the worker":
            self.worker.kill()
            self.worker.start()
        elif deed == "flush":
            with redis.Redis.from_url(settings.FEED_REDIS_URL, socket_timeout=10) as client:
                client.flushall()


@contextmanager
def running_site(folder: Path, environment: Mapping[str, str]) -> Iterator[Site]:
    """The processes of an installation around the stores that `environment` names."""
    with ExitStack() as stack:
        environ = {**environment, "RATE_LIMITS": "off"}
        webs, worker = [Web(name, folder, environ) for name in ("web-1", "web-2")], Worker(folder, environ)
        children: list[Child] = [*webs, worker, Beat(folder, environ)]
        for child in children:
            child.start()
            stack.callback(child.stop)
        for child in children:
            child.wait_until_ready()
        yield Site(webs, worker)


class Publisher(Thread):
    """Cooks who publish over HTTP, evenly over the storm."""

    def __init__(self, authors: Sequence[Account], port: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self._tokens = [access_token(author) for author in authors]
        self._client, self._seconds = Client(port), seconds
        self.published = 0
        self.refused: list[str] = []

    def run(self) -> None:
        begun, tokens = time.monotonic(), random.Random(1).choices(self._tokens, k=MENUS - len(self._tokens))
        for number, token in enumerate([*self._tokens, *tokens]):
            time.sleep(max(0.0, begun + number * self._seconds / MENUS - time.monotonic()))
            answer = self._client.call("POST", "/api/v1/posts", token=token, body={"text": f"Menu {number}"})
            if answer.status == 201:
                self.published += 1
            else:
                self.refused.append(f"menu {number}: status {answer.status}")


def storm(file: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Differences, of walks and of feeds; says what happened."""
    with running_site(folder, environment) as site:
        report = load_graph(str(file), password=make_password(None))
        print(f"{report.accounts:,} accounts, {report.follows:,} follows", flush=True)
        viewers, authors = _cast()
        readers = Readers(READERS, viewers, [web.port for web in site.webs])
        publisher = Publisher(authors, site.webs[0].port, EVENTS[-1][0] - 8)
        publisher.start()
        _let_it_happen(site)
        publisher.join(60)
        seen = readers.stop()
        _tell(publisher, seen)
        return len(seen.wrong) + len(publisher.refused) + _verify()


def _cast() -> tuple[list[int], list[Account]]:
    """Who reads, the viewers who follow most; and who publishes, the most followed: feeds are full and meet both
    sides of the threshold."""
    follows = Follow.objects.values("follower_id").annotate(n=Count("id")).order_by("-n", "follower_id")
    viewers = list(follows.values_list("follower_id", flat=True)[:VIEWERS])
    return viewers, list(Account.objects.filter(is_cook=True).order_by("-follower_count", "pk")[:AUTHORS])


def _let_it_happen(site: Site) -> None:
    begun = time.monotonic()
    for second, deed in EVENTS:
        time.sleep(max(0.0, begun + second - time.monotonic()))
        site.do(deed)
        pulled = PulledAuthor.objects.filter(until_id=None).count()
        print(f"{time.monotonic() - begun:5.1f} s  {deed}: {pulled:,} authors are pulled", flush=True)


def _tell(publisher: Publisher, seen: Report) -> None:
    print(f"{publisher.published:,} menus published, refused: {publisher.refused or 'none'}")
    print(
        f"{seen.walks:,} walks to the end by {VIEWERS} viewers in {READERS} processes: "
        f"{seen.pages:,} pages, "
        f"{seen.posts:,} posts, {seen.degraded} degraded pages, slowest page {seen.slowest:.2f} s, "
        f"statuses {dict(seen.statuses)}"
    )
    print(f"Walks that repeated, skipped or showed what is not there: {len(seen.wrong)}")
    for sentence in seen.wrong[:20]:
        print(f"  {sentence}")


def _verify() -> int:
    """Whether feeds differ, once everything is delivered."""
    connection.close()
    try:
        call_command("verify_feeds", "--all", "--drained", "60", processes=2)
    except CommandError as error:
        print(error)
        return 1
    return 0
