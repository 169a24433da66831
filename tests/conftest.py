"""What every test has: empty stores, the fixed cast, hands to step the workers with."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db import connection, connections
from django.test import Client
from django.test.utils import setup_databases
from pytest_django.plugin import DjangoDbBlocker
from rest_framework.test import APIClient

from courtyard.storages import photo_storages
from feeds import cards, delivery, epoch, fanout, outage, overlay, pulled
from feeds.models import Outbox
from social.authentication import access_token
from social.models import Account
from tests.factories import Cast, make_cast
from tests.stateful.processes import Web

CHECKOUT = Path(__file__).resolve().parent.parent
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def pytest_configure(config: pytest.Config) -> None:
    # WhiteNoise misses the collected files, which no test asks for.
    config.addinivalue_line("filterwarnings", "ignore:No directory at:UserWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, whatever the shuffle: begun last, they would leave other processes with nothing to do."""
    items.sort(key=lambda item: "stateful" not in item.path.parts)


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The test database, also for tests without a mark. It goes with its throwaway server."""
    with django_db_blocker.unblock():
        setup_databases(verbosity=0, interactive=False)


@pytest.fixture(autouse=True)
def fast_passwords(settings: object) -> None:
    """Hashing is made to be slow, and no test is about that."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def plain_static_files(settings: object) -> None:
    """Pages name their files without a manifest, which only a collection makes."""
    settings.STORAGES = settings.STORAGES | {  # type: ignore[attr-defined]
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture(scope="session")
def files_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(autouse=True)
def own_folders(settings: object, files_of_the_session: Path) -> None:
    """Photos of tests lie apart."""
    use_folders(settings, files_of_the_session)


def use_folders(settings: Any, folder: Path) -> None:
    settings.MEDIA_ROOT, settings.UPLOADS_ROOT = str(folder / "media"), str(folder / "uploads")
    settings.STORAGES = settings.STORAGES | photo_storages(
        "", settings.MEDIA_URL, folder / "media", folder / "uploads"
    )


@pytest.fixture
def feed_redis() -> Iterator[redis.Redis]:
    """A plain client of the feed Redis, to look at keys and to break them."""
    with redis.Redis.from_url(settings.FEED_REDIS_URL) as client:
        yield client


def forget_process_memory() -> None:
    """As if this process had just started."""
    for memory in (cards.post_memory, cards.account_memory, pulled.timeline_memory):
        memory.clear()
    pulled.pulled_set.forget()
    overlay.forget_copy()
    epoch.learn_epoch(1)
    outage.postgresql.ended()


@cache
def _tables() -> list[str]:
    return sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)


def empty_database() -> None:
    """As the migrations leave it. Deleting a few rows takes a tenth of truncating two dozen tables."""
    with connection.cursor() as cursor:
        deletions = "; ".join(f"DELETE FROM {table}" for table in _tables())
        cursor.execute(
            "SET session_replication_role = replica; SET lock_timeout = '10s';"  # no triggers, no foreign keys
            f"{deletions}; INSERT INTO feeds_feedsettings (id) VALUES (1);"
            "RESET session_replication_role; RESET lock_timeout"
        )


@pytest.fixture
def stores(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, feed_redis: redis.Redis
) -> Iterator[None]:
    """Empty PostgreSQL, Redis and process memory; changes really commit."""
    with django_db_blocker.unblock(), redis.Redis.from_url(_broker_url()) as broker:
        empty_database()
        feed_redis.flushall()
        broker.flushall()
        forget_process_memory()
        yield
        forget_process_memory()
        connections.close_all()  # whatever the test left it in
        empty_database()


def _broker_url() -> str:
    """The broker's URL as redis-py spells it."""
    return settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://").replace("virtual_host", "db")


@pytest.fixture
def cast(stores: None) -> Cast:
    """ana cooks, carla follows her, sam is a stranger, maria cooks for many, stef is staff."""
    return make_cast()


@pytest.fixture
def api() -> Callable[[Account | None], APIClient]:
    """`api(account)` speaks to the JSON API as that account, `api(None)` as nobody."""

    def client_of(account: Account | None) -> APIClient:
        client = APIClient()
        if account is not None:
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {access_token(account)}")
        return client

    return client_of


@pytest.fixture
def browse() -> Callable[[Account | None], Client]:
    """`browse(account)` visits pages signed in as that account, `browse(None)` as nobody."""

    def visitor(account: Account | None) -> Client:
        client = Client()
        if account is not None:
            client.force_login(account)
        return client

    return visitor


@pytest.fixture
def step_workers() -> Callable[[], int]:
    """Does in this process what workers would do now; how many feeds took an id."""

    def step() -> int:
        taken = 0
        while posts := list(
            Outbox.objects.filter(kind="published", done_at=None).values_list("subject_id", flat=True)
        ):
            for post_id in posts:
                taken += fanout.fan_out(post_id, "test", lambda post_id: None)
        rest = Outbox.objects.filter(done_at=None).exclude(kind="published")
        delivery.deliver_now(list(rest.values_list("kind", "subject_id")))
        return taken

    return step


@pytest.fixture
def settle(step_workers: Callable[[], int], feed_redis: redis.Redis) -> Callable[[], None]:
    """Delivers everything and lets a minute pass: the overlay and process memory have forgotten it all, and feeds
    come from stored lists."""

    def settle() -> None:
        step_workers()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE feeds_outbox SET done_at = done_at - interval '1 minute'")
        for key in feed_redis.scan_iter("cy:*:overlay"):
            feed_redis.delete(key)
        forget_process_memory()

    return settle


def database_url() -> str:
    """This test's database, for processes of its own."""
    given = connection.settings_dict
    host = given["HOST"] or given["OPTIONS"].get("host", "")
    return f"postgresql://{given['USER']}@/{given['NAME']}?host={host}&port=5432"


@dataclass
class Worker:
    """A Celery worker process on this test's database."""

    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """-9, the pool's children too."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)


@pytest.fixture
def start_worker(stores: None, tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """`start_worker(FANOUT_BATCH_SIZE="10")` starts a worker process with these settings."""
    workers: list[Worker] = []

    def start(*, wait: bool = True, **environment: str) -> Worker:
        log = tmp_path / f"worker-{len(workers)}.log"
        command = [sys.executable, "-m", "celery", "-A", "courtyard", "worker", "--concurrency=1", "-lINFO"]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *command,
                    "-Qfanout,upkeep,builds,photos",
                    "--without-gossip",
                    "--without-mingle",
                    "--without-heartbeat",
                ],
                cwd=CHECKOUT,
                env=os.environ
                | {
                    "DATABASE_URL": database_url(),
                    "MEDIA_ROOT": settings.MEDIA_ROOT,
                    "UPLOADS_ROOT": settings.UPLOADS_ROOT,
                }
                | environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        worker = Worker(process, log)
        workers.append(worker)
        if wait:
            wait_for(lambda: b"ready." in log.read_bytes(), seconds=60)
        return worker

    yield start
    for worker in workers:
        if worker.process.poll() is None:
            worker.kill()


@pytest.fixture
def start_web(stores: None, tmp_path: Path) -> Iterator[Callable[..., Web]]:
    """`start_web(WEB_THREADS="2")` starts a web server process with these settings, as the Procfile does."""
    with ExitStack() as stack:

        def start(**environment: str) -> Web:
            given = {"DATABASE_URL": database_url(), "MEDIA_ROOT": settings.MEDIA_ROOT}
            given |= {"UPLOADS_ROOT": settings.UPLOADS_ROOT} | environment
            web = Web("web", tmp_path, os.environ | given)
            web.start()
            stack.callback(web.stop)
            web.wait_until_ready()
            return web

        yield start


def wait_for(condition: Callable[[], object], *, seconds: float = 10) -> None:
    """Until `condition` holds; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"still not true after {seconds} s: {condition}"
        time.sleep(0.05)
