"""Reads of posts, and the two rules of who sees which (the author's half of them: social/rules.py)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from posts.currencies import BY_COUNTRY
from posts.ids import MAX_ID
from posts.models import Dish, Like, Photo, Post
from social.cursors import sign, unsign
from social.errors import Forbidden, NotFound
from social.models import Account
from social.paging import Place
from social.rules import in_feed, may_see
from social.selectors import get_visible_account
from social.zones import country_of

NO_SUCH_MENU = _("This menu does not exist, or no longer.")
NOT_YOURS = _("This menu is not yours to change.")
MOST_COUNTED = 10_000
BY_LANGUAGE = {"pt-br": "BRL"}

# The post's half of the rules; deleted ones are gone from the table.
LIVE = Q(hidden_at=None)

# Photos that could not be used are on no menu.
SHOWN = ~Q(state=Photo.State.FAILED)


def visible_posts(viewer_id: int | None) -> QuerySet[Post]:
    """May see: the posts that `viewer_id` (None: signed out) may see, wherever they are shown."""
    return Post.objects.filter(LIVE, may_see(viewer_id, "author"))


def feed_posts(viewer_id: int) -> QuerySet[Post]:
    """In the feed: the posts of the feed of `viewer_id`, in no order."""
    return Post.objects.filter(LIVE, in_feed(viewer_id, "author"))


def with_parts(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Posts together with what a card shows: three queries, however many posts."""
    return posts.prefetch_related(
        Prefetch("dishes", Dish.objects.order_by("position", "id")),
        Prefetch("photos", Photo.objects.filter(SHOWN).order_by("position", "id")),
    )


def get_visible_post(*, viewer_id: int | None, post_id: int) -> Post:
    """One post with its author, dishes and photos, or NotFound."""
    post = None
    if 0 < post_id <= MAX_ID:
        post = with_parts(visible_posts(viewer_id)).select_related("author").filter(pk=post_id).first()
    if post is None:
        raise NotFound(NO_SUCH_MENU)
    return post


def get_author_id(*, viewer_id: int, post_id: int) -> int:
    """Whose a post is, if the viewer may see it; else NotFound."""
    found = visible_posts(viewer_id).filter(pk=post_id).values_list("author_id", flat=True).first()
    if found is None:
        raise NotFound(NO_SUCH_MENU)
    return found


def get_own_post(*, actor: Account, post_id: int) -> Post:
    """One's own post with its parts. NotFound, Forbidden."""
    post = get_visible_post(viewer_id=actor.pk, post_id=post_id)
    if post.author_id != actor.pk:
        raise Forbidden(NOT_YOURS)
    return post


def usual_currency(cook: Account) -> str:
    """The currency of the cook's last prices; before the first, that of the country of her time zone, else that of
    her language."""
    newest = author_post_ids(author_id=cook.pk, below=MAX_ID + 1, limit=10)
    codes = Dish.objects.filter(post_id__in=newest).order_by("-post_id", "position")
    first = BY_COUNTRY.get(country_of(cook.time_zone)) or BY_LANGUAGE.get(cook.language, "EUR")
    return codes.values_list("currency", flat=True).first() or first


def failed_photos(post_id: int) -> list[Photo]:
    """Photos of a menu that could not be used, which only its cook is told."""
    return list(Photo.objects.filter(post_id=post_id, state=Photo.State.FAILED).order_by("position", "id"))


def visible_page(*, viewer_id: int | None, author_id: int, below: int, limit: int) -> list[Post]:
    """The newest `limit` posts of an author below an id (exclusive) that the viewer may see, with their parts."""
    posts = visible_posts(viewer_id).filter(author_id=author_id, pk__lt=below)
    return list(with_parts(posts).select_related("author").order_by("-pk")[:limit])


@dataclass(frozen=True, slots=True)
class PostPage:
    """`next_cursor` continues the list; None at the end, and only there."""

    posts: list[Post]
    next_cursor: str | None


def posts_of_account(account_id: int, *, viewer_id: int, place: Place) -> PostPage:
    """What the viewer may see of an account's posts, newest first. NotFound, InvalidCursor."""
    get_visible_account(viewer_id=viewer_id, account_id=account_id)
    key, purpose = settings.SECRET_KEY.encode(), b"posts of %d" % account_id
    below = unsign(key, purpose, viewer_id, place.cursor)[0] if place.cursor is not None else MAX_ID + 1
    found = visible_page(viewer_id=viewer_id, author_id=account_id, below=below, limit=place.limit + 1)
    posts = found[: place.limit]
    more = len(found) > place.limit
    return PostPage(posts, sign(key, purpose, viewer_id, [posts[-1].pk]) if more else None)


def liked_ids(viewer_id: int, among: Iterable[int]) -> set[int]:
    """Which of these posts the viewer likes."""
    return set(Like.objects.filter(account_id=viewer_id, post_id__in=among).values_list("post_id", flat=True))


def count_likes(post: Post) -> int:
    """Its likes now, where `like_count` is recounted a moment later. Of very many the stored count: there nobody sees
    one more (index only up to there)."""
    counted = Like.objects.filter(post_id=post.pk).order_by()[: MOST_COUNTED + 1].count()
    return counted if counted <= MOST_COUNTED else post.like_count


def author_post_ids(*, author_id: int, below: int, limit: int) -> list[int]:
    """The newest `limit` ids of an author below an id (exclusive), newest first (index `post_author_newest`)."""
    return list(
        Post.objects.filter(author_id=author_id, pk__lt=below)
        .order_by("-pk")
        .values_list("pk", flat=True)[:limit]
    )
