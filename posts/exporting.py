"""What somebody takes along of menus: her own, which of others she likes and has opened, and what other apps add."""

from collections.abc import Callable
from typing import Any

from posts.models import Like, Opening, Post
from posts.rendering import post_dict
from posts.selectors import visible_posts, with_parts
from social.exporting import Part, in_chunks
from social.rendering import iso

Whole = Callable[[str], str]  # an address of ours as a whole one
Teller = Callable[[int, Whole], Part]

_tellers: list[Teller] = []


def tell_also(teller: Teller) -> None:
    """Register a part of another app (feeds/apps.py): `teller(account id, whole)`."""
    if teller not in _tellers:
        _tellers.append(teller)


def menus_to_export(account_id: int, whole: Whole) -> list[Part]:
    own = with_parts(visible_posts(account_id).filter(author_id=account_id)).select_related("author")
    visible = visible_posts(account_id)
    liked = Like.objects.filter(account_id=account_id, post__in=visible)
    opened = Opening.objects.filter(account_id=account_id, post__in=visible)
    return [
        ("menus", in_chunks(own, lambda post: _told(post, whole))),
        ("likes", in_chunks(liked.select_related("post__author"), lambda like: _told_like(like, whole))),
        ("opened", in_chunks(opened.select_related("post__author"), lambda row: _told_opening(row, whole))),
        *(teller(account_id, whole) for teller in _tellers),
    ]


def _told(post: Post, whole: Whole) -> dict[str, Any]:
    told = post_dict(post)
    photos = [{"url": whole(photo["url"]), "alt": photo["alt"]} for photo in told["photos"] if photo["url"]]
    del told["author"], told["liked"]
    return told | {"photos": photos}


def _told_like(like: Like, whole: Whole) -> dict[str, Any]:
    return {
        "menu": whole(f"/menus/{like.post_id}"),
        "author": like.post.author.username,
        "since": iso(like.created_at),
    }


def _told_opening(opening: Opening, whole: Whole) -> dict[str, Any]:
    return {
        "menu": whole(f"/menus/{opening.post_id}"),
        "author": opening.post.author.username,
        "at": iso(opening.at) if opening.at else None,
    }
