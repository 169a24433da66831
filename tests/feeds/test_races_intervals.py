"""Races of intervals: processes that do not know yet, lists and timelines built before, in and after them."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import builds, pulled, threshold
from feeds.models import PulledAuthor
from feeds.threshold import close_interval, open_interval
from posts.services import publish_post
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    keys_now,
    raw_post,
    shown,
    warm,
)
from tests.feeds.moments import another_process, deliver, pull, stored_feed, the_overlay_forgets

Settle = Callable[[], None]


class TestSettling:
    """Until every process knows of an interval, posts are pushed as well, and builds keep the author."""

    def test_a_process_that_does_not_know_yet_has_her_posts_pushed(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        pulled.pulled_set.get()
        with another_process():
            open_interval(ready.ana.pk)
            post_id = raw_post(ready.ana)
            assert deliver(post_id) == 1
        the_overlay_forgets(feed_redis)
        assert ready.ana.pk not in pulled.pulled_set.known()
        assert shown(ready.carla)[0] == post_id

    def test_a_build_that_does_not_know_yet_keeps_her(self, ready: Cast, feed_redis: redis.Redis) -> None:
        pulled.pulled_set.get()
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        with another_process():
            open_interval(ready.ana.pk)
            warm(ready.carla)
        the_overlay_forgets(feed_redis)
        assert ready.ana.pk not in pulled.pulled_set.known()
        assert_exact(ready.carla)

    def test_it_lasts_longer_than_any_process_may_be_behind(self, settings: Any) -> None:
        """A set read just before the crossing transaction began, at its greatest age, and then some."""
        settings.FEED_LOCAL_CACHE_SECONDS = 2
        assert threshold.settling_seconds() > threshold.CROSSING_SECONDS + settings.FEED_LOCAL_CACHE_SECONDS

    def test_a_process_refreshes_its_set_before_it_is_too_old(
        self, ready: Cast, feed_redis: redis.Redis, settings: Any, settle: Settle
    ) -> None:
        settings.FEED_LOCAL_CACHE_SECONDS = 0.2
        pulled.pulled_set.get()
        with another_process():
            pull(ready.ana)
            post_id = raw_post(ready.ana)
            assert deliver(post_id) == 0
        time.sleep(0.25)
        the_overlay_forgets(feed_redis)
        assert shown(ready.carla)[0] == post_id

    def test_a_process_that_still_pulls_after_the_close_misses_nothing(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        """Its set and her timeline in its memory are from before: what is new was pushed, the rest it merges."""
        pull(ready.ana)
        inside = raw_post(ready.ana)
        deliver(inside)
        pulled.pulled_set.forget()
        warm(ready.carla)
        with another_process():
            close_interval(ready.ana.pk)
            after = raw_post(ready.ana)
            assert deliver(after) == 1
        the_overlay_forgets(feed_redis)
        assert pulled.pulled_set.known()[ready.ana.pk] is None
        assert shown(ready.carla)[:2] == [after, inside]


class TestIntervals:
    def test_the_read_has_no_lower_bound(self, ready: Cast, feed_redis: redis.Redis, settle: Settle) -> None:
        """A feed that is built in the interval leaves her out: what she wrote before it comes from her timeline."""
        pull(ready.ana)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        settle()
        warm(ready.carla)
        assert stored_feed(ready.carla).ids == []
        assert_exact(ready.carla)

    def test_a_list_built_in_the_interval_is_complete_after_its_close(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        pull(ready.ana)
        inside = raw_post(ready.ana)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        settle()
        warm(ready.carla)
        close_interval(ready.ana.pk)
        after = raw_post(ready.ana)
        settle()
        assert stored_feed(ready.carla).ids == [after]
        assert shown(ready.carla)[:2] == [after, inside]
        assert_exact(ready.carla)

    def test_opened_again_it_begins_anew(self, ready: Cast, settle: Settle) -> None:
        """What was written between the two is pushed, though its fan-out comes after the second opening."""
        pull(ready.ana)
        first_since = PulledAuthor.objects.get(author=ready.ana).since_id
        close_interval(ready.ana.pk)
        between = raw_post(ready.ana)
        pull(ready.ana)
        inside = raw_post(ready.ana)
        assert PulledAuthor.objects.get(author=ready.ana).since_id > between > first_since
        assert (deliver(between), deliver(inside)) == (1, 0)
        settle()
        assert shown(ready.carla)[:2] == [inside, between]
        assert_exact(ready.carla)

    def test_a_timeline_that_is_built_while_she_publishes_lacks_nothing(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        pull(ready.ana)
        settle()
        feed_redis.delete(keys_now().timeline(ready.ana.pk))
        gate = Gate(monkeypatch, builds, "author_post_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        gate.open()
        reader.result()
        settle()
        assert shown(ready.carla)[0] == post.pk
        assert_exact(ready.carla)

    def test_her_post_is_seen_though_her_timeline_is_remembered_without_it(self, ready: Cast) -> None:
        """Fan-out pushes nothing; for the two seconds until memory is too old the overlay lists it."""
        pull(ready.ana)
        pulled.pulled_set.forget()
        warm(ready.carla)
        with another_process():
            post = publish_post(author=ready.ana, text="just now")
            deliver(post.pk)
        assert pulled.timeline_memory.get(ready.ana.pk) is not None
        assert shown(ready.carla)[0] == post.pk

    def test_one_timeline_cut_short_does_not_hide_what_lies_below_in_the_others(
        self, ready: Cast, settle: Settle, settings: Any
    ) -> None:
        settings.FEED_LENGTH = 10
        pull(ready.maria)
        for _ in range(15):
            raw_post(ready.ana)
            raw_post(ready.maria)
        for _ in range(20):
            raw_post(ready.maria)
        settle()
        warm(ready.carla)
        assert_exact(ready.carla)
