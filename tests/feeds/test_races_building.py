"""Races of builds: lists are put together while follows, pushes, trims, deletions and other builders fall in.

Each is held at its narrowest point, by threads with connections of their own.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import activity, builds, fanout
from feeds.lists import commands, execute_one
from feeds.models import Outbox
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
from tests.feeds.moments import after_round_trip, another_process, deliver, pull, stored_feed

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
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 50)
        assert commands.begin_list(keys, keys.feed(ready.carla.pk))  # and is never heard of again
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 10_000)
        deliver(raw_post(ready.ana))
        time.sleep(0.06)
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
            monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 10_000)
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


class TestFence:
    @pytest.fixture
    def long_feed(
        self, ready: Cast, settings: Any, settle: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> list[int]:
        """ana has written three times as much as a list holds; carla's feed is stored. The ids, oldest first."""
        settings.FEED_LENGTH = 10
        monkeypatch.setattr(fanout, "TRIM_SHARE", 0)
        posts = [*Post.objects.values_list("pk", flat=True), *(raw_post(ready.ana) for _ in range(30))]
        settle()
        keys = keys_now()
        execute_one(keys, commands.delete_command(keys.feed(ready.carla.pk)))
        warm(ready.carla)
        assert stored_feed(ready.carla).floor == posts[-10] - 1
        return posts

    def test_a_late_push_of_an_old_post_does_not_fake_completeness(
        self, ready: Cast, long_feed: list[int], settle: Settle
    ) -> None:
        """A fan-out that is done again, weeks later, of a post far below the floor."""
        Outbox.objects.filter(kind="published", subject_id=long_feed[0]).delete()
        Outbox.objects.create(kind="published", subject_id=long_feed[0], author_id=ready.ana.pk)
        assert deliver(long_feed[0]) == 1
        settle()
        assert stored_feed(ready.carla).ids[-1] == long_feed[0]
        assert walk(ready.carla) == long_feed[::-1]
        assert_exact(ready.carla)

    def test_a_trim_moves_it_along(
        self, ready: Cast, long_feed: list[int], monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        monkeypatch.setattr(fanout, "TRIM_SHARE", 1)
        for _ in range(15):
            deliver(raw_post(ready.ana))
        settle()
        stored = stored_feed(ready.carla)
        assert stored.floor == stored.ids[-1] - 1
        assert_exact(ready.carla)

    @pytest.mark.parametrize("source", ["feed", "timeline"])
    @pytest.mark.parametrize("step", range(5))
    def test_a_deletion_and_a_push_between_any_two_commands_of_a_read(
        self,
        ready: Cast,
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settle: Settle,
        source: str,
        step: int,
    ) -> None:
        """A list that was complete is now one under construction with a single new id: an older fence must not
        vouch for it."""
        if source == "timeline":
            pull(ready.ana)
        for _ in range(3):
            raw_post(ready.ana)
        settle()
        warm(ready.carla)
        forget_process_memory()
        keys = keys_now()
        name = keys.timeline(ready.ana.pk) if source == "timeline" else keys.feed(ready.carla.pk)

        def delete_and_push() -> None:
            feed_redis.delete(name)
            feed_redis.zadd(name, {"building:somebody:9999999999999": "+inf"})
            post = Post(author=ready.ana, text="meanwhile")
            post.save()
            feed_redis.zadd(name, {str(post.pk): post.pk})

        old = list(Post.objects.order_by("-pk").values_list("pk", flat=True))
        with after_round_trip(monkeypatch, step, delete_and_push):
            first = shown(ready.carla)
        assert [post_id for post_id in first if post_id in old] == old
        feed_redis.delete(name)
        assert_exact(ready.carla)
