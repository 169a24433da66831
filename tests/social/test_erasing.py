"""Erasing an account: gone for everybody at once, and row by row in the background."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction

from posts.erasing import erase_keys, erase_likes_given, erase_likes_received, erase_photos
from posts.models import Dish, IdempotencyKey, Like, Photo, Post, Report
from social import erasing
from social.erasing import Step, erase_marked_accounts
from social.errors import Forbidden, NotFound
from social.models import Account, Block, Follow, FollowRequest, Mute
from social.services import (
    erase_account,
    follow_account,
    reactivate_account,
    restore_account,
    suspend_account,
)
from social.tasks import erase_accounts
from tests.conftest import Worker, wait_for
from tests.factories import AccountFactory, Cast, FollowFactory, PhotoFactory, PostFactory, make_photo
from tests.feeds.helpers import Background, assert_exact, in_threads, shown

TABLES = (Post, Dish, Photo, Like, Report, Follow, FollowRequest, Block, Mute)


@pytest.fixture
def full_life(cast: Cast) -> Account:
    """ana, with something in every table."""
    ana, guests = cast.ana, AccountFactory.create_batch(7)
    posts = [PostFactory(author=ana, photos=[PhotoFactory.build()]) for _ in range(5)]
    others = PostFactory(author=cast.maria)
    for guest in guests:
        FollowFactory(follower=guest, followee=ana)
        Mute.objects.create(muter=guest, muted=ana)
        FollowRequest.objects.create(follower=ana, followee=guest)
        for post in posts:
            Like.objects.create(account=guest, post=post)
            Report.objects.create(account=guest, post=post, reason="Too salty.")
    Like.objects.create(account=ana, post=others)
    Report.objects.create(account=ana, post=others, reason="Not salty enough.")
    Like.objects.create(account=ana, post=posts[0])
    FollowFactory(follower=ana, followee=cast.maria)
    FollowRequest.objects.create(follower=cast.sam, followee=ana)
    Mute.objects.create(muter=ana, muted=cast.maria)
    Block.objects.create(blocker=ana, blocked=cast.stef)
    Block.objects.create(blocker=AccountFactory(), blocked=ana)
    ana.groups.add(Group.objects.create(name="bakers"))
    LogEntry.objects.create(
        user=ana, content_type=ContentType.objects.get_for_model(Post), object_repr="a menu", action_flag=2
    )
    return ana


def rows_left(account_id: int) -> dict[str, int]:
    """What still points at the account, whatever the table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, attname FROM pg_constraint"
            " JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]"
            " WHERE contype = 'f' AND confrelid = 'social_account'::regclass"
        )
        left = {}
        for table, column in cursor.fetchall():
            cursor.execute(f"SELECT count(*) FROM {table} WHERE {column} = %s", [account_id])
            left[f"{table}.{column}"] = cursor.fetchone()[0]
    return {name: count for name, count in left.items() if count}


def test_nothing_is_left_and_nothing_of_others_is_touched(cast: Cast, full_life: Account) -> None:
    assert len(rows_left(full_life.pk)) > 8
    erase_account(full_life.pk)
    assert erase_marked_accounts() == 1
    assert not Account.objects.filter(pk=full_life.pk).exists()
    assert rows_left(full_life.pk) == {}
    assert {table.__name__: table.objects.count() for table in TABLES} == {
        "Post": 1, "Dish": 2, "Photo": 0, "Like": 0, "Report": 0,
        "Follow": 2, "FollowRequest": 0, "Block": 0, "Mute": 0,
    }  # fmt: skip
    assert erase_marked_accounts() == 0


def test_feeds_are_exact_before_between_and_after(
    cast: Cast, full_life: Account, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], None]
) -> None:
    everybody = list(Account.objects.exclude(pk=full_life.pk))
    settle()
    assert len(shown(cast.carla)) == 6
    erase_account(full_life.pk)
    assert len(shown(cast.carla)) == 1
    monkeypatch.setattr(erasing, "BATCH", 3)
    while not erase_marked_accounts(seconds=0.02):
        for account in everybody:
            assert_exact(account, limits=[20])
    settle()
    for account in everybody:
        assert_exact(account)


def test_each_transaction_is_small(cast: Cast, full_life: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "BATCH", 2)
    sizes: list[int] = []

    def counting(step: erasing.Step) -> erasing.Step:
        def counted(account_id: int, limit: int) -> int:
            sizes.append(step(account_id, limit))
            return sizes[-1]

        return counted

    monkeypatch.setattr(erasing, "STEPS", [counting(step) for step in erasing.STEPS])
    erase_account(full_life.pk)
    assert erase_marked_accounts() == 1
    assert max(sizes) == 2


def test_a_run_ends_in_time_and_the_next_goes_on(
    cast: Cast, full_life: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "BATCH", 1)
    erase_account(full_life.pk)
    assert erase_marked_accounts(seconds=0.001) == 0
    assert sum(rows_left(full_life.pk).values()) > 0
    assert erase_marked_accounts() == 1


def test_a_run_takes_so_many_rows_and_no_more(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the end of a very large account would be more news at once than the feed lists."""
    monkeypatch.setattr(erasing, "BATCH", 2)
    FollowFactory.create_batch(9, followee=cast.sam)
    erase_account(cast.sam.pk)
    left = []
    while Account.objects.filter(pk=cast.sam.pk).exists():
        left.append(Follow.objects.filter(followee=cast.sam).count())
        erase_marked_accounts(rows=4)
    assert left == [9, 5, 1]


def test_runs_at_once_share_the_work(cast: Cast, full_life: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "BATCH", 1)
    for account in (full_life, *AccountFactory.create_batch(3)):
        FollowFactory.create_batch(4, followee=account)
        erase_account(account.pk)
    assert sum(in_threads([erase_marked_accounts] * 4)) == 4
    assert not Account.objects.filter(inactive_because="erasing").exists()


def test_while_others_follow_and_leave(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Follows that were let in before the account was marked may commit after its rows were taken away."""
    monkeypatch.setattr(erasing, "BATCH", 1)
    FollowFactory.create_batch(20, followee=cast.ana)

    def insist(guest: Account) -> None:
        for _ in range(40):
            try:
                follow_account(follower=guest, followee_id=cast.ana.pk)
            except NotFound:
                return

    guests = AccountFactory.create_batch(4)
    others = [Background(lambda guest=guest: insist(guest)) for guest in guests]  # type: ignore[misc]
    erase_account(cast.ana.pk)
    wait_for(lambda: erase_marked_accounts() or not Account.objects.filter(pk=cast.ana.pk).exists())
    for other in others:
        other.result()
    assert rows_left(cast.ana.pk) == {}


def test_one_that_cannot_be_erased_yet_holds_up_nobody(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], None]
) -> None:
    def refuse(account_id: int, limit: int) -> int:
        if account_id == cast.ana.pk:
            raise IntegrityError
        return 0

    monkeypatch.setattr(erasing, "STEPS", [refuse, *erasing.STEPS])
    assert cast.ana.pk < cast.sam.pk
    erase_account(cast.ana.pk)
    erase_account(cast.sam.pk)
    assert erase_marked_accounts(seconds=1) == 1
    assert list(Account.objects.filter(inactive_because="erasing")) == [cast.ana]


def test_what_the_commit_refuses_is_not_counted_and_done_by_the_next_run(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Account.delete

    def refused(self: Account) -> None:
        original(self)
        raise IntegrityError

    erase_account(cast.ana.pk)
    erase_account(cast.sam.pk)
    with monkeypatch.context() as patch:
        patch.setattr(Account, "delete", refused)
        assert erase_marked_accounts() == 0
    assert erase_marked_accounts() == 2


def test_nobody_brings_it_back(cast: Cast) -> None:
    for _ in range(2):
        erase_account(cast.ana.pk)
    with pytest.raises(Forbidden):
        reactivate_account(cast.ana.pk)
    with pytest.raises(Forbidden):
        restore_account(cast.ana.pk)
    with pytest.raises(Forbidden):
        suspend_account(cast.ana.pk, by=cast.stef)
    assert Account.objects.get(pk=cast.ana.pk).auth_version == 2


def test_without_a_broker_it_is_left_to_the_next_beat(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "celery.app.base.Celery.send_task", lambda *args, **options: (_ for _ in ()).throw(OSError("away"))
    )
    erase_account(cast.ana.pk)
    assert erase_accounts() == 1
    schedule: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE
    assert schedule["erase"]["task"] == erasing.TASK


@pytest.mark.worker
def test_a_worker_begins_at_once(cast: Cast, full_life: Account, start_worker: Callable[..., Worker]) -> None:
    start_worker()
    erase_account(full_life.pk)
    wait_for(lambda: not Account.objects.filter(pk=full_life.pk).exists(), seconds=15)


@pytest.mark.parametrize("step", [erase_likes_given, erase_likes_received, erase_keys, erase_photos])
def test_a_step_takes_no_more_than_it_is_told_whatever_the_plan(cast: Cast, step: Step) -> None:
    """PostgreSQL may read a subquery anew for each row; one that skips what is locked finds others each time."""
    posts = PostFactory.create_batch(4, author=cast.ana)
    Like.objects.bulk_create(Like(account=who, post=post) for who in (cast.ana, cast.sam) for post in posts)
    IdempotencyKey.objects.bulk_create(
        IdempotencyKey(account=cast.ana, key=str(n), fingerprint="f", status=201, body="") for n in range(4)
    )
    for _ in range(4):
        make_photo(cast.ana, ready=False)
    with transaction.atomic(), connection.cursor() as cursor:
        for way in ("hashjoin", "mergejoin", "hashagg", "sort", "material", "memoize"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
        assert step(cast.ana.pk, 2) == 2
