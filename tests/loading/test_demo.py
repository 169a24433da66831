from collections.abc import Callable

import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from feeds.loading.neighbourhood import PASSWORD, THRESHOLD
from feeds.models import Outbox, PulledAuthor
from feeds.threshold import current_threshold
from posts.ids import time_of
from posts.models import Photo, Post
from social.models import Account
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]


def test_it_makes_a_neighbourhood_with_more_than_three_pages(run: Run) -> None:
    said = run("demo")
    customer = Account.objects.get(username="customer")
    feed = Post.objects.filter(author__follower_rows__follower=customer)
    assert "14 cooks, 40 customers" in said
    assert feed.count() > 60
    assert len(set(Account.objects.values_list("city", flat=True))) == 3
    assert time_of(feed.latest("pk").pk) < timezone.now()
    assert Photo.objects.exclude(url__startswith="/static/demo/").count() == 0
    assert not Outbox.objects.exists()


def test_one_cook_is_above_the_threshold(run: Run) -> None:
    run("demo")
    assert current_threshold() == THRESHOLD
    assert [row.author.username for row in PulledAuthor.objects.all()] == ["maria"]


def test_two_logins_are_known_and_no_staff(run: Run) -> None:
    assert run("demo", "--if-empty", "--logins").splitlines()[1:] == [
        f"username customer   password {PASSWORD}   a customer: Today's menus of nine cooks",
        f"username cook       password {PASSWORD}   a cook: publishes menus",
    ]
    with_password = [account.username for account in Account.objects.all() if account.has_usable_password()]
    assert sorted(with_password) == ["cook", "customer"]
    assert not Account.objects.filter(is_staff=True).exists()


def test_logins_alone_makes_nothing_and_shows_only_what_holds(run: Run) -> None:
    assert run("demo", "--logins") == ""
    assert not Account.objects.exists()
    AccountFactory(username="cook")
    assert run("demo", "--logins") == ""


def test_it_leaves_a_database_with_accounts_alone(run: Run) -> None:
    AccountFactory(username="sam")
    assert run("demo", "--if-empty") == ""
    with pytest.raises(CommandError, match="Nothing was made"):
        run("demo")
    assert Account.objects.count() == 1
