"""`feed_doctor` says why a viewer sees a menu, or does not."""

import re
from collections.abc import Callable
from io import StringIO

import pytest
import redis
from django.core.management import CommandError, call_command
from django.utils import timezone

from feeds.fanout import fan_out
from feeds.models import PulledAuthor
from posts.models import Post
from social.models import Account, Block, Follow, Mute
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import keys_now, redis_down, warm

Settle = Callable[[], None]


def ask(viewer: object, post_id: int) -> str:
    """What the doctor says, with runs of spaces as one."""
    out = StringIO()
    call_command("feed_doctor", str(viewer), str(post_id), stdout=out)
    return re.sub(" +", " ", out.getvalue())


@pytest.fixture
def menu(cast: Cast, settle: Settle) -> Post:
    """Ana's, delivered into carla's warm feed."""
    settle()
    warm(cast.carla)
    post = PostFactory(author=cast.ana)
    settle()
    return post


def test_a_menu_that_is_seen(cast: Cast, menu: Post) -> None:
    said = ask("@carla", menu.pk)
    assert f"@carla sees menu {menu.pk}, and that is right." in said
    assert "yes so it may be seen" in said
    assert "stored feed holds it, floor 0, complete there" in said
    assert "author's timeline none that proves anything" in said
    assert "never pulled, so pushed (1 followers, threshold 2)" in said
    assert "after 1 attempt" in said
    assert "is pushed to (away after 14 days)" in said


@pytest.mark.parametrize("viewer", ["carla", "@Carla"])
def test_a_viewer_may_be_named_in_any_way(cast: Cast, menu: Post, viewer: str) -> None:
    for name in (viewer, cast.carla.pk):
        assert f"@carla sees menu {menu.pk}" in ask(name, menu.pk)


def mute(cast: Cast) -> None:
    Mute.objects.create(muter=cast.carla, muted=cast.ana)


def block(cast: Cast) -> None:
    Block.objects.create(blocker=cast.ana, blocked=cast.carla)


def unfollow(cast: Cast) -> None:
    Follow.objects.filter(follower=cast.carla, followee=cast.ana).delete()


def go_private_and_lose(cast: Cast) -> None:
    unfollow(cast)
    cast.ana.is_private = True
    cast.ana.save()


def deactivate(cast: Cast) -> None:
    cast.ana.is_active, cast.ana.inactive_because = False, Account.Inactive.DEACTIVATED
    cast.ana.save()


def hide(cast: Cast) -> None:
    post = Post.objects.get()
    post.hidden_at = timezone.now()
    post.save()


def delete(cast: Cast) -> None:
    Post.objects.get().delete()


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        (mute, "no mute in force"),
        (block, "neither blocks the other"),
        (unfollow, "own, or followed"),
        (go_private_and_lose, "public, followed or own"),
        (deactivate, "its author is active"),
        (hide, "not hidden by staff"),
        (delete, "the menu exists"),
    ],
)
def test_the_condition_that_does_not_hold_is_named(
    cast: Cast, menu: Post, change: Callable[[Cast], None], condition: str
) -> None:
    change(cast)
    said = ask("@carla", menu.pk)
    assert f"does not see menu {menu.pk}, and that is right. What does not hold: " in said
    assert condition in said.split("What does not hold: ")[1]
    assert f"NO {condition}" in said


def test_a_lost_id_is_a_failure(cast: Cast, menu: Post, feed_redis: redis.Redis) -> None:
    feed_redis.zrem(keys_now().feed(cast.carla.pk), menu.pk)
    with pytest.raises(CommandError, match=r"does not see .* but by the rules it belongs into the feed"):
        ask("@carla", menu.pk)


def test_a_pulled_menu(cast: Cast, settle: Settle) -> None:
    settle()
    PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
    warm(cast.carla)
    post = PostFactory(author=cast.maria)
    fan_out(post.pk, "test", lambda post_id: None)
    said = ask("@carla", post.pk)
    assert "and still is: this menu is pulled" in said
    assert "stored feed does not hold it" in said
    assert "author's timeline holds it" in said
    assert "lists the menu as published" in said


def test_before_its_fan_out(cast: Cast, settle: Settle) -> None:
    settle()
    warm(cast.carla)
    post = PostFactory(author=cast.ana)
    said = ask("@carla", post.pk)
    assert "sees menu" in said
    assert "fan-out not done, up to follower 0 after 0 attempts" in said
    assert "lists the menu as published" in said


def test_without_redis_it_says_what_it_can(cast: Cast, menu: Post) -> None:
    with redis_down():
        said = ask("@carla", menu.pk)
    assert "feed Redis away" in said
    assert f"@carla sees menu {menu.pk}, and that is right." in said


def test_a_viewer_who_cannot_sign_in(cast: Cast, menu: Post) -> None:
    cast.carla.is_active = False
    cast.carla.save()
    assert "@carla cannot sign in, and so has no feed." in ask("@carla", menu.pk)


@pytest.mark.parametrize("viewer", ["@nobody", "0", "999999999999999999999", "a\x00b"])
def test_an_account_that_is_not_there(cast: Cast, menu: Post, viewer: str) -> None:
    with pytest.raises(CommandError, match="There is no account"):
        ask(viewer, menu.pk)
