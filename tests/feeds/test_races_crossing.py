"""Races of the threshold: authors cross while posts are written, fanned out, read and built."""

import time
from collections.abc import Callable

import pytest
import redis
from django.db import OperationalError, connection, transaction

from feeds import builds, fanout, pulled, threshold
from feeds.models import PulledAuthor
from feeds.threshold import close_interval, open_interval, reconcile
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
)
from tests.feeds.moments import deliver, pull

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
