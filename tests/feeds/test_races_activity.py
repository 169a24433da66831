"""Races of activity: no stored feed outlives the committed visit plus the window.

So fan-out may skip whoever has been away for longer.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import OperationalError
from django.utils import timezone

from feeds import activity, builds, fanout, reader
from feeds.models import FeedSettings
from feeds.threshold import apply_inactive_after
from social.models import Account
from tests.factories import Cast
from tests.feeds.helpers import Background, Gate, assert_exact, in_threads, keys_now, raw_post, shown, warm
from tests.feeds.moments import deliver, stored_feed, the_overlay_forgets

Settle = Callable[[], None]

WINDOW = timedelta(days=14)


def seen_before(viewer: Account, ago: timedelta, client: redis.Redis) -> None:
    """The viewer's last visit is `ago`; the stored feed lives for as long as it then may."""
    last_seen = timezone.now() - ago
    Account.objects.filter(pk=viewer.pk).update(last_seen=last_seen)
    client.pexpireat(keys_now().feed(viewer.pk), int((last_seen + WINDOW).timestamp() * 1000))


def assert_no_longer_than_allowed(viewer: Account, client: redis.Redis) -> None:
    last_seen = Account.objects.get(pk=viewer.pk).last_seen
    assert last_seen is not None
    expires = client.pexpiretime(keys_now().feed(viewer.pk)) / 1000
    assert expires <= (last_seen + WINDOW).timestamp() + 0.002


class TestProlonging:
    def test_a_feed_lives_longer_only_after_the_visit_was_committed(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen_before(ready.carla, timedelta(days=2), feed_redis)
        gate = Gate(monkeypatch, activity, "mark_seen")
        visit = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        assert_no_longer_than_allowed(ready.carla, feed_redis)
        gate.open()
        visit.result()
        assert_no_longer_than_allowed(ready.carla, feed_redis)
        assert feed_redis.pttl(keys_now().feed(ready.carla.pk)) > timedelta(days=13).total_seconds() * 1000

    def test_a_visit_that_cannot_be_committed_prolongs_nothing(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(viewer_id: int) -> None:
            raise OperationalError("away")

        seen_before(ready.carla, timedelta(days=2), feed_redis)
        with monkeypatch.context() as patch:
            patch.setattr(activity, "mark_seen", away)
            assert shown(ready.carla)
        assert_no_longer_than_allowed(ready.carla, feed_redis)

    def test_a_feed_that_is_lost_meanwhile_is_not_brought_to_life(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """Only a list with its fence lives on: one under construction keeps the short life of its token."""
        seen_before(ready.carla, timedelta(days=2), feed_redis)
        gate = Gate(monkeypatch, activity, "mark_seen", after=True)
        visit = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        name = keys_now().feed(ready.carla.pk)
        feed_redis.delete(name)
        feed_redis.zadd(name, {"building:somebody:1": "+inf"})
        feed_redis.expire(name, 20)
        gate.open()
        visit.result()
        assert feed_redis.ttl(name) <= 20

    def test_a_build_counts_from_the_visit_that_it_read(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not from now: the visit may have been written down half a day ago, and it is that which fan-out asks."""
        seen_before(ready.carla, timedelta(hours=12), feed_redis)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        shown(ready.carla)
        assert stored_feed(ready.carla).usable
        assert_no_longer_than_allowed(ready.carla, feed_redis)


class TestReturning:
    def test_who_returns_while_a_fan_out_skips_her(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """The followers were read before her visit; her feed is built after the commit of the post."""
        Account.objects.filter(pk=ready.carla.pk).update(last_seen=timezone.now() - timedelta(days=30))
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        post_id = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout, "read_followers", after=True)
        job = Background(lambda: deliver(post_id))
        gate.wait_until_reached()
        warm(ready.carla)
        gate.open()
        assert job.result() == 0
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_who_is_written_down_before_the_build_reads_is_pushed_to(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """A post that commits after the build's reading must find her among the active followers."""
        Account.objects.filter(pk=ready.carla.pk).update(last_seen=None)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        visit = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        post_id = raw_post(ready.ana)
        assert deliver(post_id) == 1
        gate.open()
        visit.result()
        the_overlay_forgets(feed_redis)
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_visit_that_is_not_yet_written_down_stores_no_feed(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Else fan-out would skip a viewer whose feed is stored."""
        Account.objects.filter(pk=ready.carla.pk).update(last_seen=timezone.now() - timedelta(days=30))
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        with monkeypatch.context() as patch:
            patch.setattr(reader, "mark_seen", lambda viewer_id: None)
            assert shown(ready.carla)
        assert not stored_feed(ready.carla).usable


class TestShortening:
    """The window becomes shorter: feeds that the longer one kept must go before fan-out skips their viewers."""

    @pytest.fixture
    def a_day(self, settings: Any) -> None:
        settings.FEED_INACTIVE_AFTER = 86400

    def test_feeds_of_before_are_unreachable_before_anybody_is_skipped(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle, settings: Any
    ) -> None:
        apply_inactive_after()
        seen_before(ready.carla, timedelta(hours=20), feed_redis)
        settings.FEED_INACTIVE_AFTER = 86400 // 2
        apply_inactive_after()
        post_id = raw_post(ready.ana)
        assert deliver(post_id) == 0
        settle()
        assert not stored_feed(ready.carla).usable
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_build_that_read_the_longer_one_stores_nothing_that_is_read(
        self,
        ready: Cast,
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settle: Settle,
        a_day: None,
    ) -> None:
        seen_before(ready.carla, timedelta(hours=11), feed_redis)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        visit = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        apply_inactive_after()
        gate.open()
        visit.result()
        assert not stored_feed(ready.carla).usable

    def test_a_fan_out_that_began_before_pushes_into_the_past_and_harms_nothing(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle, a_day: None
    ) -> None:
        post_id = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout, "read_followers", after=True)
        job = Background(lambda: deliver(post_id))
        gate.wait_until_reached()
        apply_inactive_after()
        warm(ready.carla)
        gate.open()
        job.result()
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_two_processes_that_apply_it_at_once_raise_the_epoch_once(self, ready: Cast, a_day: None) -> None:
        before = FeedSettings.objects.get().epoch
        in_threads([apply_inactive_after] * 4)
        assert FeedSettings.objects.get().epoch == before + 1
