"""Changes between the same accounts at the same time, in threads with connections of their own.

Whatever the order: no error but a refusal, no deadlock, and the rules hold in the end.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from social import services
from social.errors import Forbidden, NotFound, Refusal
from social.models import Account, Block, Follow, FollowRequest
from social.services import (
    FollowState,
    accept_request,
    block_account,
    follow_account,
    unblock_account,
    unfollow_account,
    update_account,
)
from tests.factories import AccountFactory, Cast
from tests.feeds.helpers import Background, Gate, in_threads, raw_sql

ROUNDS = 25


def answer(call: Callable[..., Any], **arguments: Any) -> Any:
    """What the service answers, or the refusal; that it is too busy is no answer."""
    try:
        return call(**arguments)
    except Refusal as refusal:
        if refusal.status >= 500:
            raise

        return type(refusal)


def assert_rules_hold() -> None:
    assert beside_block("social_follow") == 0
    assert beside_block("social_followrequest") == 0
    [[both]] = raw_sql(
        "SELECT count(*) FROM social_follow f JOIN social_followrequest r USING (follower_id, followee_id)"
    )
    assert both == 0, "somebody asks for what she has"
    assert not FollowRequest.objects.filter(followee__is_private=False).exists()


def beside_block(table: str) -> int:
    [[count]] = raw_sql(
        f"SELECT count(*) FROM {table} f JOIN social_block b ON (b.blocker_id, b.blocked_id)"
        " IN ((f.follower_id, f.followee_id), (f.followee_id, f.follower_id))"
    )
    return count


def test_a_follow_and_a_block(cast: Cast) -> None:
    for blocker, other in ((cast.ana, cast.sam), (cast.sam, cast.ana)):
        for _ in range(ROUNDS):
            Block.objects.all().delete()
            answers = in_threads(
                [
                    lambda: answer(follow_account, follower=cast.sam, followee_id=cast.ana.pk),
                    lambda blocker=blocker, other=other: block_account(blocker=blocker, blocked_id=other.pk),
                ]
            )
            assert answers[0] in (FollowState.FOLLOWING, NotFound if blocker == cast.ana else Forbidden)
            assert_rules_hold()
            assert not Follow.objects.filter(follower=cast.sam).exists()


def test_two_who_block_each_other(cast: Cast) -> None:
    for _ in range(ROUNDS):
        Block.objects.all().delete()
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        answers = in_threads(
            [
                lambda: answer(block_account, blocker=cast.ana, blocked_id=cast.sam.pk),
                lambda: answer(block_account, blocker=cast.sam, blocked_id=cast.ana.pk),
            ]
        )
        assert answers in ([None, None], [None, NotFound], [NotFound, None])
        assert_rules_hold()
        assert not Follow.objects.filter(follower=cast.sam).exists()


def test_a_request_and_going_public(cast: Cast) -> None:
    guests = AccountFactory.create_batch(3)
    for _ in range(ROUNDS):
        Follow.objects.filter(followee=cast.ana).delete()
        update_account(cast.ana.pk, is_private=True)
        asking = [
            lambda guest=guest: follow_account(follower=guest, followee_id=cast.ana.pk) for guest in guests
        ]
        in_threads([*asking, lambda: update_account(cast.ana.pk, is_private=False)])
        assert not FollowRequest.objects.exists()
        assert Follow.objects.filter(followee=cast.ana).count() == 3


def test_an_acceptance_and_a_change_of_mind(cast: Cast) -> None:
    update_account(cast.ana.pk, is_private=True)
    for _ in range(ROUNDS):
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        answers = in_threads(
            [
                lambda: answer(accept_request, followee=cast.ana, follower_id=cast.sam.pk),
                lambda: unfollow_account(follower=cast.sam, followee_id=cast.ana.pk),
            ]
        )
        assert answers[0] in (None, NotFound)
        assert not FollowRequest.objects.exists()
        assert not Follow.objects.filter(follower=cast.sam).exists()


def test_an_acceptance_and_a_second_request(cast: Cast) -> None:
    update_account(cast.ana.pk, is_private=True)
    for _ in range(ROUNDS):
        Follow.objects.filter(follower=cast.sam).delete()
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        in_threads(
            [
                lambda: accept_request(followee=cast.ana, follower_id=cast.sam.pk),
                lambda: follow_account(follower=cast.sam, followee_id=cast.ana.pk),
            ]
        )
        assert_rules_hold()
        assert Follow.objects.filter(follower=cast.sam).count() == 1


@pytest.mark.parametrize("blocker", ["ana", "sam"])
def test_an_acceptance_and_a_block(cast: Cast, blocker: str) -> None:
    """Each would wait for what the other has locked, were it not for the order of locks."""
    update_account(cast.ana.pk, is_private=True)
    two = {"ana": (cast.ana, cast.sam), "sam": (cast.sam, cast.ana)}[blocker]
    for _ in range(ROUNDS):
        Block.objects.all().delete()
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        in_threads(
            [
                lambda: answer(accept_request, followee=cast.ana, follower_id=cast.sam.pk),
                lambda: block_account(blocker=two[0], blocked_id=two[1].pk),
            ]
        )
        assert_rules_hold()
        assert not Follow.objects.filter(follower=cast.sam).exists()


def test_going_public_and_blocks_of_those_who_ask(cast: Cast) -> None:
    guests = AccountFactory.create_batch(6)
    for _ in range(ROUNDS):
        Block.objects.all().delete()
        Follow.objects.filter(followee=cast.ana).delete()
        update_account(cast.ana.pk, is_private=True)
        for guest in guests:
            follow_account(follower=guest, followee_id=cast.ana.pk)
        blocks = [
            lambda: block_account(blocker=guests[0], blocked_id=cast.ana.pk),
            lambda: answer(block_account, blocker=cast.ana, blocked_id=guests[1].pk),
            lambda: block_account(blocker=guests[5], blocked_id=guests[2].pk),
        ]
        in_threads([*blocks, lambda: update_account(cast.ana.pk, is_private=False)])
        assert_rules_hold()
        assert Follow.objects.filter(followee=cast.ana).count() == 4


def test_a_hundred_who_follow_one_cook_at_once(cast: Cast) -> None:
    guests = AccountFactory.create_batch(100)
    answers = in_threads(
        [lambda guest=guest: follow_account(follower=guest, followee_id=cast.ana.pk) for guest in guests],
        seconds=60,
    )
    assert set(answers) == {FollowState.FOLLOWING}
    assert Follow.objects.filter(followee=cast.ana, follower__in=guests).count() == 100


def test_a_hundred_who_ask_one_private_cook_at_once(cast: Cast) -> None:
    update_account(cast.ana.pk, is_private=True)
    guests = AccountFactory.create_batch(100)
    in_threads(
        [lambda guest=guest: follow_account(follower=guest, followee_id=cast.ana.pk) for guest in guests],
        seconds=60,
    )
    assert FollowRequest.objects.filter(followee=cast.ana).count() == 100


# --- The unlucky moments, one by one ------------------------------------------------------------------------


def asked_by_ana(cast: Cast) -> None:
    """Hers is the lesser id of the two, and so her row is the one that tells follows from blocks."""
    assert cast.ana.pk < cast.sam.pk
    update_account(cast.sam.pk, is_private=True)
    follow_account(follower=cast.ana, followee_id=cast.sam.pk)


@pytest.mark.parametrize(
    ("step", "accept"),
    [
        ("get_or_create", lambda sam, ana: accept_request(followee=sam, follower_id=ana.pk)),
        ("bulk_create", lambda sam, ana: update_account(sam.pk, is_private=False)),
    ],
)
def test_a_block_between_the_end_of_a_request_and_its_follow(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, step: str, accept: Callable[[Account, Account], Any]
) -> None:
    asked_by_ana(cast)
    gate = Gate(monkeypatch, Follow.objects, step)
    acceptance = Background(lambda: accept(cast.sam, cast.ana))
    gate.wait_until_reached()
    block = Background(lambda: block_account(blocker=cast.ana, blocked_id=cast.sam.pk))
    time.sleep(0.3)
    assert block.running
    gate.open()
    acceptance.result()
    block.result()
    assert_rules_hold()
    assert Block.objects.count() == 1


def test_a_second_request_while_the_first_is_accepted(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_by_ana(cast)
    gate = Gate(monkeypatch, FollowRequest.objects, "get_or_create")
    second = Background(lambda: follow_account(follower=cast.ana, followee_id=cast.sam.pk))
    gate.wait_until_reached()
    acceptance = Background(lambda: accept_request(followee=cast.sam, follower_id=cast.ana.pk))
    time.sleep(0.3)
    gate.open()
    second.result()
    acceptance.result()
    assert_rules_hold()
    assert Follow.objects.filter(follower=cast.ana, followee=cast.sam).exists()


# --- And all of them ----------------------------------------------------------------------------------------

CHANGES: list[Callable[[Account, Account], Any]] = [
    lambda one, two: follow_account(follower=one, followee_id=two.pk),
    lambda one, two: unfollow_account(follower=one, followee_id=two.pk),
    lambda one, two: services.remove_follower(followee=one, follower_id=two.pk),
    lambda one, two: accept_request(followee=one, follower_id=two.pk),
    lambda one, two: services.reject_request(followee=one, follower_id=two.pk),
    lambda one, two: block_account(blocker=one, blocked_id=two.pk),
    lambda one, two: unblock_account(blocker=one, blocked_id=two.pk),
    lambda one, two: services.mute_account(muter=one, muted_id=two.pk, expires_in=60),
    lambda one, two: services.unmute_account(muter=one, muted_id=two.pk),
    lambda one, two: update_account(one.pk, is_private=True),
    lambda one, two: update_account(one.pk, is_private=False),
    lambda one, two: services.deactivate_account(one.pk),
    lambda one, two: services.reactivate_account(one.pk),
]


def test_everything_at_once(cast: Cast) -> None:
    """Whatever four people may do to each other, for a few seconds."""
    people = [cast.ana, cast.carla, cast.sam, cast.maria]
    deadline = time.monotonic() + 4

    def change(seed: int) -> int:
        chance, done = random.Random(seed), 0
        while time.monotonic() < deadline:
            one, two = chance.sample(people, 2)
            answer(chance.choice(CHANGES), one=one, two=two)
            done += 1
        return done

    done = in_threads([lambda seed=seed: change(seed) for seed in range(6)], seconds=60)
    assert min(done) > 5
    assert_rules_hold()
    assert not Account.objects.filter(is_active=False).exclude(inactive_because="deactivated").exists()
