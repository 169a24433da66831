"""What processes count together."""

import time
from collections.abc import Callable

import pytest

from feeds import stats
from feeds.proof.verify import walk_feed
from feeds.reading import read_feed
from feeds.stats import count, hand_over, last_hours, last_minutes, opens_a_day
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import in_threads, redis_down

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    stats._counts.clear()
    stats._memory_look_ups()


def total(name: str) -> float:
    return sum(minute[name] for minute in last_minutes(3))


def test_an_open_is_a_first_page_that_somebody_reads(ready: Cast, settle: Callable[[], None]) -> None:
    PostFactory.create_batch(3, author=ready.ana)
    settle()
    stats._counts.clear()
    page = read_feed(ready.carla.pk, limit=2)
    read_feed(ready.carla.pk, cursor=page.next_cursor)
    read_feed(ready.carla.pk, since=page.refresh_cursor)
    walk_feed(ready.carla.pk)  # looking is no visit
    hand_over(at_once=True)
    assert (total("opens"), total("reads:stored") + total("reads:built")) == (1, 3)
    assert total("memory:posts:hit") > 0
    opens = opens_a_day()
    assert opens is not None
    assert opens[0] == 1
    assert 1 <= opens[1] <= 3600


def test_what_several_processes_count_adds_up(cast: Cast) -> None:
    for _ in range(3):  # of three processes, or of one later on
        count("inserts", 40)
        hand_over(at_once=True)
    assert total("inserts") == 120
    assert sum(hour["inserts"] for hour in last_hours(2)) == 120


def test_nothing_is_lost_while_redis_is_away(cast: Cast) -> None:
    count("opens", 2)
    with redis_down():
        hand_over(at_once=True)
        count("opens")
    hand_over(at_once=True)
    assert total("opens") == 3


def test_threads_lose_none_of_it(cast: Cast) -> None:
    in_threads([lambda: [count("opens") for _ in range(2_000)]] * 4)
    hand_over(at_once=True)
    assert total("opens") == 8_000


def test_it_is_handed_over_now_and_then_and_never_kept_for_ever(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    count("opens")
    hand_over(at_once=True)
    count("opens")
    hand_over()
    assert total("opens") == 1
    monkeypatch.setattr(stats, "_handed_over_at", time.monotonic() - stats.HAND_OVER_SECONDS)
    hand_over()
    assert total("opens") == 2
    keys = stats.keys_at(stats.known_epoch())
    name = keys.counts(stats.MINUTE, int(time.time()) // stats.MINUTE)
    [left] = stats.execute(keys, [("TTL", name)])
    assert stats.MINUTES_KEPT - 70 < left <= stats.MINUTES_KEPT


def test_nobody_has_opened_anything(cast: Cast) -> None:
    assert opens_a_day() is None
