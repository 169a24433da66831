"""The API's Post object, from a post with its parts (posts.selectors.with_parts)."""

from typing import Any

from posts.media.names import srcset_of, url_of
from posts.models import Dish, Photo, Post
from social.rendering import author_dict, iso


def dish_dict(dish: Dish) -> dict[str, Any]:
    return {
        "id": dish.pk,
        "name": dish.name,
        "price": f"{dish.price:.2f}",
        "currency": dish.currency,
        "tags": dish.tags,
        "sold_out": dish.sold_out,
    }


def photo_dict(photo: Photo) -> dict[str, Any]:
    return {
        "media_id": photo.pk,
        "url": url_of(photo),
        "srcset": srcset_of(photo),
        "alt": photo.alt,
        "width": photo.width,
        "height": photo.height,
        "placeholder": photo.placeholder,
        "state": photo.state,
    }


def failed_photo_dict(photo: Photo) -> dict[str, Any]:
    """Of a photo that is on its menu for its cook's eyes only."""
    return photo_dict(photo) | {"error": "This photo could not be used. Upload another."}


def post_body(post: Post) -> dict[str, Any]:
    """What is the same for every viewer, without the author.

    `like_count` and `liked` are the last two, in this order: the feed puts each viewer's own in their place.
    """
    return {
        "text": post.text,
        "day": post.day.isoformat(),
        "dishes": [dish_dict(dish) for dish in post.dishes.all()],
        "photos": [photo_dict(photo) for photo in post.photos.all()],
        "created_at": iso(post.created_at),
        "edited_at": iso(post.edited_at) if post.edited_at else None,
        "like_count": post.like_count,
        "liked": False,
    }


def post_dict(post: Post, *, liked: bool = False) -> dict[str, Any]:
    """`liked`: by the viewer for whom it is."""
    return {"id": post.pk, "author": author_dict(post.author), **post_body(post), "liked": liked}
