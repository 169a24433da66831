"""Who may see whose menus: the author's half of the two rules that every surface keeps.

    may see        the author is active, neither blocks the other, and she is public, followed or oneself
    in the feed    may see, and oneself, or followed with no mute in force

(The post's half, that staff have not hidden it, is added in posts.selectors.) Both are conditions on accounts, or
on whatever reaches one: `author` is the path to it, as in `Post.objects.filter(may_see(viewer_id, "author"))`.
"""

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from social.models import Block, Follow, Mute


def may_see(viewer_id: int | None, author: str = "") -> Q:
    """Authors whose menus `viewer_id` (None: signed out) may see, wherever they are shown."""
    active = Q(**{_on(author, "is_active"): True})
    public = Q(**{_on(author, "is_private"): False})
    if viewer_id is None:
        return active & public
    oneself = Q(**{_key(author): viewer_id})
    return active & (public | oneself | followed_by(viewer_id, author)) & ~blocked_with(viewer_id, author)


def in_feed(viewer_id: int, author: str = "") -> Q:
    """Authors whose menus are in the feed of `viewer_id`."""
    oneself = Q(**{_key(author): viewer_id})
    wanted = followed_by(viewer_id, author) & ~muted_by(viewer_id, author)
    return may_see(viewer_id, author) & (oneself | wanted)


def followed_by(viewer_id: int, author: str = "") -> Q:
    return Q(Exists(Follow.objects.filter(follower_id=viewer_id, followee_id=OuterRef(_key(author)))))


def blocked_with(viewer_id: int, author: str = "") -> Q:
    """Either of the two blocks the other."""
    return blocked_by(viewer_id, author) | blocks(viewer_id, author)


def blocked_by(viewer_id: int, author: str = "") -> Q:
    """The viewer blocks the author."""
    return Q(Exists(Block.objects.filter(blocker_id=viewer_id, blocked_id=OuterRef(_key(author)))))


def blocks(viewer_id: int, author: str = "") -> Q:
    """The author blocks the viewer."""
    return Q(Exists(Block.objects.filter(blocked_id=viewer_id, blocker_id=OuterRef(_key(author)))))


def muted_by(viewer_id: int, author: str = "") -> Q:
    return Q(Exists(Mute.objects.filter(IN_FORCE, muter_id=viewer_id, muted_id=OuterRef(_key(author)))))


# Of a mute, by the database's clock.
IN_FORCE = Q(expires_at=None) | Q(expires_at__gt=Now())


def _on(author: str, field: str) -> str:
    return f"{author}__{field}" if author else field


def _key(author: str) -> str:
    return f"{author}_id" if author else "pk"
