"""Every kind of change that a stored value depends on, as carla sees it happen to ana's menu."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from feeds import cards, likes, relations
from feeds.keys import Keys
from feeds.reading import read_feed
from posts.models import Post
from posts.services import delete_post, edit_post, hide_post, like_post, restore_post, unlike_post
from social.models import Account
from social.services import (
    follow_account,
    mute_account,
    restore_account,
    suspend_account,
    unfollow_account,
    unmute_account,
    update_account,
)
from tests.factories import Cast

State = tuple[str, str, bool] | None


def seen(viewer: Account) -> State:
    """What carla sees of ana's menu: text, cook and whether she likes it; None: it is not in her feed."""
    for item in read_feed(viewer.pk).items:
        post = item.post
        return post["text"], post["author"]["display_name"], post["liked"]
    return None


YESTERDAY: State = ("yesterday", "Ana", False)


@dataclass(frozen=True)
class Change:
    """`value`: the key it makes stale; `built_by`: the function that reads PostgreSQL for it; `prepare`: what has to
    be so before; `to`: what carla sees from then on."""

    value: Callable[[Keys, Cast, Post], str]
    built_by: tuple[Any, str]
    make: Callable[[Cast, Post], object]
    to: State
    prepare: Callable[[Cast, Post], object] = lambda cast, post: None


def follows(keys: Keys, cast: Cast, post: Post) -> str:
    return keys.follows(cast.carla.pk)


def liked(keys: Keys, cast: Cast, post: Post) -> str:
    return keys.likes(cast.carla.pk)


def card(keys: Keys, cast: Cast, post: Post) -> str:
    return keys.card(post.pk)


def account(keys: Keys, cast: Cast, post: Post) -> str:
    return keys.account(cast.ana.pk)


def _mute(cast: Cast, post: Post) -> None:
    mute_account(muter=cast.carla, muted_id=cast.ana.pk)


def _like(cast: Cast, post: Post) -> None:
    like_post(account=cast.carla, post_id=post.pk)


def _suspend(cast: Cast, post: Post) -> None:
    suspend_account(cast.ana.pk, by=cast.stef)


READ_FOLLOWS = (relations, "read_relations")
READ_LIKES = (likes, "read_likes")
RENDER_POSTS = (cards, "render_posts")
RENDER_ACCOUNTS = (cards, "render_accounts")

CHANGES = {
    "unfollow": Change(
        follows,
        READ_FOLLOWS,
        lambda cast, post: unfollow_account(follower=cast.carla, followee_id=cast.ana.pk),
        None,
    ),
    "follow": Change(
        follows,
        READ_FOLLOWS,
        lambda cast, post: follow_account(follower=cast.carla, followee_id=cast.ana.pk),
        YESTERDAY,
        lambda cast, post: unfollow_account(follower=cast.carla, followee_id=cast.ana.pk),
    ),
    "mute": Change(follows, READ_FOLLOWS, _mute, None),
    "unmute": Change(
        follows,
        READ_FOLLOWS,
        lambda cast, post: unmute_account(muter=cast.carla, muted_id=cast.ana.pk),
        YESTERDAY,
        _mute,
    ),
    "like": Change(liked, READ_LIKES, _like, ("yesterday", "Ana", True)),
    "unlike": Change(
        liked,
        READ_LIKES,
        lambda cast, post: unlike_post(account=cast.carla, post_id=post.pk),
        YESTERDAY,
        _like,
    ),
    "edit": Change(
        card,
        RENDER_POSTS,
        lambda cast, post: edit_post(actor=cast.ana, post_id=post.pk, text="today"),
        ("today", "Ana", False),
    ),
    "delete": Change(
        card, RENDER_POSTS, lambda cast, post: delete_post(actor=cast.ana, post_id=post.pk), None
    ),
    "hide": Change(card, RENDER_POSTS, lambda cast, post: hide_post(post_id=post.pk), None),
    "restore": Change(
        card,
        RENDER_POSTS,
        lambda cast, post: restore_post(post_id=post.pk),
        YESTERDAY,
        lambda cast, post: hide_post(post_id=post.pk),
    ),
    "rename": Change(
        account,
        RENDER_ACCOUNTS,
        lambda cast, post: update_account(cast.ana.pk, display_name="Dona Ana"),
        ("yesterday", "Dona Ana", False),
    ),
    "suspend": Change(account, RENDER_ACCOUNTS, _suspend, None),
    "end of a suspension": Change(
        account, RENDER_ACCOUNTS, lambda cast, post: restore_account(cast.ana.pk), YESTERDAY, _suspend
    ),
}
