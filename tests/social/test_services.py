"""Following, by the service and past it."""

import random
import time

import pytest
from django.db import IntegrityError

from social.errors import NotFound
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.factories import Cast
from tests.feeds.helpers import in_threads


def test_a_follow_keeps_its_two_accounts(cast: Cast) -> None:
    with pytest.raises(IntegrityError, match="keeps its two accounts"):
        Follow.objects.filter(follower=cast.carla).update(followee=cast.sam)


def test_following_while_others_end_it_never_says_that_there_is_no_account(cast: Cast) -> None:
    deadline = time.monotonic() + 3

    def change() -> int:
        done = 0
        while time.monotonic() < deadline:
            random.choice([follow_account, unfollow_account])(follower=cast.sam, followee_id=cast.ana.pk)
            done += 1
        return done

    assert sum(in_threads([change] * 6)) > 6
    assert Follow.objects.filter(follower=cast.sam).count() <= 1


def test_an_erased_account_is_not_there(cast: Cast) -> None:
    Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
    with pytest.raises(NotFound):
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
