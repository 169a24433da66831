"""What somebody takes along of menus: her own, and which of others she likes."""

from collections.abc import Callable
from typing import Any

from posts.models import Like, Post
from posts.rendering import post_dict
from posts.selectors import visible_posts, with_parts
from social.exporting import Part, in_chunks
from social.rendering import iso

Whole = Callable[[str], str]  # an address of ours as a whole one


def menus_to_export(account_id: int, whole: Whole) -> list[Part]:
    own = with_parts(visible_posts(account_id).filter(author_id=account_id)).select_related("author")
    liked = Like.objects.filter(account_id=account_id, post__in=visible_posts(account_id))
    return [
        ("menus", in_chunks(own, lambda post: _told(post, whole))),
        ("likes", in_chunks(liked.select_related("post__author"), lambda like: _told_like(like, whole))),
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
