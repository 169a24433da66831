"""Races of reads: waiting readers, too many readers, and what goes while the end is decided."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from feeds import access, builds, reading
from feeds.lists import commands
from feeds.reading import read_feed
from feeds.reference import reference_feed_ids
from posts.models import Post
from posts.services import delete_post, hide_post, publish_post, restore_post
from social.services import follow_account
from tests.conftest import forget_process_memory
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    ids_of,
    in_threads,
    keys_now,
    past_posts,
    raw_post,
    shown,
    warm,
)
from tests.feeds.moments import deliver, the_overlay_forgets, walk_on

Settle = Callable[[], None]


class TestWaiting:
    """Readers of one viewer who find no list wait for the one who builds it."""

    @pytest.fixture
    def builder(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Gate]:
        """Somebody has read carla's feed from PostgreSQL and has not yet stored it."""
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        yield gate
        gate.open()
        reader.result()

    def test_one_who_begins_after_a_change_was_acknowledged_has_it(
        self, ready: Cast, builder: Gate, feed_redis: redis.Redis
    ) -> None:
        """The builder read before the post; when the waiting reader begins, the overlay has forgotten it again. What
        the builder read must not answer for it: the stored list does, which took the push."""
        post_id = raw_post(ready.ana)
        deliver(post_id)
        the_overlay_forgets(feed_redis)
        waiting = Background(lambda: shown(ready.carla))
        waiting._thread.join(0.2)
        assert waiting.running
        builder.open()
        assert waiting.result()[0] == post_id

    def test_also_when_the_build_was_thrown_away(
        self, ready: Cast, builder: Gate, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        before = raw_post(ready.stef)
        follow_account(follower=ready.carla, followee_id=ready.stef.pk)
        settle()
        waiting = Background(lambda: shown(ready.carla))
        waiting._thread.join(0.2)
        builder.open()
        assert waiting.result()[0] == before

    def test_one_that_has_waited_long_enough_reads_for_itself(
        self, ready: Cast, builder: Gate, settings: Any
    ) -> None:
        settings.FEED_BUILD_WAIT_SECONDS = 0.1
        assert shown(ready.carla) == [Post.objects.get().pk]


class TestTooMany:
    """More readers than FEED_BUILDS: pages are made of what there is, and walking on repeats and skips nothing."""

    def test_no_more_than_allowed_ask_postgresql_at_once(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        settings.FEED_BUILDS = 2
        feed_redis.flushall()
        forget_process_memory()
        lock, inside, most = threading.Lock(), [0], [0]
        original = builds.read_feed_ids

        def slowly(viewer_id: int) -> builds.ReadFeed:
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            time.sleep(0.05)
            answer = original(viewer_id)
            with lock:
                inside[0] -= 1
            return answer

        monkeypatch.setattr(builds, "read_feed_ids", slowly)
        viewers = (ready.ana, ready.carla, ready.sam, ready.maria, ready.stef)
        answers = in_threads([lambda viewer=viewer: shown(viewer) for viewer in viewers])
        assert most == [2]
        assert answers == [reference_feed_ids(viewer.pk) for viewer in viewers]

    def test_walking_on_while_others_publish_and_delete(
        self, ready: Cast, feed_redis: redis.Redis, settings: Any, settle: Settle
    ) -> None:
        """ana's own menus are stored, stef's, which lie between them, are not: hers are shown first, and the cursor
        must not pass what is not known above the lower one."""
        settings.FEED_BUILDS, settings.FEED_BUILD_WAIT_SECONDS = 1, 0.05
        own = shown(ready.ana)
        first_own, *posts, last_own = past_posts([ready.ana.pk, *[ready.stef.pk] * 8, ready.ana.pk])
        feed_redis.delete(keys_now().timeline(ready.ana.pk))
        follow_account(follower=ready.ana, followee_id=ready.stef.pk)
        settle()
        warm(ready.ana)
        feed_redis.delete(keys_now().feed(ready.ana.pk))
        assert access.turns.take(1)
        try:
            first = read_feed(ready.ana.pk, limit=3)
        finally:
            access.turns.give_back()
        assert first.degraded
        assert set(ids_of(first)) == {*own, first_own, last_own}
        delete_post(actor=ready.stef, post_id=posts.pop(3))
        late = publish_post(author=ready.ana, text="nobody knew of it at the first page").pk
        rest = walk_on(ready.ana.pk, first)
        assert [post_id for post_id in rest if post_id != late] == posts[::-1]
        assert rest == sorted(rest, reverse=True)


class TestEnd:
    """A null cursor means the end and only that, whatever goes while it is decided."""

    @pytest.fixture
    def posts(self, ready: Cast, settle: Settle) -> list[int]:
        """carla's feed, newest first: thirty menus, more than is read of a list for a page of two."""
        for _ in range(29):
            raw_post(ready.ana)
        settle()
        warm(ready.carla)
        forget_process_memory()
        return reference_feed_ids(ready.carla.pk)

    @pytest.mark.parametrize("change", ["deleted", "hidden"])
    @pytest.mark.parametrize("count", [1, 3, 20, 30])
    def test_posts_that_go_while_a_page_is_filled(
        self, ready: Cast, posts: list[int], monkeypatch: pytest.MonkeyPatch, change: str, count: int
    ) -> None:
        """The ids are read; before their cards are, the newest go."""
        gate = Gate(monkeypatch, commands, "get_values")
        reader = Background(lambda: read_feed(ready.carla.pk, limit=2))
        gate.wait_until_reached()
        for post_id in posts[:count]:
            if change == "deleted":
                delete_post(actor=ready.ana, post_id=post_id)
            else:
                hide_post(post_id=post_id)
        gate.open()
        first = reader.result()
        assert ids_of(first) == posts[count : count + 2]
        assert ids_of(first) + walk_on(ready.carla.pk, first) == posts[count:]

    def test_the_post_that_says_there_is_more_goes_before_the_cursor_is_made(
        self, ready: Cast, posts: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The cursor then leads to an empty page, which is the end."""
        gate = Gate(monkeypatch, reading, "_next_cursor")
        reader = Background(lambda: read_feed(ready.carla.pk, limit=29))
        gate.wait_until_reached()
        delete_post(actor=ready.ana, post_id=posts[29])
        gate.open()
        first = reader.result()
        assert ids_of(first) == posts[:29]
        last = read_feed(ready.carla.pk, limit=29, cursor=first.next_cursor)
        assert (last.items, last.next_cursor) == ([], None)

    def test_a_post_that_comes_back_below_is_on_a_later_page(self, ready: Cast, posts: list[int]) -> None:
        hide_post(post_id=posts[4])
        first = read_feed(ready.carla.pk, limit=2)
        restore_post(post_id=posts[4])
        assert ids_of(first) + walk_on(ready.carla.pk, first) == posts
