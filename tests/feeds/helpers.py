"""Hands for the tests of the feed: reading to the end, looking at keys, threads, faults."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from feeds import lists
from feeds.epoch import current_epoch
from feeds.keys import Keys
from feeds.lists import keys_at, server
from feeds.lists.server import FeedServer
from feeds.outage import postgresql
from feeds.page import Page
from feeds.reading import AS_VIEWER, ReadMode, read_feed
from feeds.reference import reference_feed_ids
from posts.ids import id_at
from social.models import Account

DEAD_REDIS = "unix:///nonexistent/nobody-listens.sock?db=0"


def ids_of(page: Page) -> list[int]:
    return [item.post_id for item in page.items]


def shown(viewer: Account, *, limit: int = 20) -> list[int]:
    """The first page as ids."""
    return ids_of(read_feed(viewer.pk, limit=limit))


def pages(viewer_id: int, *, limit: int = 20, mode: ReadMode = AS_VIEWER) -> Iterator[Page]:
    """All pages, following `next_cursor`."""
    cursor = None
    for _ in range(1000):
        page = read_feed(viewer_id, cursor=cursor, limit=limit, mode=mode)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
    pytest.fail("the feed has no end")


def walk(viewer: Account | int, *, limit: int = 20, mode: ReadMode = AS_VIEWER) -> list[int]:
    viewer_id = viewer if isinstance(viewer, int) else viewer.pk
    return [post_id for page in pages(viewer_id, limit=limit, mode=mode) for post_id in ids_of(page)]


def assert_exact(viewer: Account | int, *, limits: Sequence[int] = (1, 2, 20)) -> None:
    """What the viewer reads is the reference feed, at each page length."""
    viewer_id = viewer if isinstance(viewer, int) else viewer.pk
    wanted = reference_feed_ids(viewer_id)
    for limit in limits:
        assert walk(viewer_id, limit=limit) == wanted, f"viewer {viewer_id}, limit {limit}"


def warm(viewer: Account) -> None:
    """Two reads: the first builds what is missing, the second would miss nothing."""
    for _ in range(2):
        read_feed(viewer.pk)


def keys_now() -> Keys:
    return keys_at(current_epoch())


@contextmanager
def counted_round_trips(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The number of commands of each round trip to the feed Redis."""
    trips: list[int] = []
    original = FeedServer._round_trip

    def counting(self: FeedServer, keys: Keys, commands: Any) -> Any:
        trips.append(len(commands))
        return original(self, keys, commands)

    with monkeypatch.context() as patch:
        patch.setattr(FeedServer, "_round_trip", counting)
        yield trips


def query_count(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


def raw_sql(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Past the models, the signals and the services."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def raw_post(author: Account, text: str = "by hand") -> int:
    [[post_id]] = raw_sql(
        "INSERT INTO posts_post (author_id, text) VALUES (%s, %s) RETURNING id", author.pk, text
    )
    return post_id


def past_posts(author_ids: Sequence[int], *, minutes_apart: float = 1) -> list[int]:
    """A menu of each author, the last one just now and the others before it, as an import writes them; their ids."""
    now = timezone.now()
    ids = [id_at(now - timedelta(minutes=minutes_apart * n)) for n in range(len(author_ids))][::-1]
    with transaction.atomic():
        raw_sql("SET LOCAL courtyard.bulk_load = 'on'")
        raw_sql(
            "INSERT INTO posts_post (id, author_id, text)"
            " SELECT id, author_id, 'soup' FROM unnest(%s::bigint[], %s::bigint[]) t (id, author_id)",
            ids,
            list(author_ids),
        )
    return ids


@contextmanager
def redis_down() -> Iterator[None]:
    """The feed Redis does not answer."""
    lists.use_server(DEAD_REDIS)
    server._server.run_id = "0" * 40  # type: ignore[union-attr]  as known from better days
    try:
        yield
    finally:
        lists.use_server(settings.FEED_REDIS_URL)


@contextmanager
def postgres_down(*, patience: float = 0.1) -> Iterator[None]:
    """PostgreSQL does not answer, in this thread; the pool gives up after `patience` (in production 1 s)."""
    options = connection.settings_dict["OPTIONS"]
    before = {name: options[name] for name in ("host", "pool")}
    connection.close()
    connection.close_pool()
    options |= {"host": "/nonexistent", "pool": {"min_size": 0, "max_size": 2, "timeout": patience}}
    try:
        yield
    finally:
        connection.close()
        connection.close_pool()
        options |= before
        assert not postgresql.look()  # whoever looks next finds it back


def in_threads(calls: Sequence[Callable[[], Any]], *, seconds: float = 30) -> list[Any]:
    """What the calls answered, each made in a thread with a connection of its own; errors are raised here."""
    answers: list[Any] = [None] * len(calls)
    errors: list[BaseException] = []

    def run(place: int) -> None:
        try:
            answers[place] = calls[place]()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[place], daemon=True) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return answers


class Background:
    """One call in a thread; `result()` waits for it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._answer: list[Any] = []
        self._thread = threading.Thread(target=lambda: self._answer.extend(in_threads([call])), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def result(self, *, seconds: float = 20) -> Any:
        self._thread.join(seconds)
        assert self._answer, "the call did not end well"
        return self._answer[0]


class Gate:
    """Holds a function up just before or after it runs, once: `reached` is set, then it waits for `open`."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, after: bool = False
    ) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self._used = threading.Lock()
        original = getattr(owner, name)

        def gated(*args: Any, **kwargs: Any) -> Any:
            mine = self._used.acquire(blocking=False)
            if mine and not after:
                self._wait()
            answer = original(*args, **kwargs)
            if mine and after:
                self._wait()
            return answer

        monkeypatch.setattr(owner, name, gated)

    def _wait(self) -> None:
        self.reached.set()
        assert self.opened.wait(20), "nobody opened the gate"

    def wait_until_reached(self) -> None:
        assert self.reached.wait(20), "the gate was never reached"

    def open(self) -> None:
        self.opened.set()
