"""Races of the fence: pushes, trims and deletions must not make a list say more than it holds."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import fanout
from feeds.lists import commands, execute_one
from feeds.models import Outbox
from posts.models import Post
from tests.conftest import forget_process_memory
from tests.factories import Cast
from tests.feeds.helpers import assert_exact, keys_now, past_posts, raw_post, shown, walk, warm
from tests.feeds.moments import after_round_trip, deliver, pull, stored_feed

Settle = Callable[[], None]


@pytest.fixture
def long_feed(ready: Cast, settings: Any, settle: Settle, monkeypatch: pytest.MonkeyPatch) -> list[int]:
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
    ready: Cast, long_feed: list[int], settle: Settle
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
    ready: Cast, long_feed: list[int], monkeypatch: pytest.MonkeyPatch, settle: Settle
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
    past_posts([ready.ana.pk] * 4)  # of minutes ago: what is younger, readers list
    keys = keys_now()
    feed_redis.delete(keys.feed(ready.carla.pk), keys.timeline(ready.ana.pk))
    settle()
    warm(ready.carla)
    forget_process_memory()
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
