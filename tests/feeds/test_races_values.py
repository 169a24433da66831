"""Races of stored values: follows, likes and cards change while they are read, rendered and stored.

A slow builder must not keep what PostgreSQL said before the change, and the very next read shows the change.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import cards, delivery, overlay
from feeds.lists import commands
from feeds.reading import read_feed
from posts.ids import draw_post_ids
from posts.models import Post
from posts.services import publish_post
from social.models import Account
from tests.conftest import forget_process_memory
from tests.factories import Cast, PostFactory
from tests.feeds.changes import CHANGES, Change, seen
from tests.feeds.helpers import Background, Gate, keys_now, raw_sql, warm
from tests.feeds.moments import a_second_passes, another_process, writers_without_redis

Settle = Callable[[], None]


@pytest.fixture
def post(ready: Cast) -> Post:
    return Post.objects.get()


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest, ready: Cast, post: Post, settle: Settle) -> Change:
    """A change to come; what has to be so before is so, delivered and forgotten."""
    change = CHANGES[request.param]
    change.prepare(ready, post)
    settle()
    warm(ready.carla)
    assert seen(ready.carla) != change.to
    return change


def test_a_value_that_changes_while_it_is_read_is_not_kept(
    ready: Cast,
    post: Post,
    feed_redis: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
    settle: Settle,
    change: Change,
) -> None:
    feed_redis.delete(change.value(keys_now(), ready, post))
    forget_process_memory()
    gate = Gate(monkeypatch, *change.built_by, after=True)
    slow = Background(lambda: seen(ready.carla))
    gate.wait_until_reached()
    change.make(ready, post)
    assert seen(ready.carla) == change.to
    gate.open()
    slow.result()
    assert seen(ready.carla) == change.to
    settle()
    assert seen(ready.carla) == change.to


def test_a_builder_whose_token_has_run_out_does_not_overwrite_the_next_ones_value(
    ready: Cast,
    post: Post,
    feed_redis: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
    settle: Settle,
    change: Change,
) -> None:
    feed_redis.delete(change.value(keys_now(), ready, post))
    forget_process_memory()
    monkeypatch.setattr(commands, "VALUE_PATIENCE_MS", 50)
    gate = Gate(monkeypatch, *change.built_by, after=True)
    slow = Background(lambda: seen(ready.carla))
    gate.wait_until_reached()
    time.sleep(0.06)
    monkeypatch.setattr(commands, "VALUE_PATIENCE_MS", 5_000)
    change.make(ready, post)
    settle()
    with another_process():
        warm(ready.carla)
    gate.open()
    slow.result()
    forget_process_memory()
    assert seen(ready.carla) == change.to


def test_a_key_of_another_type_is_not_taken_for_a_token(
    ready: Cast, post: Post, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    """Somebody overwrote the key while the value was built: it is built again, now or by the next reader."""
    name = change.value(keys_now(), ready, post)
    feed_redis.delete(name)
    forget_process_memory()
    gate = Gate(monkeypatch, *change.built_by, after=True)
    slow = Background(lambda: seen(ready.carla))
    gate.wait_until_reached()
    feed_redis.delete(name)
    feed_redis.rpush(name, "garbage")
    gate.open()
    slow.result()
    change.make(ready, post)
    for _ in range(2):
        forget_process_memory()
        assert seen(ready.carla) == change.to


def test_what_another_process_changed_is_seen_though_it_is_remembered(
    ready: Cast, post: Post, change: Change
) -> None:
    warm(ready.carla)
    with another_process():
        change.make(ready, post)
    assert seen(ready.carla) == change.to


def test_a_writer_whose_redis_step_failed_is_believed_when_it_answers(
    ready: Cast, post: Post, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    """It waits for as long as a mark is valid (in this test not a whole second): then no reader trusts an overlay
    without the change, nor what Redis still holds."""
    for module in (overlay, delivery):
        monkeypatch.setattr(module, "MARK_SECONDS", 0.3)
    a_second_passes(feed_redis)
    warm(ready.carla)
    with writers_without_redis(monkeypatch):
        change.make(ready, post)
    assert seen(ready.carla) == change.to
    with another_process():
        assert seen(ready.carla) == change.to


def test_a_process_that_died_after_its_commit_leaves_the_old_state_for_a_second_only(
    ready: Cast, post: Post, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("feeds.signals.deliver_now", lambda subjects: None)
        change.make(ready, post)
    a_second_passes(feed_redis)
    assert seen(ready.carla) == change.to


class TestGone:
    """An id without a post: it may be one that is about to commit."""

    def test_publishing_deletes_a_card_that_says_gone(self, ready: Cast, feed_redis: redis.Redis) -> None:
        """Somebody guessed the id ahead of time."""
        [post_id] = draw_post_ids(1)
        keys = keys_now()
        token, _ = commands.begin_values(keys, [keys.card(post_id)])
        commands.store_values(keys, token, {keys.card(post_id): (cards.GONE, 60)})
        Post.objects.create(pk=post_id, author=ready.ana, text="guessed")
        assert read_feed(ready.carla.pk).items[0].post_id == post_id

    def test_a_commit_between_the_rendering_and_the_storing(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """The reader found no post for an id that it had in a list; then that post is there. No other process may
        learn from Redis that it is gone."""
        [post_id] = draw_post_ids(1)
        feed_redis.zadd(keys_now().feed(ready.carla.pk), {str(post_id): post_id})
        gate = Gate(monkeypatch, cards, "render_posts", after=True)
        slow = Background(lambda: read_feed(ready.carla.pk))
        gate.wait_until_reached()
        Post.objects.create(pk=post_id, author=ready.ana, text="at last")
        gate.open()
        slow.result()
        with another_process():
            assert read_feed(ready.carla.pk).items[0].post_id == post_id
        settle()
        assert read_feed(ready.carla.pk).items[0].post_id == post_id

    def test_a_permalink_stores_nothing_for_an_id_without_a_post(
        self, ready: Cast, feed_redis: redis.Redis, browse: Callable[[Account], Any]
    ) -> None:
        [post_id] = draw_post_ids(1)
        assert browse(ready.carla).get(f"/menus/{post_id}").status_code == 404
        assert not feed_redis.exists(keys_now().card(post_id))


def test_a_dish_sells_out_while_the_card_is_rendered(
    ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    """By hand: the trigger and the overlay have to do it."""
    post = PostFactory(author=ready.ana)
    settle()
    feed_redis.delete(keys_now().card(post.pk))
    gate = Gate(monkeypatch, cards, "render_posts", after=True)
    slow = Background(lambda: seen(ready.carla))
    gate.wait_until_reached()
    raw_sql("UPDATE posts_dish SET sold_out = true WHERE post_id = %s", post.pk)
    gate.open()
    slow.result()
    a_second_passes(feed_redis)
    [first, *_] = read_feed(ready.carla.pk).items
    assert all(dish["sold_out"] for dish in first.post["dishes"])
    settle()
    [first, *_] = read_feed(ready.carla.pk).items
    assert all(dish["sold_out"] for dish in first.post["dishes"])


def test_every_publish_is_listed_before_its_commit_and_seen_after_it(ready: Cast) -> None:
    with another_process():
        post = publish_post(author=ready.ana, text="today")
    assert read_feed(ready.carla.pk).items[0].post_id == post.pk


def test_what_was_fetched_slowly_is_remembered_as_old(
    ready: Cast, post: Post, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its age counts from before the fetch: the overlay may forget a change two seconds after anybody asked."""
    settings.FEED_LOCAL_CACHE_SECONDS = 0.2
    forget_process_memory()
    gate = Gate(monkeypatch, commands, "get_values", after=True)
    slow = Background(lambda: seen(ready.carla))
    gate.wait_until_reached()
    time.sleep(0.25)
    gate.open()
    slow.result()
    assert cards.post_memory.get(post.pk) is None
