"""PostgreSQL away, or asked by too many: pages are made of what there is, and nothing is skipped or repeated."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from rest_framework.test import APIClient

from feeds import builds, outage, overlay, queueing
from feeds.access import Access, Away, turns
from feeds.cards import post_memory
from feeds.pulled import pulled_set
from feeds.reading import count_updates, read_feed
from feeds.reference import reference_feed_ids
from feeds.tasks import build
from social.errors import Unavailable
from social.models import Account
from tests.conftest import forget_process_memory
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import (
    Background,
    Gate,
    ids_of,
    in_threads,
    keys_now,
    past_posts,
    postgres_down,
    raw_sql,
    redis_down,
    walk,
    warm,
)

Settle = Callable[[], None]


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What would be sent to the workers."""
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(
        queueing, "_send", lambda task, subject, **options: sent.append((task, subject)) or True
    )
    queueing._queued.clear()
    return sent


@contextmanager
def all_turns_taken() -> Iterator[None]:
    """Other reads of this process are asking PostgreSQL."""
    from django.conf import settings

    for _ in range(settings.FEED_BUILDS):
        assert turns.take(1)
    try:
        yield
    finally:
        for _ in range(settings.FEED_BUILDS):
            turns.give_back()


@pytest.fixture
def busy(settings: Any) -> Callable[[], Any]:
    settings.FEED_BUILDS, settings.FEED_BUILD_WAIT_SECONDS = 2, 0.05
    return all_turns_taken


@pytest.fixture
def posts(cast: Cast, settle: Settle) -> list[int]:
    """Of ana and maria in turn, newest first."""
    ids = past_posts([cast.ana.pk, cast.maria.pk] * 6)
    settle()
    warm(cast.carla)
    return ids[::-1]


class TestWithoutATurn:
    def test_a_warm_page_needs_none(self, cast: Cast, posts: list[int], busy: Any) -> None:
        overlay.build_overlay(keys_now())
        pulled_set.refresh()
        with busy():
            page = read_feed(cast.carla.pk, limit=5)
        assert (ids_of(page), page.degraded) == (posts[:5], False)

    def test_a_cold_one_shows_what_there_is(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any, queued: list[Any]
    ) -> None:
        """The pushed list is gone: maria's timeline is in memory, and the overlay has the newest."""
        new = PostFactory(author=cast.ana).pk
        with busy():
            feed_redis.delete(keys_now().feed(cast.carla.pk))
            page = read_feed(cast.carla.pk, limit=5)
        assert page.degraded
        of_maria = posts[::2]
        assert set(ids_of(page)) <= {new, *of_maria}
        assert set(ids_of(page)) & set(of_maria)
        assert page.next_cursor is not None
        assert (queueing.BUILD, cast.carla.pk) in queued

    def test_walking_on_yields_each_once(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any
    ) -> None:
        PostFactory(author=cast.ana)
        everything = reference_feed_ids(cast.carla.pk)
        for limit in (1, 3, 5, 50):
            with busy():
                feed_redis.delete(keys_now().feed(cast.carla.pk))
                page = read_feed(cast.carla.pk, limit=limit)
            assert page.degraded
            found, cursor = ids_of(page), page.next_cursor
            while cursor is not None:
                page = read_feed(cast.carla.pk, limit=limit, cursor=cursor)
                assert not page.degraded
                found, cursor = found + ids_of(page), page.next_cursor
            assert sorted(found, reverse=True) == everything

    def test_every_page_may_be_degraded_for_a_while(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any
    ) -> None:
        with busy():
            feed_redis.delete(keys_now().feed(cast.carla.pk))
            page = read_feed(cast.carla.pk, limit=2)
            found = ids_of(page)
            for _ in range(5):
                page = read_feed(cast.carla.pk, limit=2, cursor=page.next_cursor)
                assert page.degraded
                assert page.next_cursor is not None
                found += ids_of(page)
        while page.next_cursor is not None:
            page = read_feed(cast.carla.pk, limit=2, cursor=page.next_cursor)
            found += ids_of(page)
        assert sorted(found, reverse=True) == posts

    def test_a_card_that_is_missing_stops_what_is_known(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any
    ) -> None:
        feed_redis.delete(keys_now().card(posts[3]))
        post_memory.clear()
        with busy():
            page = read_feed(cast.carla.pk, limit=10)
        assert page.degraded
        assert posts[3] not in ids_of(page)
        rest = read_feed(cast.carla.pk, limit=50, cursor=page.next_cursor)
        assert sorted(ids_of(page) + ids_of(rest), reverse=True) == posts

    def test_below_the_stored_lists(self, cast: Cast, settle: Settle, busy: Any, settings: Any) -> None:
        settings.FEED_LENGTH = 10
        posts = past_posts([cast.ana.pk] * 30)[::-1]
        settle()
        warm(cast.carla)
        with busy():
            page = read_feed(cast.carla.pk, limit=20)
        assert page.degraded
        assert ids_of(page) == posts[:10]
        rest = read_feed(cast.carla.pk, limit=50, cursor=page.next_cursor)
        assert ids_of(rest) == posts[10:]

    def test_with_redis_away_as_well_the_page_is_empty_and_goes_on(
        self, cast: Cast, posts: list[int], busy: Any
    ) -> None:
        with busy(), redis_down():
            page = read_feed(cast.carla.pk, limit=5)
        assert (ids_of(page), page.degraded) == ([], True)
        assert ids_of(read_feed(cast.carla.pk, limit=50, cursor=page.next_cursor)) == posts

    def test_what_is_new_since_a_degraded_page(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any
    ) -> None:
        with busy():
            feed_redis.delete(keys_now().feed(cast.carla.pk))
            page = read_feed(cast.carla.pk, limit=5)
        new = PostFactory(author=cast.ana).pk
        newer = read_feed(cast.carla.pk, since=page.refresh_cursor)
        assert new in ids_of(newer)
        assert not set(ids_of(newer)) & set(ids_of(page))

    def test_the_build_is_queued_once_in_a_while(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any, queued: list[Any]
    ) -> None:
        with busy():
            feed_redis.delete(keys_now().feed(cast.carla.pk))
            for _ in range(5):
                read_feed(cast.carla.pk)
        assert queued.count((queueing.BUILD, cast.carla.pk)) == 1

    def test_the_queued_build_makes_the_next_page_warm(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any
    ) -> None:
        feed_redis.flushall()
        build(cast.carla.pk)
        page = read_feed(cast.carla.pk, limit=5)
        assert (ids_of(page), page.queries) == (posts[:5], 0)

    def test_the_json_says_so(
        self, cast: Cast, posts: list[int], busy: Any, feed_redis: Any, api: Callable[[Account], APIClient]
    ) -> None:
        client = api(cast.carla)
        assert client.get("/api/v1/feed").json()["degraded"] is False
        with busy():
            feed_redis.delete(keys_now().feed(cast.carla.pk))
            body = client.get("/api/v1/feed").json()
        assert body["degraded"] is True
        assert body["next_cursor"]
        assert body["refresh_cursor"]

    def test_a_turn_that_comes_in_time_is_waited_for(
        self, cast: Cast, posts: list[int], settings: Any, feed_redis: Any
    ) -> None:
        settings.FEED_BUILDS, settings.FEED_BUILD_WAIT_SECONDS = 1, 5
        feed_redis.delete(keys_now().feed(cast.carla.pk))
        with all_turns_taken():
            waiting = Background(lambda: read_feed(cast.carla.pk, limit=5))
            threading.Event().wait(0.2)
            assert waiting.running
        page = waiting.result()
        assert (ids_of(page), page.degraded) == (posts[:5], False)


class TestTurns:
    def test_a_read_gives_its_turn_back(self, stores: None, settings: Any) -> None:
        settings.FEED_BUILDS = 1
        for _ in range(3):
            with Access() as access:
                with access.trip():
                    pass
                with access.trip():
                    pass
                assert access.queries == 2

    def test_also_when_it_fails(self, stores: None, settings: Any) -> None:
        settings.FEED_BUILDS, settings.FEED_BUILD_WAIT_SECONDS = 1, 0
        for _ in range(3):
            with pytest.raises(ZeroDivisionError), Access() as access, access.trip():
                raise ZeroDivisionError
        with Access() as access, access.trip():
            pass

    def test_many_cold_readers_share_a_few(
        self, cast: Cast, settle: Settle, settings: Any, feed_redis: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.FEED_BUILDS, settings.FEED_BUILD_WAIT_SECONDS = 2, 20
        viewers = [AccountFactory() for _ in range(12)]
        for viewer in viewers:
            FollowFactory(follower=viewer, followee=cast.ana)
        past_posts([cast.ana.pk] * 5)
        settle()
        at_once, most = [0], [0]
        original = builds.read_feed_ids

        def counting(viewer_id: int) -> Any:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
            threading.Event().wait(0.02)
            answer = original(viewer_id)
            at_once[0] -= 1
            return answer

        monkeypatch.setattr(builds, "read_feed_ids", counting)
        pages = in_threads([lambda v=viewer: read_feed(v.pk) for viewer in viewers])  # type: ignore[misc]
        assert most[0] == 2
        assert not any(page.degraded for page in pages)
        assert all(len(page.items) == 5 for page in pages)


class TestPostgresqlAway:
    def test_a_cold_feed_is_made_of_what_there_is(
        self, cast: Cast, posts: list[int], feed_redis: Any, queued: list[Any]
    ) -> None:
        feed_redis.delete(keys_now().feed(cast.carla.pk))
        with postgres_down():
            page = read_feed(cast.carla.pk, limit=5)
            updates = count_updates(cast.carla.pk, since=page.refresh_cursor)
        assert page.degraded
        assert ids_of(page) == posts[::2][:5]  # maria's timeline
        assert updates.count == 0
        outage.postgresql.ended()  # as a second later
        rest = read_feed(cast.carla.pk, limit=50, cursor=page.next_cursor)
        assert sorted(ids_of(page) + ids_of(rest), reverse=True) == posts

    def test_without_anything_it_cannot_be_told_who_asks(self, cast: Cast, posts: list[int]) -> None:
        with redis_down(), postgres_down(), pytest.raises(Unavailable):
            read_feed(cast.carla.pk)

    def test_pages_say_so_as_a_page(self, cast: Cast, posts: list[int], browse: Any, feed_redis: Any) -> None:
        browser = browse(cast.carla)
        assert browser.get("/").status_code == 200
        for key in feed_redis.scan_iter("cy:*:account:*"):
            feed_redis.delete(key)
        forget_process_memory()
        with postgres_down():
            answer = browser.get("/")
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert b"<h1" in answer.content

    def test_nobody_waits_for_it_again_at_once(self, stores: None) -> None:
        with postgres_down():
            with pytest.raises(Away), Access() as access, access.trip():
                raw_sql("SELECT 1")
            with pytest.raises(Away, match="PostgreSQL is away"), Access() as access, access.trip():
                pytest.fail("it was tried again")


class TestSharing:
    def test_waiting_readers_of_one_viewer_share_one_build(
        self, cast: Cast, posts: list[int], feed_redis: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        feed_redis.delete(keys_now().feed(cast.carla.pk))
        built: list[int] = []
        original = builds.read_feed_ids
        monkeypatch.setattr(builds, "read_feed_ids", lambda v: built.append(v) or original(v))
        gate = Gate(monkeypatch, builds, "build_feed")
        monkeypatch.setattr("feeds.sources.build_feed", builds.build_feed)
        first = Background(lambda: read_feed(cast.carla.pk, limit=5))
        gate.wait_until_reached()
        others = [Background(lambda: read_feed(cast.carla.pk, limit=5)) for _ in range(4)]
        threading.Event().wait(0.2)
        assert all(other.running for other in others)
        gate.open()
        for reader in (first, *others):
            assert ids_of(reader.result()) == posts[:5]
        assert built == [cast.carla.pk]

    def test_a_build_that_hangs_holds_nobody_up_for_long(
        self, cast: Cast, posts: list[int], feed_redis: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.FEED_BUILD_WAIT_SECONDS = 0.1
        feed_redis.delete(keys_now().feed(cast.carla.pk))
        gate = Gate(monkeypatch, builds, "build_feed")
        monkeypatch.setattr("feeds.sources.build_feed", builds.build_feed)
        first = Background(lambda: read_feed(cast.carla.pk, limit=5))
        gate.wait_until_reached()
        assert walk(cast.carla) == posts
        gate.open()
        assert ids_of(first.result()) == posts[:5]
