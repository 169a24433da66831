"""Races, forced: each is held at its narrowest point, by threads with connections of their own."""

import threading
from collections.abc import Callable

import pytest
import redis
from django.db import connection, transaction

from feeds import activity, builds, counts, fanout, pulled, relations
from feeds.counts import recount_followers
from feeds.delivery import deliver_now, relay
from feeds.fanout import fan_out
from feeds.lists import commands
from feeds.models import Outbox, PulledAuthor
from feeds.reading import SignedOut, read_feed
from feeds.threshold import close_interval, open_interval
from posts.models import Post
from posts.services import delete_post, publish_post
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.conftest import forget_process_memory
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    in_threads,
    keys_now,
    raw_post,
    raw_sql,
    shown,
    walk,
    warm,
)

Settle = Callable[[], None]


@pytest.fixture
def ready(cast: Cast, settle: Settle) -> Cast:
    PostFactory(author=cast.ana, text="yesterday")
    settle()
    for viewer in (cast.ana, cast.carla, cast.sam, cast.maria):
        warm(viewer)
    return cast


def no_hand_over(post_id: int) -> None:
    pytest.fail("handed over")


class TestBuilding:
    def test_a_deletion_between_a_builds_reading_and_its_storing(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        follow_account(follower=ready.carla, followee_id=ready.stef.pk)  # deletes the feed
        raw_post(ready.stef)
        gate.open()
        reader.result()
        settle()
        assert_exact(ready.carla)

    def test_a_post_that_is_pushed_while_the_feed_is_built(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        fan_out(post.pk, "job", no_hand_over)
        gate.open()
        reader.result()
        settle()
        assert shown(ready.carla)[0] == post.pk
        assert_exact(ready.carla)

    def test_an_unfollow_while_the_follows_are_read(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        feed_redis.delete(keys_now().follows(ready.carla.pk))
        gate = Gate(monkeypatch, relations, "read_relations", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        unfollow_account(follower=ready.carla, followee_id=ready.ana.pk)
        gate.open()
        reader.result()
        assert shown(ready.carla) == []
        settle()
        assert shown(ready.carla) == []

    @pytest.mark.parametrize("change", ["edit", "delete"])
    def test_a_change_while_a_card_is_rendered(
        self,
        ready: Cast,
        feed_redis: redis.Redis,
        monkeypatch: pytest.MonkeyPatch,
        settle: Settle,
        change: str,
    ) -> None:
        from feeds import cards

        post = Post.objects.get()
        feed_redis.delete(keys_now().card(post.pk))
        forget_process_memory()
        gate = Gate(monkeypatch, cards, "render_posts", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        if change == "delete":
            delete_post(actor=ready.ana, post_id=post.pk)
        else:
            post.text = "changed"
            post.save()
        gate.open()
        reader.result()
        for _ in range(2):
            page = read_feed(ready.carla.pk)
            assert [item.post["text"] for item in page.items] == ([] if change == "delete" else ["changed"])
            settle()

    def test_many_readers_of_one_cold_feed_all_read_the_same(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        feed_redis.flushall()
        forget_process_memory()
        answers = in_threads([lambda: walk(ready.carla, limit=1)] * 8)
        assert answers == [[Post.objects.get().pk]] * 8

    def test_an_account_that_is_erased_while_it_reads(
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


class TestCrossing:
    def test_an_interval_does_not_close_while_a_fan_out_decides(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """Else the fan-out, seeing her still pulled, would not push a post that readers no longer merge."""
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        post_id = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout.threshold, "intervals_for_fan_out", after=True)
        job = Background(lambda: fan_out(post_id, "job", no_hand_over))
        gate.wait_until_reached()
        closing = Background(lambda: close_interval(ready.ana.pk))
        closing._thread.join(0.3)
        assert closing.running
        gate.open()
        assert job.result() == 0
        assert closing.result()
        assert PulledAuthor.objects.get(author=ready.ana).until_id > post_id  # type: ignore[operator]
        settle()
        assert_exact(ready.carla)

    def test_a_fan_out_that_decides_while_the_close_is_waiting(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """The bound must be drawn after the wait, by a statement of its own."""
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        first = raw_post(ready.ana)
        gate = Gate(monkeypatch, fanout.threshold, "intervals_for_fan_out", after=True)
        job = Background(lambda: fan_out(first, "job", no_hand_over))
        gate.wait_until_reached()
        closing = Background(lambda: close_interval(ready.ana.pk))
        closing._thread.join(0.2)
        second = raw_post(ready.ana)
        another = Background(lambda: fan_out(second, "another job", no_hand_over))
        another._thread.join(0.2)
        gate.open()
        for call in (job, another, closing):
            call.result()
        settle()
        assert shown(ready.carla)[:2] == [second, first]
        assert_exact(ready.carla)

    def test_a_post_that_is_not_yet_committed_when_the_interval_closes(
        self, ready: Cast, settle: Settle
    ) -> None:
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        with transaction.atomic():
            post_id = raw_post(ready.ana)
            in_threads([lambda: close_interval(ready.ana.pk)])
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_post_that_is_not_yet_committed_when_it_opens(self, ready: Cast, settle: Settle) -> None:
        with transaction.atomic():
            post_id = raw_post(ready.ana)
            in_threads([lambda: open_interval(ready.ana.pk)])
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        settle()
        assert shown(ready.carla)[0] == post_id
        assert_exact(ready.carla)

    def test_a_feed_that_is_built_while_the_interval_closes(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        inside = raw_post(ready.ana)
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        pulled.pulled_set.forget()
        gate = Gate(monkeypatch, builds, "read_feed_ids", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        close_interval(ready.ana.pk)
        after = raw_post(ready.ana)
        fan_out(after, "job", no_hand_over)
        gate.open()
        reader.result()
        settle()
        assert shown(ready.carla)[:2] == [after, inside]
        assert_exact(ready.carla)

    def test_two_crossings_at_once_are_one(self, ready: Cast) -> None:
        assert sorted(in_threads([lambda: open_interval(ready.ana.pk)] * 4)) == [False, False, False, True]
        assert sorted(in_threads([lambda: close_interval(ready.ana.pk)] * 4)) == [False, False, False, True]


class TestTwoAtOnce:
    def test_two_fan_outs_of_one_post(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        in_threads([lambda n=n: fan_out(post_id, f"job {n}", no_hand_over) for n in range(3)])
        keys = keys_now()
        assert commands.read_lists(keys, [keys.feed(ready.carla.pk)], limit=100)[0].ids[0] == post_id
        assert not Outbox.objects.filter(done_at=None).exists()

    def test_two_relays(self, ready: Cast, settle: Settle) -> None:
        posts = [raw_post(ready.ana) for _ in range(20)]
        raw_sql("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)",
                ready.sam.pk, ready.ana.pk)  # fmt: skip
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")
        assert max(in_threads([relay] * 4)) == 21
        settle()
        for viewer in (ready.carla, ready.sam):
            assert walk(viewer)[:20] == posts[::-1]
            assert_exact(viewer)

    def test_two_recounts(self, ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        for _ in range(5):
            FollowFactory(followee=ready.ana)
        gate = Gate(monkeypatch, counts.transaction, "atomic")
        slow = Background(recount_followers)
        gate.wait_until_reached()
        FollowFactory(followee=ready.ana)
        recount_followers()
        FollowFactory(followee=ready.ana)
        gate.open()
        slow.result()
        recount_followers()
        assert Account.objects.get(pk=ready.ana.pk).follower_count == 8

    def test_a_follow_that_commits_during_a_recount_is_counted_by_the_next(self, ready: Cast) -> None:
        guest = AccountFactory()
        with transaction.atomic():
            raw_sql("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)",
                    guest.pk, ready.ana.pk)  # fmt: skip
            in_threads([recount_followers])
        recount_followers()
        assert Account.objects.get(pk=ready.ana.pk).follower_count == 2

    def test_a_recount_of_many_at_once_leaves_no_row_behind(self, ready: Cast) -> None:
        raw_sql("UPDATE social_account SET follower_count = 0")
        raw_sql("UPDATE feeds_outbox SET counted = false")
        in_threads([recount_followers] * 4)
        recount_followers()
        truth = {account.pk: account.follower_rows.count() for account in Account.objects.all()}
        assert dict(Account.objects.values_list("pk", "follower_count")) == truth


class TestFollowing:
    def test_fifty_follow_the_same_cook_at_once(self, ready: Cast) -> None:
        guests = AccountFactory.create_batch(50)
        start = threading.Barrier(10)

        def follow(some: list[Account]) -> None:
            start.wait(10)
            for guest in some:
                follow_account(follower=guest, followee_id=ready.ana.pk)

        in_threads([lambda n=n: follow(guests[n::10]) for n in range(10)])
        recount_followers()
        assert Account.objects.get(pk=ready.ana.pk).follower_count == 51
        assert [len(shown(guest)) for guest in guests[:5]] == [1] * 5

    def test_the_same_follow_ten_times_at_once_is_one(self, ready: Cast) -> None:
        in_threads([lambda: follow_account(follower=ready.sam, followee_id=ready.ana.pk)] * 10)
        assert Follow.objects.filter(follower=ready.sam).count() == 1
        recount_followers()
        assert Account.objects.get(pk=ready.ana.pk).follower_count == 2

    def test_follows_and_unfollows_at_once_do_not_drift(self, ready: Cast, settle: Settle) -> None:
        def back_and_forth(guest: Account) -> None:
            for _ in range(3):
                follow_account(follower=guest, followee_id=ready.ana.pk)
                unfollow_account(follower=guest, followee_id=ready.ana.pk)

        guests = AccountFactory.create_batch(4)
        in_threads([lambda guest=guest: back_and_forth(guest) for guest in guests])
        recount_followers()
        assert Account.objects.get(pk=ready.ana.pk).follower_count == 1
        assert not Outbox.objects.filter(done_at=None, kind="followed").exists()


class TestCommitOrder:
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

    def test_a_commit_between_an_overlays_reading_and_its_storing_is_listed(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from feeds import overlay

        feed_redis.zremrangebyscore(keys_now().overlay, "+inf", "+inf")
        gate = Gate(monkeypatch, overlay, "read_outbox", after=True)
        reader = Background(lambda: shown(ready.carla))
        gate.wait_until_reached()
        post = publish_post(author=ready.ana, text="just now")
        gate.open()
        reader.result()
        assert shown(ready.carla)[0] == post.pk

    def test_a_delivery_that_is_done_twice_at_once(self, ready: Cast) -> None:
        raw_sql("UPDATE social_account SET display_name = 'Dona Ana' WHERE id = %s", ready.ana.pk)
        in_threads([lambda: deliver_now([("account_changed", ready.ana.pk)])] * 4)
        assert read_feed(ready.carla.pk).items[0].post["author"]["display_name"] == "Dona Ana"
        assert not Outbox.objects.filter(done_at=None).exists()


def test_nobody_left_a_lock(ready: Cast) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert cursor.fetchone() == (0,)
