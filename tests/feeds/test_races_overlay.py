"""Races of the overlay: its mark, its builders, and the order in which it and the lists are read."""

import time
from collections.abc import Callable

import pytest
import redis

from feeds import delivery, opening, overlay
from feeds.lists import commands
from feeds.reading import read_feed
from posts.models import Post
from posts.services import edit_post, publish_post
from tests.factories import Cast
from tests.feeds.helpers import Background, Gate, assert_exact, in_threads, keys_now, raw_post, raw_sql, shown
from tests.feeds.moments import (
    a_second_passes,
    another_process,
    deliver,
    listed,
    the_overlay_forgets,
    writers_without_redis,
)

Settle = Callable[[], None]


@pytest.fixture
def slow_mark(ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """The mark has lapsed. Whoever builds the next one has just read the outbox when the gate is reached."""
    a_second_passes(feed_redis)
    return Gate(monkeypatch, overlay, "read_outbox", after=True)


class TestBuilding:
    def test_a_commit_between_its_reading_and_its_storing_is_listed(
        self, ready: Cast, slow_mark: Gate
    ) -> None:
        reader = Background(lambda: shown(ready.carla))
        slow_mark.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        slow_mark.open()
        reader.result()
        assert shown(ready.carla)[0] == post.pk

    def test_a_loss_between_its_reading_and_its_storing_leaves_no_mark(
        self, ready: Cast, slow_mark: Gate, feed_redis: redis.Redis
    ) -> None:
        """The post was listed after the outbox was read, and then the overlay was evicted: a mark would vouch for one
        without it."""
        reader = Background(lambda: shown(ready.carla))
        slow_mark.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        feed_redis.delete(keys_now().overlay)
        slow_mark.open()
        reader.result()
        with another_process():
            assert shown(ready.carla)[0] == post.pk

    def test_a_slow_builders_mark_has_lapsed_when_it_is_put(self, ready: Cast, slow_mark: Gate) -> None:
        """What was committed past the services after the outbox was read is seen a second later, not two."""
        reader = Background(lambda: shown(ready.carla))
        slow_mark.wait_until_reached()
        post_id = raw_post(ready.ana)
        time.sleep(1.02)
        slow_mark.open()
        reader.result()
        assert shown(ready.carla)[0] == post_id

    def test_of_two_builders_the_second_asks_the_outbox_itself(self, ready: Cast, slow_mark: Gate) -> None:
        slow = Background(lambda: shown(ready.carla))
        slow_mark.wait_until_reached()
        post_id = raw_post(ready.ana)
        with another_process():
            assert shown(ready.carla)[0] == post_id
        slow_mark.open()
        slow.result()

    def test_a_dead_builder_holds_nobody_up(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        a_second_passes(feed_redis)
        monkeypatch.setattr(commands, "VALUE_PATIENCE_MS", 30)
        assert commands.begin_overlay(keys_now())
        time.sleep(0.04)
        shown(ready.carla)
        [mark] = feed_redis.zrangebyscore(keys_now().overlay, "+inf", "+inf")
        assert mark.startswith(b"mark:")

    def test_many_who_find_it_lapsed_at_once_all_see_everything(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        post_id = raw_post(ready.ana)
        a_second_passes(feed_redis)
        assert in_threads([lambda: shown(ready.carla)[0]] * 8) == [post_id] * 8


class TestOrder:
    def test_the_lists_are_read_after_the_overlay(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A post that has left the overlay for the lists is in neither for a reader who looked at the lists first.

        The reader, who found the mark lapsed, holds lists without the post; then the post is pushed, its fan-out
        done for more than five seconds, and only then the overlay is built.
        """
        post_id = raw_post(ready.ana)
        a_second_passes(feed_redis)
        gate = Gate(monkeypatch, opening.overlays, "build_overlay")
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        deliver(post_id)
        the_overlay_forgets(feed_redis)
        gate.open()
        assert reader.result()[0] == post_id

    def test_a_post_that_leaves_while_its_reader_hydrates(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post = publish_post(author=ready.ana, text="today")
        gate = Gate(monkeypatch, commands, "get_values")
        with another_process():
            reader = Background(lambda: shown(ready.carla))
            gate.wait_until_reached()
            deliver(post.pk)
            the_overlay_forgets(feed_redis)
            gate.open()
            assert reader.result()[0] == post.pk


class TestWriters:
    def test_one_whose_redis_step_failed_waits_until_no_reader_trusts_the_old_mark(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The mark was put a moment before the commit: it is the longest that anybody can trust."""
        a_second_passes(feed_redis)
        gate = Gate(monkeypatch, delivery.time, "sleep")
        shown(ready.carla)
        with writers_without_redis(monkeypatch):
            writer = Background(lambda: publish_post(author=ready.ana, text="today").pk)
            gate.wait_until_reached()
            assert f"post:{Post.objects.latest('pk').pk}:{ready.ana.pk}" not in listed(feed_redis)
            gate.open()
            post_id = writer.result()
        assert shown(ready.carla)[0] == post_id
        with another_process():
            assert shown(ready.carla)[0] == post_id

    def test_a_mark_that_is_built_during_the_wait_lists_the_change(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate(monkeypatch, delivery.time, "sleep")
        with writers_without_redis(monkeypatch):
            writer = Background(lambda: edit_post(actor=ready.ana, post_id=Post.objects.get().pk, text="new"))
            gate.wait_until_reached()
            a_second_passes(feed_redis)
            assert read_feed(ready.carla.pk).items[0].post["text"] == "new"
            gate.open()
            writer.result()

    def test_entries_of_many_writers_at_once_are_all_fetched(self, ready: Cast) -> None:
        """Positions rise: a process that has fetched up to one misses none that comes after."""
        shown(ready.carla)
        posts = in_threads([lambda: publish_post(author=ready.ana, text="today").pk] * 10)
        assert set(posts) <= set(shown(ready.carla))
        assert_exact(ready.carla)

    def test_also_when_the_servers_clock_steps_back(self, ready: Cast, feed_redis: redis.Redis) -> None:
        """Processes fetch only what lies above their position: as if somebody had been listed an hour from now."""
        in_an_hour = int((time.time() + 3600) * 1e6)
        feed_redis.zadd(keys_now().overlay, {"account:1": in_an_hour})
        shown(ready.carla)
        assert overlay.own_copy().position == in_an_hour
        post = publish_post(author=ready.ana, text="today")
        assert shown(ready.carla)[0] == post.pk

    def test_a_new_overlay_is_fetched_whole_though_its_positions_are_lower(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        """The position that a process remembers is of the overlay before: here of a server whose clock was ahead."""
        in_an_hour = int((time.time() + 3600) * 1e6)
        feed_redis.zadd(keys_now().overlay, {"account:1": in_an_hour})
        shown(ready.carla)
        feed_redis.delete(keys_now().overlay)
        with another_process():
            shown(ready.carla)
            post = publish_post(author=ready.ana, text="today")
        assert overlay.own_copy().position == in_an_hour
        assert shown(ready.carla)[0] == post.pk


class TestLeaving:
    def test_what_is_not_delivered_stays_however_old_it_is(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        post = publish_post(author=ready.ana, text="no worker comes")
        key = keys_now().overlay
        for member, score in feed_redis.zrangebyscore(key, "-inf", "(+inf", withscores=True):
            feed_redis.zadd(key, {member: score - 3600e6})
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 hour'")
        a_second_passes(feed_redis)
        with another_process():
            assert shown(ready.carla)[0] == post.pk
        assert f"post:{post.pk}:{ready.ana.pk}" in listed(feed_redis)

    def test_a_change_is_listed_longer_than_process_memory_may_be_old(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        """A process that remembers the card from just before the edit must hear of it until it has forgotten; also
        from an overlay that was evicted and built anew."""
        post = Post.objects.get()
        shown(ready.carla)
        with another_process():
            edit_post(actor=ready.ana, post_id=post.pk, text="new")
        raw_sql("UPDATE feeds_outbox SET done_at = done_at - interval '2 seconds'")
        feed_redis.delete(keys_now().overlay)
        overlay.forget_copy()
        assert read_feed(ready.carla.pk).items[0].post["text"] == "new"
