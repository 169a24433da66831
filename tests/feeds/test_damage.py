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
    [(name, kind) for name in LISTS for kind in KINDS] + [(name, kind) for name in VALUES for kind in KINDS],
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


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize("cut", [0, 1, 9, 30])
def test_a_value_that_was_cut_short_is_built_anew(
    cast: Cast, settle: Callable[[], None], feed_redis: redis.Redis, cut: int
) -> None:
    PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    for key in feed_redis.keys("cy:*"):
        if key.split(b":")[-2] in (b"follows", b"account", b"post"):
            feed_redis.set(key, feed_redis.get(key)[:cut], ex=60)
    forget_process_memory()
    assert_exact(cast.carla, limits=[20])
    assert read_feed(cast.carla.pk).queries == 0


def test_members_that_are_none_of_ours_are_passed_over(
    cast: Cast, settle: Callable[[], None], feed_redis: redis.Redis
) -> None:
    PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    keys = keys_now()
    garbage = [
        b"x",
        b"post:",
        b"post:1",
        b"post:a:b",
        b"viewer:-1",
        b"changed:1e5",
        b"\xff\xfe",
        b"post:1:2:3",
    ]
    for member in garbage:
        feed_redis.zadd(keys.overlay, {member: 2.0**52})
        feed_redis.zadd(keys.feed(cast.carla.pk), {member: 2.0**52})
        feed_redis.zadd(keys.timeline(cast.maria.pk), {member: 2.0**52})
    feed_redis.zadd(keys.overlay, {"mark:broken": float("inf")})
    feed_redis.zadd(keys.timeline(cast.carla.pk), {"floor": float("inf")})
    forget_process_memory()
    assert_exact(cast.carla, limits=[1, 20])
