"""Recounting: likes and followers are right a moment later, whoever changed them, and readers see it at once."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from feeds import outbox
from feeds.counts import recount_followers, recount_likes
from feeds.models import Outbox
from feeds.reading import read_feed
from feeds.tasks import recount
from posts.models import Like, Post
from posts.services import delete_post, edit_post, like_post, unlike_post
from social.models import Account
from tests.conftest import wait_for
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import Background, in_threads, query_count, raw_sql


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana)


def like_count(post: Post) -> int:
    return Post.objects.get(pk=post.pk).like_count


def shown_count(viewer: Account) -> int:
    return read_feed(viewer.pk).items[0].post["like_count"]


class TestLikes:
    def test_readers_see_the_new_count_in_their_next_read(self, cast: Cast, post: Post) -> None:
        assert shown_count(cast.carla) == 0
        for account in (cast.carla, cast.sam, cast.maria):
            like_post(account=account, post_id=post.pk)
        assert recount_likes() == 1
        assert shown_count(cast.carla) == 3
        unlike_post(account=cast.sam, post_id=post.pk)
        recount_likes()
        assert shown_count(cast.carla) == 2

    def test_a_recount_is_no_edit(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.carla, post_id=post.pk)
        recount_likes()
        assert Post.objects.get().edited_at is None
        assert not Outbox.objects.filter(kind="edited", done_at=None).exists()

    def test_likes_by_hand_are_counted_too(self, cast: Cast, post: Post) -> None:
        raw_sql("INSERT INTO posts_like (account_id, post_id) SELECT id, %s FROM social_account", post.pk)
        recount_likes()
        assert like_count(post) == Account.objects.count()
        raw_sql("DELETE FROM posts_like")
        recount_likes()
        assert like_count(post) == 0

    def test_what_does_not_change_a_count_writes_no_row(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.carla, post_id=post.pk)
        unlike_post(account=cast.carla, post_id=post.pk)
        before = Outbox.objects.count()
        assert recount_likes() == 1
        assert Outbox.objects.count() == before
        assert recount_likes() == 0

    def test_a_deleted_menu_is_counted_off(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.carla, post_id=post.pk)
        delete_post(actor=cast.ana, post_id=post.pk)
        recount_likes()
        assert not Outbox.objects.filter(kind="likes_changed", counted=False).exists()

    def test_more_than_a_batch_takes_several(self, cast: Cast) -> None:
        posts = [PostFactory(author=cast.ana) for _ in range(5)]
        for liked in posts:
            like_post(account=cast.sam, post_id=liked.pk)
        assert [recount_likes(limit=2) for _ in range(4)] == [2, 2, 1, 0]
        assert set(Post.objects.values_list("like_count", flat=True)) == {1}

    def test_a_recount_costs_the_same_for_one_menu_and_for_twenty(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.sam, post_id=post.pk)
        one = query_count(recount_likes)
        for _ in range(20):
            like_post(account=cast.sam, post_id=PostFactory(author=cast.ana).pk)
        assert query_count(recount_likes) == one

    def test_the_task_counts_likes_and_followers(self, cast: Cast, post: Post) -> None:
        recount()
        like_post(account=cast.sam, post_id=post.pk)
        FollowFactory(follower=cast.sam, followee=cast.ana)
        assert recount() == 2
        assert like_count(post) == 1
        assert Account.objects.get(pk=cast.ana.pk).follower_count == 2


class TestAtOnce:
    def test_fifty_like_the_same_menu_while_it_is_counted(self, cast: Cast, post: Post) -> None:
        guests = AccountFactory.create_batch(50)
        liked = threading.Event()

        def count() -> None:
            while not liked.is_set():
                recount_likes()

        def like() -> None:
            in_threads([lambda guest=guest: like_post(account=guest, post_id=post.pk) for guest in guests])
            liked.set()

        in_threads([count, like])
        recount_likes()
        assert like_count(post) == Like.objects.count() == 50

    def test_a_like_that_commits_during_a_recount_is_counted_by_the_next(
        self, cast: Cast, post: Post
    ) -> None:
        with transaction.atomic():
            raw_sql("INSERT INTO posts_like (account_id, post_id) VALUES (%s, %s)", cast.sam.pk, post.pk)
            in_threads([recount_likes])
        recount_likes()
        assert like_count(post) == 1

    def test_four_recounts_leave_no_row_behind(self, cast: Cast) -> None:
        posts = [PostFactory(author=cast.ana) for _ in range(10)]
        for liked in posts:
            like_post(account=cast.sam, post_id=liked.pk)
        in_threads([recount_likes] * 4)
        recount_likes()
        assert set(Post.objects.values_list("like_count", flat=True)) == {1}
        assert not Outbox.objects.filter(kind="likes_changed", counted=False).exists()

    def test_an_edit_beside_a_recount_keeps_the_count(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.sam, post_id=post.pk)
        texts = [f"Stew {n}." for n in range(10)]
        edits = [lambda text=text: edit_post(actor=cast.ana, post_id=post.pk, text=text) for text in texts]
        in_threads([*edits, recount_likes])
        assert like_count(post) == 1

    def test_accounts_are_locked_in_the_order_of_ids(self, cast: Cast) -> None:
        guests = AccountFactory.create_batch(12)
        for guest in reversed(guests):
            FollowFactory(followee=guest)
        assert_waits_at_the_first(recount_followers, "social_account", [guest.pk for guest in guests])

    def test_menus_are_locked_in_the_order_of_ids(self, cast: Cast) -> None:
        posts = [PostFactory(author=cast.ana).pk for _ in range(12)]
        for post_id in reversed(posts):
            like_post(account=cast.sam, post_id=post_id)
        assert_waits_at_the_first(recount_likes, "posts_post", posts)


def assert_waits_at_the_first(recount: Callable[[], int], table: str, ids: list[int]) -> None:
    """While somebody holds the first row, the recount holds none of the others: so nobody waits in a circle."""
    with transaction.atomic():
        raw_sql(f"SELECT FROM {table} WHERE id = %s FOR UPDATE", ids[0])
        waiting = Background(recount)
        wait_for(lambda: raw_sql("SELECT pid FROM pg_locks WHERE NOT granted"))
        raw_sql(f"SELECT FROM {table} WHERE id = ANY(%s) FOR UPDATE NOWAIT", ids[1:])
    assert waiting.result() >= len(ids)


class TestOutbox:
    def test_likes_that_no_count_includes_yet_stay_when_rows_are_pruned(self, cast: Cast, post: Post) -> None:
        like_post(account=cast.sam, post_id=post.pk)
        Outbox.objects.update(done_at="2026-01-01T00:00Z")
        outbox.prune_done()
        assert Outbox.objects.filter(kind="likes_changed").exists()
        recount()
        Outbox.objects.update(done_at="2026-01-01T00:00Z")
        outbox.prune_done()
        assert not Outbox.objects.exists()

    @pytest.mark.parametrize("kinds", ["kind IN ('followed', 'unfollowed')", "kind = 'likes_changed'"])
    def test_what_is_to_be_counted_is_found_by_its_index(self, stores: None, kinds: str) -> None:
        query = f"SELECT id FROM feeds_outbox WHERE NOT counted AND {kinds} ORDER BY author_id LIMIT 10"
        with transaction.atomic(), connection.cursor() as cursor:
            # Of all indexes only this one gives the rows in order.
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            cursor.execute(f"EXPLAIN {query}")
            assert "outbox_uncounted" in str(cursor.fetchall())
