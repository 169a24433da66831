"""The moments at which races are decided, made at will: a mark lapses, the overlay forgets, another process acts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
import redis

from feeds import delivery, epoch, overlay, pulled
from feeds.fanout import fan_out
from feeds.keys import Keys
from feeds.lists import Command, ListsUnavailable, commands
from feeds.lists.commands import StoredList
from feeds.lists.server import FeedServer
from feeds.memory import LocalMemory
from feeds.models import PulledAuthor
from feeds.page import Page
from feeds.reading import read_feed
from feeds.threshold import open_interval
from social.models import Account
from tests.conftest import forget_process_memory
from tests.feeds.helpers import ids_of, keys_now, raw_sql

LONG_AGO = "2024-01-01T00:00Z"


def no_hand_over(post_id: int) -> None:
    pytest.fail("handed over")


def deliver(post_id: int, claimant: str = "job") -> int:
    """A worker fans a post out; how many feeds took its id."""
    return fan_out(post_id, claimant, no_hand_over)


def pull(author: Account) -> None:
    """The author is pulled, and has been for so long that every process knows."""
    open_interval(author.pk)
    PulledAuthor.objects.filter(author=author).update(opened_at=LONG_AGO)


def stored_feed(viewer: Account) -> StoredList:
    keys = keys_now()
    return commands.read_lists(keys, [keys.feed(viewer.pk)], limit=1000)[0]


def listed(client: redis.Redis) -> list[str]:
    """The overlay's entries."""
    return [member.decode() for member in client.zrangebyscore(keys_now().overlay, "-inf", "(+inf")]


def a_second_passes(client: redis.Redis) -> None:
    """The mark lapses: as after MARK_SECONDS, without the wait."""
    client.zremrangebyscore(keys_now().overlay, "+inf", "+inf")


def the_overlay_forgets(client: redis.Redis) -> None:
    """What was delivered is no longer listed: as after a minute. Other process memory stays."""
    raw_sql("UPDATE feeds_outbox SET done_at = done_at - interval '1 minute'")
    client.delete(keys_now().overlay)
    overlay.forget_copy()


@contextmanager
def another_process() -> Iterator[None]:
    """Within, process memory is that of a second process, just started; then the first goes on with its own."""
    memories = {memory: memory._entries for memory in LocalMemory.named.values()}
    intervals, copy, known = vars(pulled.pulled_set).copy(), overlay._copy, epoch.known_epoch()
    forget_process_memory()
    try:
        yield
    finally:
        for memory, entries in memories.items():
            memory._entries = entries
        vars(pulled.pulled_set).update(intervals)
        overlay.keep_copy(copy, copy.fetched_at)
        epoch.learn_epoch(known)


@contextmanager
def writers_without_redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The feed Redis takes nothing from writers, while readers go on with what it has."""

    def refuse(keys: Keys, commands: Sequence[Command]) -> list[Any]:
        raise ListsUnavailable("the connection broke")

    with monkeypatch.context() as patch:
        patch.setattr(delivery, "execute", refuse)
        yield


@contextmanager
def after_round_trip(
    monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]
) -> Iterator[list[int]]:
    """`act` falls right after the round trip of this number, counted from 0; the list says whether it came to it."""
    original, count, acted = FeedServer._round_trip, [0], list[int]()

    def counting(self: FeedServer, keys: Keys, commands: Sequence[Command]) -> Any:
        replies = original(self, keys, commands)
        count[0] += 1
        if count[0] == number + 1 and not acted:
            acted.append(number)
            act()
        return replies

    with monkeypatch.context() as patch:
        patch.setattr(FeedServer, "_round_trip", counting)
        yield acted


def walk_on(viewer_id: int, page: Page, *, limit: int = 2) -> list[int]:
    """The ids of the pages after a page."""
    found: list[int] = []
    for _ in range(100):
        if page.next_cursor is None:
            return found
        page = read_feed(viewer_id, cursor=page.next_cursor, limit=limit)
        found += ids_of(page)
    pytest.fail("the feed has no end")
