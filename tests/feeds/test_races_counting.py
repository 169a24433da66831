"""Races of counts: thousands follow the same cook at once, and nothing drifts."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from feeds import counts
from feeds.counts import recount_followers
from feeds.models import Outbox
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.factories import AccountFactory, Cast, FollowFactory
from tests.feeds.helpers import Background, Gate, in_threads, raw_sql, shown

Settle = Callable[[], None]


class TestRecounting:
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


def test_nobody_left_a_lock(ready: Cast) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert cursor.fetchone() == (0,)
