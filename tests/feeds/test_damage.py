"""A key of another type, or a list of nonsense, costs time, never a post and never an error."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds.reading import read_feed
from posts.services import publish_post
from tests.conftest import forget_process_memory
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import assert_exact, keys_now, warm

KINDS: dict[str, Callable[[redis.Redis, bytes], Any]] = {
    "string": lambda client, key: client.set(key, "garbage", ex=60),
    "list": lambda client, key: client.rpush(key, "garbage"),
    "hash": lambda client, key: client.hset(key, "a", "b"),
    "sorted set": lambda client, key: client.zadd(key, {"garbage": 1}),
}
LISTS, VALUES = ["overlay", "feed", "timeline"], ["follows", "account", "post"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in LISTS for kind in KINDS]
    + [(name, kind) for name in VALUES for kind in KINDS if kind != "string"],
)
def test_a_key_that_was_overwritten_is_met(
    cast: Cast, settle: Callable[[], None], feed_redis: redis.Redis, name: str, kind: str
) -> None:
    for author in (cast.ana, cast.maria, cast.ana):
        PostFactory(author=author, dishes=[])
    settle()
    for viewer in (cast.carla, cast.ana):
        warm(viewer)
    keys = [key for key in feed_redis.keys("cy:*") if name.encode() in key.split(b":")]
    assert keys
    for key in keys:
        feed_redis.delete(key)
        KINDS[kind](feed_redis, key)
    forget_process_memory()
    for viewer in (cast.carla, cast.ana, cast.maria):
        assert_exact(viewer, limits=[2, 20])
    post = publish_post(author=cast.ana, text="today")
    assert read_feed(cast.carla.pk).items[0].post_id == post.pk


@pytest.mark.parametrize("kind", ["list", "hash", "sorted set"])
def test_it_mends_itself(cast: Cast, settle: Callable[[], None], feed_redis: redis.Redis, kind: str) -> None:
    PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    keys = keys_now()
    for key in (
        keys.overlay,
        keys.feed(cast.carla.pk),
        keys.timeline(cast.carla.pk),
        keys.follows(cast.carla.pk),
    ):
        feed_redis.delete(key)
        KINDS[kind](feed_redis, key.encode())
    warm(cast.carla)
    assert read_feed(cast.carla.pk).queries == 0
