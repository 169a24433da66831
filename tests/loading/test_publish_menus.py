from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from feeds.models import Outbox
from feeds.proof.settling import wait_until_settled
from posts.models import Post
from social.models import Account
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]


@pytest.fixture
def ana() -> Account:
    return AccountFactory(username="ana", cook=True)


def test_each_named_cook_publishes_as_often_as_asked(run: Run, ana: Account) -> None:
    maria = AccountFactory(username="maria", cook=True)
    assert "Published 4 menus" in run("publish_menus", "--author", ana.pk, maria.pk, "--count", 2)
    assert sorted(Post.objects.values_list("author", flat=True)) == sorted([ana.pk, maria.pk] * 2)
    assert all(post.dishes.count() >= 2 for post in Post.objects.all())


def test_all_cooks_are_only_cooks(run: Run, ana: Account) -> None:
    AccountFactory(username="sam")
    run("publish_menus", "--all-cooks")
    assert [post.author for post in Post.objects.all()] == [ana]


def test_who_is_no_cook_is_refused_before_anything_is_published(run: Run, ana: Account) -> None:
    sam = AccountFactory(username="sam")
    with pytest.raises(CommandError, match=f"No active cook has the id {sam.pk}, 99"):
        run("publish_menus", "--author", ana.pk, sam.pk, 99)
    assert not Post.objects.exists()


@pytest.mark.parametrize(
    "option", [("--count", 0), ("--wait", -1), ("--interval", "soon"), ("--wait", "nan"), ("--author", -1)]
)
def test_nonsense_is_refused(run: Run, ana: Account, option: tuple[object, ...]) -> None:
    with pytest.raises(CommandError, match="must be"):
        run("publish_menus", "--author", ana.pk, *option)
    assert not Post.objects.exists()


def test_waiting_ends_with_the_number_of_undelivered_rows(run: Run, ana: Account) -> None:
    assert "Published 1 menu in" in run("publish_menus", "--author", ana.pk)
    with pytest.raises(CommandError, match=r"^2 changes are"):
        run("publish_menus", "--author", ana.pk, "--wait", 0.1)
    Outbox.objects.all().delete()
    with pytest.raises(
        CommandError, match=r"^1 change is still undelivered after 0.1 s. Is a worker running\?$"
    ):
        run("publish_menus", "--author", ana.pk, "--wait", 0.1)


def test_waiting_lasts_until_the_overlay_is_empty(ana: Account) -> None:
    now = timezone.now()
    row = Outbox.objects.create(kind="published", subject_id=1, author_id=ana.pk, done_at=now)
    assert wait_until_settled(0.1) == 0
    row.done_at = now - timedelta(seconds=60)
    row.save()
    assert wait_until_settled(0.1) is None
