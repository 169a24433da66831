"""Reads of posts, and the rule who may see one."""

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from posts.ids import MAX_ID
from posts.models import Dish, Photo, Post
from social.errors import NotFound
from social.models import Follow


def visible_posts(viewer_id: int | None) -> QuerySet[Post]:
    """May see: the posts that `viewer_id` (None: signed out) may see, wherever they are shown."""
    public = Q(author__is_private=False)
    if viewer_id is not None:
        followed = Follow.objects.filter(follower_id=viewer_id, followee_id=OuterRef("author_id"))
        public = public | Q(author_id=viewer_id) | Q(Exists(followed))
    return Post.objects.filter(public, author__is_active=True)


def with_parts(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Posts together with what a card shows: three queries, however many posts."""
    return posts.prefetch_related(
        Prefetch("dishes", Dish.objects.order_by("position", "id")),
        Prefetch("photos", Photo.objects.order_by("position", "id")),
    )


def get_visible_post(*, viewer_id: int | None, post_id: int) -> Post:
    """One post with its author, dishes and photos, or NotFound."""
    post = None
    if 0 < post_id <= MAX_ID:
        post = with_parts(visible_posts(viewer_id)).select_related("author").filter(pk=post_id).first()
    if post is None:
        raise NotFound("This menu does not exist, or no longer.")
    return post


def author_post_ids(*, author_id: int, below: int, limit: int) -> list[int]:
    """The newest `limit` ids of an author below an id (exclusive), newest first (index `post_author_newest`)."""
    return list(
        Post.objects.filter(author_id=author_id, pk__lt=below)
        .order_by("-pk")
        .values_list("pk", flat=True)[:limit]
    )
