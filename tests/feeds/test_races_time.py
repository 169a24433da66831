"""Races with what changes by itself: mutes that end, and posts that commit after a higher id."""

import time
from collections.abc import Callable

import pytest
import redis
from django.db import transaction

from feeds import builds, relations
from feeds.lists import commands
from feeds.reading import count_updates, read_feed
from feeds.reference import reference_feed_ids
from posts.models import Post
from posts.services import publish_post
from social.services import follow_account, mute_account, unmute_account
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    ids_of,
    in_threads,
    keys_now,
    raw_post,
    shown,
    warm,
)
from tests.feeds.moments import another_process, walk_on

Settle = Callable[[], None]


class TestMutes:
    @pytest.fixture
    def posts(self, ready: Cast, settle: Settle) -> list[int]:
        """ana's and stef's menus by turns, newest first; carla follows both."""
        follow_account(follower=ready.carla, followee_id=ready.stef.pk)
        for _ in range(4):
            raw_post(ready.ana)
            raw_post(ready.stef)
        settle()
        warm(ready.carla)
        return reference_feed_ids(ready.carla.pk)

    def test_one_that_ends_during_a_walk_brings_back_what_lies_below(
        self, ready: Cast, posts: list[int], settle: Settle
    ) -> None:
        """By itself: nobody writes anything, so that no value can be deleted for it."""
        mute_account(muter=ready.carla, muted_id=ready.ana.pk, expires_in=2)
        muted_at = time.monotonic()
        settle()
        warm(ready.carla)
        first = read_feed(ready.carla.pk, limit=2)
        assert ids_of(first) == [posts[0], posts[2]]
        time.sleep(max(0, muted_at + 2.05 - time.monotonic()))
        assert walk_on(ready.carla.pk, first) == posts[3:]
        assert shown(ready.carla) == posts

    @pytest.mark.parametrize("end", ["at its time", "by hand"])
    def test_one_that_ends_while_the_feed_is_built_leaves_the_list_whole(
        self,
        ready: Cast,
        posts: list[int],
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settle: Settle,
        end: str,
    ) -> None:
        """A build takes what is followed, muted or not."""
        mute_account(muter=ready.carla, muted_id=ready.ana.pk, expires_in=1)
        muted_at = time.monotonic()
        settle()
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        if end == "by hand":
            unmute_account(muter=ready.carla, muted_id=ready.ana.pk)
        else:
            time.sleep(max(0, muted_at + 1.05 - time.monotonic()))
        gate.open()
        reader.result()
        settle()
        assert shown(ready.carla) == posts
        assert_exact(ready.carla)

    def test_one_that_ends_between_the_reading_of_follows_and_its_storing(
        self,
        ready: Cast,
        posts: list[int],
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settle: Settle,
    ) -> None:
        """The value keeps the moment of its end, not the fact."""
        mute_account(muter=ready.carla, muted_id=ready.ana.pk, expires_in=1)
        settle()
        feed_redis.delete(keys_now().follows(ready.carla.pk))
        gate = Gate(monkeypatch, relations, "read_relations", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        time.sleep(1.05)
        gate.open()
        reader.result()
        assert shown(ready.carla) == posts


class TestLateCommits:
    def test_a_lower_id_that_commits_later_is_seen_at_its_place(self, ready: Cast, settle: Settle) -> None:
        with transaction.atomic():
            early = Post.objects.create(author=ready.ana, text="drawn first, committed last")
            [late] = in_threads([lambda: publish_post(author=ready.maria, text="drawn last").pk])
            assert in_threads([lambda: shown(ready.carla)[0]]) == [late]
        assert shown(ready.carla)[:2] == [late, early.pk]
        settle()
        assert_exact(ready.carla)

    def test_a_feed_that_was_built_before_it_committed_has_it_too(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        with transaction.atomic():
            early = Post.objects.create(author=ready.ana, text="drawn first, committed last")
            in_threads([lambda: publish_post(author=ready.ana, text="drawn last")])
            feed_redis.flushall()
            in_threads([lambda: warm(ready.carla)])
        settle()
        assert early.pk in shown(ready.carla)
        assert_exact(ready.carla)

    def test_it_is_new_since_a_page_that_showed_what_was_drawn_after_it(
        self, ready: Cast, settle: Settle
    ) -> None:
        """The page was answered between the two commits: its refresh cursor knows both ends."""
        with transaction.atomic():
            early = Post.objects.create(author=ready.ana, text="drawn first, committed last")
            in_threads([lambda: publish_post(author=ready.maria, text="drawn last")])
            [first] = in_threads([lambda: read_feed(ready.carla.pk)])
        for _ in range(2):
            news = read_feed(ready.carla.pk, since=first.refresh_cursor)
            assert ids_of(news) == [early.pk]
            assert count_updates(ready.carla.pk, since=first.refresh_cursor).count == 1
            assert ids_of(read_feed(ready.carla.pk, since=news.refresh_cursor)) == []
            settle()

    def test_one_that_commits_while_the_page_is_made_is_shown_or_new(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate(monkeypatch, commands, "get_values")
        with another_process():
            reader = Background(lambda: read_feed(ready.carla.pk))
            gate.wait_until_reached()
            post = publish_post(author=ready.ana, text="just now")
            gate.open()
            first = reader.result()
        news = ids_of(read_feed(ready.carla.pk, since=first.refresh_cursor))
        assert (ids_of(first) + news).count(post.pk) == 1
