"""Races of the epoch and of the server behind the keys: both may change in the middle of everything."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.db import transaction

from courtyard.embedded import start_redis
from courtyard.embedded.redis_server import RedisServer
from feeds import builds, delivery, fanout, lists, overlay
from feeds.epoch import raise_epoch
from feeds.lists import ListsUnavailable, commands
from feeds.reading import read_feed
from posts.models import Post
from posts.services import edit_post, publish_post
from social.services import follow_account
from tests.factories import Cast
from tests.feeds.helpers import Background, Gate, assert_exact, keys_now, past_posts, shown, warm
from tests.feeds.moments import (
    a_second_passes,
    after_round_trip,
    another_process,
    deliver,
    stored_feed,
)

Settle = Callable[[], None]


def new_epoch() -> None:
    with transaction.atomic():
        raise_epoch()


def bulk_load(cast: Cast) -> list[int]:
    """Menus of the past, which nobody announces: the epoch is raised instead."""
    loaded = past_posts([cast.ana.pk] * 3)
    new_epoch()
    return loaded


class TestRaised:
    def test_while_a_feed_is_built(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        bulk_load(ready)
        gate.open()
        reader.result()
        a_second_passes(feed_redis)
        assert_exact(ready.carla)

    def test_while_the_overlay_is_built(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The builder read the old epoch. A writer of the new one takes its token away: the mark would send readers
        to the old keys, where the card of before the edit is."""
        a_second_passes(feed_redis)
        gate = Gate(monkeypatch, overlay, "read_outbox", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        new_epoch()
        edit_post(actor=ready.ana, post_id=Post.objects.get().pk, text="new")
        gate.open()
        reader.result()
        with another_process():
            assert read_feed(ready.carla.pk).items[0].post["text"] == "new"

    @pytest.mark.parametrize("step", range(4))
    def test_after_any_round_trip_of_a_read(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, step: int
    ) -> None:
        a_second_passes(feed_redis)
        with after_round_trip(monkeypatch, step, lambda: bulk_load(ready)):
            shown(ready.carla)
        a_second_passes(feed_redis)
        assert_exact(ready.carla)

    def test_between_a_fan_outs_claim_and_its_pushes(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """It pushes into lists that nobody reads any more; those of the new epoch are built after its commit."""
        post = publish_post(author=ready.ana, text="today")
        gate = Gate(monkeypatch, fanout, "keys_at", after=True)
        job = Background(lambda: deliver(post.pk))
        gate.wait_until_reached()
        new_epoch()
        warm(ready.carla)
        gate.open()
        job.result()
        settle()
        assert shown(ready.carla)[0] == post.pk
        assert_exact(ready.carla)

    def test_between_a_writers_commit_and_its_redis_step(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """It deletes the feed of the old epoch; that of the new one may have been built before the follow only if it
        was begun before the epoch was known, and then it is listed."""
        gate = Gate(monkeypatch, delivery, "apply")
        writer = Background(lambda: follow_account(follower=ready.sam, followee_id=ready.ana.pk))
        gate.wait_until_reached()
        new_epoch()
        warm(ready.sam)
        gate.open()
        writer.result()
        for _ in range(2):
            assert_exact(ready.sam)
            settle()

    def test_a_process_learns_of_it_within_a_second(self, ready: Cast, feed_redis: redis.Redis) -> None:
        shown(ready.carla)
        with another_process():
            bulk_load(ready)
        a_second_passes(feed_redis)
        assert_exact(ready.carla)


@pytest.fixture
def server(ready: Cast, tmp_path: Path) -> Iterator[RedisServer]:
    """A feed Redis that can be restarted, with warm feeds."""
    with start_redis(tmp_path, "feed") as server:
        lists.use_server(server.url)
        try:
            warm(ready.carla)
            yield server
        finally:
            lists.use_server(django_settings.FEED_REDIS_URL)


def restart(server: RedisServer) -> None:
    """Another run id, and every key of the old run restored, as from a backup."""
    with redis.Redis.from_url(server.url) as client:
        saved = {key: client.dump(key) for key in client.scan_iter("*")}
    server.stop()
    server.start()
    with redis.Redis.from_url(server.url) as client:
        for key, value in saved.items():
            client.restore(key, 60_000, value)


class TestAnotherServer:
    def test_what_a_restored_one_brings_back_is_not_read(self, ready: Cast, server: RedisServer) -> None:
        restart(server)
        post = Post.objects.get()
        Post.objects.filter(pk=post.pk).update(text="new")
        for _ in range(3):
            assert read_feed(ready.carla.pk).items[0].post["text"] == "new"

    @pytest.mark.parametrize("step", range(3))
    def test_it_changes_after_any_round_trip_of_a_read(
        self, ready: Cast, server: RedisServer, monkeypatch: pytest.MonkeyPatch, step: int
    ) -> None:
        post = publish_post(author=ready.ana, text="today")
        with another_process(), after_round_trip(monkeypatch, step, lambda: restart(server)):
            assert_exact(ready.carla, limits=[1])
        assert shown(ready.carla)[0] == post.pk
        assert_exact(ready.carla)

    def test_it_changes_between_a_writers_commit_and_its_redis_step(
        self, ready: Cast, server: RedisServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The step goes to a server that has other keys: it counts as failed, and the writer waits."""
        gate = Gate(monkeypatch, delivery, "apply")
        writer = Background(lambda: edit_post(actor=ready.ana, post_id=Post.objects.get().pk, text="new"))
        gate.wait_until_reached()
        restart(server)
        warm(ready.carla)
        gate.open()
        writer.result()
        assert read_feed(ready.carla.pk).items[0].post["text"] == "new"
        with another_process():
            assert read_feed(ready.carla.pk).items[0].post["text"] == "new"

    def test_it_changes_while_a_feed_is_built(
        self, ready: Cast, server: RedisServer, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        keys = keys_now()
        lists.execute_one(keys, commands.delete_command(keys.feed(ready.carla.pk)))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        restart(server)
        gate.open()
        reader.result()
        try:
            assert not stored_feed(ready.carla).usable
        except ListsUnavailable:  # this process had a connection to the old one
            assert not stored_feed(ready.carla).usable
        assert_exact(ready.carla)
