"""Races of builds: lists are put together while follows, pushes, trims, deletions and other builders fall in.

Each is held at its narrowest point, by threads with connections of their own.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import activity, builds, fanout
from feeds.lists import commands
from feeds.reading import SignedOut, read_feed
from posts.models import Post
from posts.services import publish_post
from social.models import Account
from social.services import follow_account
from tests.conftest import forget_process_memory
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    in_threads,
    keys_now,
    raw_post,
    shown,
    walk,
    warm,
)
from tests.feeds.moments import another_process, deliver, stored_feed

Settle = Callable[[], None]


class Building:
    """carla's feed is being built: what the builder has read from PostgreSQL is not yet stored."""

    def __init__(self, viewer: Account, client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        client.delete(keys_now().feed(viewer.pk))
        self.gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        self.reader = Background(lambda: shown(viewer))
        self.gate.wait_until_reached()

    def end(self) -> list[int]:
        """What the builder answers."""
        self.gate.open()
        return self.reader.result()


@pytest.fixture
def building(ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Building:
    return Building(ready.carla, feed_redis, monkeypatch)


class TestOvertaken:
    def test_by_a_follow(self, ready: Cast, building: Building, settle: Settle) -> None:
        """The follow deletes the feed; the token goes along."""
        before = raw_post(ready.stef)
        follow_account(follower=ready.carla, followee_id=ready.stef.pk)
        building.end()
        assert not stored_feed(ready.carla).usable
        settle()
        assert before in shown(ready.carla)
        assert_exact(ready.carla)

    def test_by_a_publish_and_its_fan_out(self, ready: Cast, building: Building, settle: Settle) -> None:
        """A list under construction takes what is pushed."""
        post = publish_post(author=ready.ana, text="just now")
        assert deliver(post.pk) == 1
        building.end()
        settle()
        assert shown(ready.carla)[0] == post.pk
        assert_exact(ready.carla)

    def test_by_more_pushes_than_a_list_holds(
        self, ready: Cast, building: Building, settle: Settle, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was trimmed away lies above the fence that the builder would put: it must not put one."""
        settings.FEED_LENGTH = 10
        monkeypatch.setattr(fanout, "TRIM_SHARE", 1)
        for _ in range(30):
            deliver(raw_post(ready.ana))
        building.end()
        settle()
        assert_exact(ready.carla)

    def test_by_the_loss_of_everything(
        self, ready: Cast, building: Building, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        post = publish_post(author=ready.ana, text="just now")
        feed_redis.flushall()
        building.end()
        assert not stored_feed(ready.carla).usable
        assert shown(ready.carla)[0] == post.pk
        settle()
        assert_exact(ready.carla)

    def test_by_somebody_who_puts_another_type_into_its_key(
        self, ready: Cast, building: Building, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        """The builder stores nothing into it, and the next reader begins anew."""
        name = keys_now().feed(ready.carla.pk)
        feed_redis.delete(name)
        feed_redis.rpush(name, "garbage")
        building.end()
        assert feed_redis.type(name) == b"list"
        for _ in range(2):
            assert_exact(ready.carla)
        assert stored_feed(ready.carla).usable

    def test_the_builder_still_answers_from_what_it_read(self, ready: Cast, building: Building) -> None:
        follow_account(follower=ready.carla, followee_id=ready.stef.pk)
        assert building.end() == [Post.objects.get().pk]

    def test_by_a_publish_of_the_viewers_own(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        feed_redis.delete(keys_now().timeline(ready.ana.pk))
        gate = Gate(monkeypatch, builds, "author_post_ids", after=True)
        reader = Background(lambda: shown(ready.ana))
        gate.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        gate.open()
        reader.result()
        settle()
        assert shown(ready.ana)[0] == post.pk
        assert_exact(ready.ana)

    def test_by_the_erasing_of_the_account(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        feed_redis.delete(keys_now().feed(ready.sam.pk))
        gate = Gate(monkeypatch, activity.timezone, "now")
        reader = Background(lambda: read_feed(ready.sam.pk))
        gate.wait_until_reached()
        Account.objects.get(pk=ready.sam.pk).delete()
        gate.open()
        assert reader.result().items == []
        with pytest.raises(SignedOut):
            read_feed(ready.sam.pk)


class TestBuilders:
    def test_a_second_process_reads_postgresql_and_stores_nothing(
        self, ready: Cast, building: Building, settings: Any, settle: Settle
    ) -> None:
        settings.FEED_BUILD_WAIT_SECONDS = 0
        with another_process():
            assert shown(ready.carla) == [Post.objects.get().pk]
            assert not stored_feed(ready.carla).usable
        building.end()
        assert stored_feed(ready.carla).usable
        assert_exact(ready.carla)

    def test_a_dead_one_holds_nobody_up_though_pushes_keep_its_list(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        keys = keys_now()
        feed_redis.delete(keys.feed(ready.carla.pk))
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 300)
        assert commands.begin_list(keys, keys.feed(ready.carla.pk))  # and is never heard of again
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 10_000)
        deliver(raw_post(ready.ana))
        time.sleep(0.31)
        warm(ready.carla)
        assert stored_feed(ready.carla).usable
        settle()
        assert_exact(ready.carla)

    def test_one_that_wakes_up_after_another_stores_nothing(
        self,
        ready: Cast,
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settings: Any,
        settle: Settle,
    ) -> None:
        """It would put its fence below ids that neither it nor the other has stored."""
        settings.FEED_LENGTH = 10
        with monkeypatch.context() as patch:
            patch.setattr(commands, "LIST_PATIENCE_MS", 50)
            asleep = Building(ready.carla, feed_redis, patch)
            time.sleep(0.06)
            patch.setattr(commands, "LIST_PATIENCE_MS", 10_000)
            settings.FEED_BUILD_WAIT_SECONDS = 0
            with another_process():
                for _ in range(30):
                    raw_post(ready.ana)
                settle()
                builds.build_feed(keys_now(), ready.carla.pk, store=True)
            asleep.end()
        assert stored_feed(ready.carla).floor not in (0, None)
        forget_process_memory()
        assert_exact(ready.carla)

    def test_many_readers_of_one_cold_feed_all_read_the_same(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        feed_redis.flushall()
        forget_process_memory()
        answers = in_threads([lambda: walk(ready.carla, limit=1)] * 8)
        assert answers == [[Post.objects.get().pk]] * 8
