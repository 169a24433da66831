"""Races of the threshold: authors cross while posts are written, fanned out, read and built."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection, transaction

from feeds import builds, fanout, pulled, threshold
from feeds.models import PulledAuthor
from feeds.threshold import close_interval, open_interval, reconcile
from posts.services import publish_post
from social.models import Account
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    in_threads,
    keys_now,
    raw_post,
    raw_sql,
    shown,
    warm,
)
from tests.feeds.moments import another_process, deliver, pull, stored_feed, the_overlay_forgets

Settle = Callable[[], None]


class TestDeciding:
    def test_an_interval_does_not_close_while_a_fan_out_decides(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """Else the fan-out, seeing her still pulled, would not push a post that readers no longer merge."""
        pull(ready.ana)
        post_id = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout.threshold, "intervals_for_fan_out", after=True)
        job = Background(lambda: deliver(post_id))
        gate.wait_until_reached()
        closing = Background(lambda: close_interval(ready.ana.pk))
        closing._thread.join(0.3)
        assert closing.running
        gate.open()
        assert job.result() == 0
        assert closing.result()
        assert PulledAuthor.objects.get(author=ready.ana).until_id > post_id  # type: ignore[operator]
        settle()
        assert_exact(ready.carla)

    def test_a_fan_out_that_decides_while_the_close_is_waiting(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """The bound must be drawn after the wait, by a statement of its own."""
        pull(ready.ana)
        first = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout.threshold, "intervals_for_fan_out", after=True)
        job = Background(lambda: deliver(first))
        gate.wait_until_reached()
        closing = Background(lambda: close_interval(ready.ana.pk))
        closing._thread.join(0.2)
        second = raw_post(ready.ana)
        another = Background(lambda: deliver(second, "another job"))
        another._thread.join(0.2)
        gate.open()
        for call in (job, another, closing):
            call.result()
        settle()
        assert shown(ready.carla)[:2] == [second, first]
        assert_exact(ready.carla)

    def test_a_post_that_is_not_yet_committed_when_the_interval_closes(
        self, ready: Cast, settle: Settle
    ) -> None:
        pull(ready.ana)
        with transaction.atomic():
            post_id = raw_post(ready.ana)
            in_threads([lambda: close_interval(ready.ana.pk)])
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_post_that_is_not_yet_committed_when_it_opens(self, ready: Cast, settle: Settle) -> None:
        with transaction.atomic():
            post_id = raw_post(ready.ana)
            in_threads([lambda: open_interval(ready.ana.pk)])
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_feed_that_is_built_while_the_interval_closes(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        pull(ready.ana)
        inside = raw_post(ready.ana)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        pulled.pulled_set.forget()
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        close_interval(ready.ana.pk)
        after = raw_post(ready.ana)
        deliver(after)
        gate.open()
        reader.result()
        settle()
        assert shown(ready.carla)[:2] == [after, inside]
        assert_exact(ready.carla)

    def test_two_crossings_at_once_are_one(self, ready: Cast) -> None:
        assert sorted(in_threads([lambda: open_interval(ready.ana.pk)] * 4)) == [False, False, False, True]
        assert sorted(in_threads([lambda: close_interval(ready.ana.pk)] * 4)) == [False, False, False, True]

    def test_an_interval_does_not_open_again_while_a_fan_out_decides(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        pull(ready.ana)
        close_interval(ready.ana.pk)
        post_id = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout.threshold, "intervals_for_fan_out", after=True)
        job = Background(lambda: deliver(post_id))
        gate.wait_until_reached()
        opening = Background(lambda: open_interval(ready.ana.pk))
        opening._thread.join(0.2)
        assert opening.running
        gate.open()
        assert job.result() == 1
        assert opening.result()
        settle()
        assert_exact(ready.carla)


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


class TestShortCrossings:
    def test_a_crossing_that_waits_too_long_gives_up_and_is_tried_again(
        self, ready: Cast, settle: Settle
    ) -> None:
        """Settling relies on no crossing taking longer."""
        pull(ready.ana)
        Account.objects.filter(pk=ready.ana.pk).update(follower_count=0)
        with transaction.atomic(), connection.cursor() as cursor:
            threshold.intervals_for_fan_out(cursor, [ready.ana.pk])
            begun = time.monotonic()
            with pytest.raises(OperationalError):
                in_threads([lambda: close_interval(ready.ana.pk)])
            assert time.monotonic() - begun < threshold.CROSSING_SECONDS + 1
            assert in_threads([reconcile]) == [(0, 0)]
        assert PulledAuthor.objects.get(author=ready.ana).until_id is None
        assert reconcile()[1] == 1

    def test_two_reconciles_at_once_cross_each_author_once(self, ready: Cast) -> None:
        raw_sql("UPDATE social_account SET follower_count = 9 WHERE is_cook")
        PulledAuthor.objects.all().delete()
        assert sum(opened for opened, _ in in_threads([reconcile] * 4)) == 2
