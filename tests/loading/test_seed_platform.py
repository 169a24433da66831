from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management.base import CommandError
from django.db.models import Count
from django.utils import timezone

from feeds.models import Outbox
from posts.ids import draw_post_ids, time_of
from posts.models import Dish, Post
from social.models import Account, Follow
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]
SMALL = ("--cooks", 20, "--customers", 200, "--follows", 4, "--top-cook", 90)


def contents() -> tuple[object, ...]:
    """What a seed decides; keys and times are the database's and the clock's."""
    return (
        list(
            Account.objects.order_by("pk").values_list("username", "display_name", "city", "cuisine", "bio")
        ),
        sorted(Follow.objects.values_list("follower__username", "followee__username")),
        sorted(Post.objects.values_list("author__username", "text")),
        sorted(Dish.objects.values_list("post__author__username", "position", "name", "price", "currency")),
    )


def test_it_has_the_shape_that_was_asked_for(run: Run) -> None:
    said = run("seed_platform", *SMALL)
    cooks = Account.objects.filter(is_cook=True)
    top = cooks.latest("follower_count")
    assert (cooks.count(), Account.objects.filter(is_cook=False).count()) == (20, 200)
    assert Follow.objects.count() == 800
    assert top.follower_count == top.follower_rows.count() == 90
    assert f"followers: {top.username}" in said
    assert not Outbox.objects.exists()


def test_half_the_customers_were_not_seen_this_month(run: Run) -> None:
    run("seed_platform", *SMALL, "--active", 0.25)
    now = timezone.now()
    customers = Account.objects.filter(is_cook=False)
    assert customers.filter(last_seen__gt=now - timedelta(days=4)).count() == 50
    assert customers.filter(last_seen__lt=now - timedelta(days=30)).count() == 150


def test_each_cook_wrote_two_menus_a_day_up_to_now(run: Run) -> None:
    run("seed_platform", *SMALL, "--days", 3)
    menus = Post.objects.values("author").annotate(menus=Count("pk")).values_list("menus", flat=True)
    assert list(menus) == [6] * 20
    for post in Post.objects.annotate(parts=Count("dishes")):
        wrote = post.created_at.time()
        assert (9, 0) <= (wrote.hour, wrote.minute) < (10, 30) or (17, 0) <= (wrote.hour, wrote.minute) < (
            18,
            30,
        )
        assert 2 <= post.parts <= 6
        assert post.day == post.created_at.date()


def test_ids_drawn_later_are_greater(run: Run) -> None:
    run("seed_platform", *SMALL)
    newest = Post.objects.latest("pk").pk
    assert time_of(newest) < timezone.now()
    assert draw_post_ids(1)[0] > newest


def test_the_same_seed_makes_the_same_platform_and_another_makes_another(run: Run) -> None:
    seen = []
    for seed in (7, 7, 8):
        run("seed_platform", *SMALL, "--seed", seed)
        seen.append(contents())
        Account.objects.all().delete()
    assert seen[0] == seen[1] != seen[2]


def test_names_that_are_taken_are_left_to_their_owners(run: Run) -> None:
    run("seed_platform", *SMALL)
    name = Account.objects.filter(is_cook=False).earliest("pk").username
    Account.objects.all().delete()
    owner = AccountFactory(username=name)
    run("seed_platform", *SMALL)
    assert Account.objects.get(username=name) == owner


def test_a_second_seed_is_refused(run: Run) -> None:
    run("seed_platform", *SMALL)
    before = contents()
    with pytest.raises(CommandError, match=r"earlier seed.*\nNothing was made"):
        run("seed_platform", *SMALL, "--seed", 9)
    assert contents() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--top-cook", 201), "--top-cook cannot be more than --customers"),
        (("--follows", 21), "--follows cannot be more than --cooks"),
        (("--active", 1.1), "--active is a share"),
        (("--active", "nan"), "--active is a share"),
        (("--cooks", 0), "--cooks must be at least 1"),
        (("--days", -1), "--days must be"),
        (("--top-cook", 30), "cannot have a top cook"),
    ],
)
def test_nonsense_is_refused(run: Run, change: tuple[object, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run("seed_platform", *SMALL, *change)
    assert not Account.objects.exists()


def test_all_sign_in_with_the_password(run: Run) -> None:
    run("seed_platform", *SMALL, "--password", "lunch-at-noon")
    assert Account.objects.earliest("pk").check_password("lunch-at-noon")
