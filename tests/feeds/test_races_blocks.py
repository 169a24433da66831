"""Races of blocks: a follow and a block that commit at the same time must not miss each other.

The triggers of social/keep_blocks.sql, past the services, in both orders and from both sides.
"""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from feeds import delivery
from social.models import Account, Block, Follow, FollowRequest
from social.services import block_account, follow_account
from tests.conftest import wait_for
from tests.factories import Cast
from tests.feeds.helpers import Background, Gate, assert_exact, raw_sql, shown

Settle = Callable[[], None]

FOLLOW = "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)"
REQUEST = "INSERT INTO social_followrequest (follower_id, followee_id) VALUES (%s, %s)"
BLOCK = "INSERT INTO social_block (blocker_id, blocked_id) VALUES (%s, %s)"


@pytest.fixture(params=["the follower blocks", "the followed one blocks"])
def block(request: pytest.FixtureRequest, ready: Cast) -> tuple[int, int]:
    """Who blocks whom; sam is about to follow ana."""
    pair = (ready.sam.pk, ready.ana.pk)
    return pair if request.param == "the follower blocks" else pair[::-1]


def written(statement: str, *pair: int) -> bool:
    """Whether the database took a row, in a transaction of its own."""
    try:
        with transaction.atomic():
            raw_sql(statement, *pair)
            return True
    except IntegrityError:  # what the trigger raises; a deadlock would be another error
        return False


def wait_until_blocked() -> None:
    """Until some session waits for another one's lock."""
    wait_for(lambda: raw_sql("SELECT 1 FROM pg_locks WHERE NOT granted"))


@pytest.mark.parametrize("statement", [FOLLOW, REQUEST], ids=["follow", "request"])
class TestTriggers:
    def test_a_block_waits_for_a_follow_that_is_not_committed_and_ends_it(
        self, ready: Cast, block: tuple[int, int], statement: str
    ) -> None:
        with transaction.atomic():
            raw_sql(statement, ready.sam.pk, ready.ana.pk)
            blocking = Background(lambda: written(BLOCK, *block))
            wait_until_blocked()
        assert blocking.result()
        assert not Follow.objects.filter(follower=ready.sam).exists()
        assert not FollowRequest.objects.exists()

    def test_a_follow_waits_for_a_block_that_is_not_committed_and_is_refused(
        self, ready: Cast, block: tuple[int, int], statement: str
    ) -> None:
        with transaction.atomic():
            raw_sql(BLOCK, *block)
            following = Background(lambda: written(statement, ready.sam.pk, ready.ana.pk))
            wait_until_blocked()
        assert not following.result()
        assert not Follow.objects.filter(follower=ready.sam).exists()
        assert not FollowRequest.objects.exists()

    def test_one_that_is_rolled_back_is_as_if_it_had_never_been(
        self, ready: Cast, block: tuple[int, int], statement: str
    ) -> None:
        with transaction.atomic():
            raw_sql(BLOCK, *block)
            following = Background(lambda: written(statement, ready.sam.pk, ready.ana.pk))
            wait_until_blocked()
            transaction.set_rollback(True)
        assert following.result()
        assert not Block.objects.exists()


class TestFeeds:
    def test_a_follow_that_a_block_has_overtaken_shows_nothing(
        self, ready: Cast, block: tuple[int, int], settle: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The follow is committed, its delivery held up; the block ends it, and then its delivery comes."""
        gate = Gate(monkeypatch, delivery, "apply")
        following = Background(lambda: follow_account(follower=ready.sam, followee_id=ready.ana.pk))
        gate.wait_until_reached()
        block_account(blocker=Account.objects.get(pk=block[0]), blocked_id=block[1])
        assert shown(ready.sam) == []
        gate.open()
        following.result()
        for _ in range(2):
            assert shown(ready.sam) == []
            assert_exact(ready.sam)
            settle()

    def test_a_block_empties_both_feeds_at_once(self, ready: Cast, settle: Settle) -> None:
        Account.objects.filter(pk=ready.carla.pk).update(is_cook=True)
        follow_account(follower=ready.ana, followee_id=ready.carla.pk)
        raw_sql("INSERT INTO posts_post (author_id, text) VALUES (%s, 'hers')", ready.carla.pk)
        settle()
        before = shown(ready.ana)
        block_account(blocker=ready.ana, blocked_id=ready.carla.pk)
        assert len(shown(ready.ana)) == len(before) - 1
        assert len(shown(ready.carla)) == 1
        settle()
        for viewer in (ready.ana, ready.carla):
            assert_exact(viewer)
