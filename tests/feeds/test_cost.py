"""What a read costs: no SQL and one round trip when warm, a constant when cold."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import builds, overlay
from feeds.access import Access
from feeds.delivery import apply
from feeds.lists import keys_at
from feeds.models import PulledAuthor
from feeds.pulled import Timeline, get_timelines, timeline_memory
from feeds.reading import read_feed
from feeds.threshold import open_interval
from posts.services import publish_post
from social.models import Account, Follow
from tests.conftest import forget_process_memory
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import counted_round_trips, past_posts, query_count, raw_sql, warm

Settle = Callable[[], None]


def follow_many(viewer: Account, count: int) -> list[Account]:
    """Cooks with a menu each, a minute between them, whom `viewer` follows; as an import makes them."""
    cooks = Account.objects.bulk_create(
        Account(username=f"cook{n}", display_name=f"Cook {n}", is_cook=True) for n in range(count)
    )
    past_posts([cook.pk for cook in cooks])
    Follow.objects.bulk_create(Follow(follower=viewer, followee=cook) for cook in cooks)
    raw_sql("UPDATE feeds_outbox SET done_at = now() - interval '1 minute'")
    return cooks


@pytest.mark.parametrize("follows", [3, 3000])
def test_a_warm_page_runs_no_sql_and_makes_one_round_trip(
    cast: Cast,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Any,
    follows: int,
) -> None:
    follow_many(cast.sam, follows)
    settle()
    warm(cast.sam)
    overlay.build_overlay(keys_at(1))
    with counted_round_trips(monkeypatch) as trips, django_assert_num_queries(0):
        page = read_feed(cast.sam.pk)
    assert len(page.items) == min(follows, 20)
    assert page.queries == 0
    assert trips == [1]


def test_with_thirty_pulled_authors_it_is_the_same(
    cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    for cook in follow_many(cast.sam, 30):
        open_interval(cook.pk)
    PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
    settle()
    warm(cast.sam)
    overlay.build_overlay(keys_at(1))
    with counted_round_trips(monkeypatch) as trips, django_assert_num_queries(0):
        page = read_feed(cast.sam.pk)
    assert page.origins == {"pulled": 20}
    assert trips == [1]


def test_the_second_page_costs_the_same(
    cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    follow_many(cast.sam, 60)
    settle()
    for _ in range(2):
        first = read_feed(cast.sam.pk)
        read_feed(cast.sam.pk, cursor=first.next_cursor)
    overlay.build_overlay(keys_at(1))
    with counted_round_trips(monkeypatch) as trips, django_assert_num_queries(0):
        read_feed(cast.sam.pk, cursor=first.next_cursor)
    assert trips == [1]


def test_a_page_from_another_process_needs_no_sql_either(
    cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Process memory is empty, Redis is warm: only the shared once-a-second queries remain."""
    follow_many(cast.sam, 30)
    settle()
    warm(cast.sam)
    forget_process_memory()
    with counted_round_trips(monkeypatch) as trips:
        page = read_feed(cast.sam.pk)
    assert page.queries == 0
    assert len(trips) <= 3  # the lists, cards of posts, cards of accounts


@pytest.mark.parametrize("follows", [3, 3000])
def test_a_cold_page_runs_a_constant_number_of_queries(
    cast: Cast, settle: Settle, feed_redis: redis.Redis, follows: int
) -> None:
    follow_many(cast.sam, follows)
    settle()
    feed_redis.flushall()
    forget_process_memory()
    assert query_count(lambda: read_feed(cast.sam.pk)) <= 14
    assert read_feed(cast.sam.pk).queries == 0


def test_with_redis_away_a_page_runs_a_constant_number_of_queries(cast: Cast, settle: Settle) -> None:
    from tests.feeds.helpers import redis_down

    follow_many(cast.sam, 50)
    settle()
    with redis_down():
        assert query_count(lambda: read_feed(cast.sam.pk)) <= 7


def test_a_visit_is_written_down_once_a_day(cast: Cast, settle: Settle) -> None:
    PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    seen = Account.objects.get(pk=cast.carla.pk).last_seen
    warm(cast.carla)
    assert Account.objects.get(pk=cast.carla.pk).last_seen == seen


class TestTimelines:
    """An author's timeline as a value."""

    @pytest.mark.parametrize(
        ("ids", "floor", "position", "limit", "expected"),
        [
            ((), 0, 100, 5, ([], 0)),
            ((1, 2, 3), 0, 100, 5, ([3, 2, 1], 0)),
            ((1, 2, 3), 0, 3, 5, ([2, 1], 0)),
            ((1, 2, 3), 0, 100, 2, ([3, 2], 1)),
            ((7, 8, 9), 6, 100, 5, ([9, 8, 7], 6)),
            ((7, 8, 9), 6, 7, 5, ([], 6)),
            ((7, 8, 9), 6, 100, 1, ([9], 8)),
            # Late pushes of old posts lie below the floor, and do not lower it.
            ((1, 2, 7, 8, 9), 6, 100, 4, ([9, 8, 7, 2], 6)),
        ],
    )
    def test_ids_below_a_position_and_how_far_they_are_complete(
        self, ids: tuple[int, ...], floor: int, position: int, limit: int, expected: tuple[list[int], int]
    ) -> None:
        assert Timeline(ids, floor).between(0, position, limit) == expected

    def test_a_cut_timeline_is_complete_no_further_than_its_fence(
        self, stores: None, settings: Any, feed_redis: redis.Redis
    ) -> None:
        settings.FEED_LENGTH = 10
        keys = keys_at(1)
        feed_redis.zadd(keys.timeline(7), {str(n): n for n in range(1, 26)} | {"floor": 15})
        timelines = get_timelines(keys, [7], store=True, access=Access(limited=False))
        assert timelines[7].floor == 15

    def test_it_is_read_once_in_two_seconds(
        self, cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publish_post(author=cast.maria, text="soup")
        settle()
        keys = keys_at(1)
        get_timelines(keys, [cast.maria.pk], store=True, access=Access(limited=False))
        with counted_round_trips(monkeypatch) as trips:
            get_timelines(keys, [cast.maria.pk], store=True, access=Access(limited=False))
        assert trips == []
        timeline_memory.clear()


def test_applying_nothing_sends_nothing(stores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with counted_round_trips(monkeypatch) as trips:
        apply(keys_at(1), [])
    assert trips == []


def test_a_follower_of_nobody_costs_no_more_later(
    cast: Cast, settle: Settle, django_assert_num_queries: Any
) -> None:
    guest = AccountFactory()
    FollowFactory(follower=cast.sam, followee=guest)
    settle()
    warm(cast.stef)
    overlay.build_overlay(keys_at(1))
    with django_assert_num_queries(0):
        page = read_feed(cast.stef.pk)
    assert (page.items, page.next_cursor) == ([], None)


class TestBuildsAndIntervals:
    def test_a_build_keeps_an_author_until_every_process_knows_that_she_is_pulled(self, cast: Cast) -> None:
        """Some process may merge by a set of pulled authors that is 2 s old."""
        post = PostFactory(author=cast.ana)
        open_interval(cast.ana.pk)
        assert post.pk in builds.read_feed_ids(cast.carla.pk).ids
        PulledAuthor.objects.filter(author=cast.ana).update(opened_at="2024-01-01T00:00Z")
        assert post.pk not in builds.read_feed_ids(cast.carla.pk).ids
