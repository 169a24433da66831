"""Processes that read feeds over HTTP, and judge each walk by the reference before and after it."""

import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any

LIMITS = (1, 5, 20, 20, 100)
MOST_PAGES = 5000


@dataclass
class Report:
    """What one reader saw. `wrong`: a sentence for each walk that was not as it must be."""

    walks: int = 0
    pages: int = 0
    posts: int = 0
    degraded: int = 0
    slowest: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __iadd__(self, other: "Report") -> "Report":
        self.walks += other.walks
        self.pages += other.pages
        self.posts += other.posts
        self.degraded += other.degraded
        self.slowest = max(self.slowest, other.slowest)
        self.statuses += other.statuses
        self.wrong += other.wrong
        return self


class Readers:
    """`count` processes that share `viewers` and read until they are stopped."""

    def __init__(self, count: int, viewers: Sequence[int], ports: Sequence[int]) -> None:
        context = get_context("spawn")  # a forked child would share connections
        self._stop: Event = context.Event()
        self._reports: Any = context.Queue()
        self._processes = [
            context.Process(
                target=_read_until,
                args=(list(viewers[n::count]), list(ports), n, self._stop, self._reports),
                daemon=True,
            )
            for n in range(count)
        ]
        for process in self._processes:
            process.start()

    def stop(self) -> Report:
        """Each ends its walk; what all of them saw."""
        self._stop.set()
        total = Report()
        for _ in self._processes:
            total += self._reports.get(timeout=120)
        for process in self._processes:
            process.join(30)
        return total


def _read_until(viewers: list[int], ports: list[int], seed: int, stop: Event, reports: Any) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "courtyard.settings"
    import django

    django.setup()
    from social.authentication import access_token
    from social.models import Account
    from tests.stateful.client import Client

    clients, report, dice = [Client(port) for port in ports], Report(), random.Random(seed)
    accounts = list(Account.objects.filter(pk__in=viewers))
    try:
        while not stop.is_set():
            account = dice.choice(accounts)
            token = access_token(account)
            _walk(account.pk, token, dice.choice(LIMITS), clients, dice, report)
    except BaseException as error:
        report.wrong.append(f"reader {seed} ended with {error!r}")
        raise
    finally:
        reports.put(report)


def _walk(
    viewer_id: int, token: str, limit: int, clients: list[Any], dice: random.Random, report: Report
) -> None:
    """Nothing is deleted in a storm: all that was there before page 1 must come, in order, once; and nothing may come
    that is not there after the last page."""
    from feeds.reference import reference_feed_ids

    due, found, address = reference_feed_ids(viewer_id), [], f"/api/v1/feed?limit={limit}"
    calm = True
    for _ in range(MOST_PAGES):
        started = time.monotonic()
        answer = dice.choice(clients).call("GET", address, token=token)
        report.slowest = max(report.slowest, time.monotonic() - started)
        report.statuses[answer.status] += 1
        report.pages += 1
        if not answer.good:
            report.wrong.append(f"viewer {viewer_id}: status {answer.status}")
            return
        found += [post["id"] for post in answer.body["posts"]]
        if answer.body["degraded"]:
            report.degraded += 1
            calm = False
        if answer.body["next_cursor"] is None:
            break
        address = f"/api/v1/feed?limit={limit}&cursor={answer.body['next_cursor']}"
    report.walks += 1
    report.posts += len(found)
    _judge(viewer_id, due, found, set(reference_feed_ids(viewer_id)), calm, report)


def _judge(
    viewer_id: int, due: list[int], found: list[int], after: set[int], calm: bool, report: Report
) -> None:
    missing, ghosts = set(due) - set(found), set(found) - after
    if len(set(found)) < len(found):
        report.wrong.append(
            f"viewer {viewer_id}: repeated {[i for i, n in Counter(found).items() if n > 1][:3]}"
        )
    if calm and found != sorted(found, reverse=True):
        report.wrong.append(f"viewer {viewer_id}: out of order")
    if missing:
        report.wrong.append(f"viewer {viewer_id}: skipped {len(missing)}, first {max(missing)}")
    if ghosts:
        report.wrong.append(f"viewer {viewer_id}: {len(ghosts)} that are not in the feed")
