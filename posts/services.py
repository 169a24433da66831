"""Writes to posts. Each is one transaction; what follows from it is announced by the models' own signals."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from posts.models import END_OF_DAYS, FIRST_DAY, MAX_DISHES, MAX_PHOTOS, TEXT_LENGTH, Dish, Photo, Post
from posts.selectors import get_visible_post, with_parts
from social.errors import Forbidden, InvalidInput, NotACook, NotFound
from social.models import Account
from social.text import clean_text
from social.zones import zone_of


def publish_post(
    *,
    author: Account,
    text: str = "",
    dishes: Sequence[Mapping[str, Any]] = (),
    photos: Sequence[Mapping[str, Any]] = (),
    day: date | None = None,
) -> Post:
    """Publish a menu; when this returns, with all its parts, it is durable and in every follower's feed.

    `dishes` are mappings of Dish's fields (name and price at least), `photos` of Photo's (url at least), in
    the order they are shown. NotACook, InvalidInput.
    """
    if not author.is_cook:
        raise NotACook("Only cooks publish menus, and this account is a customer's.")
    try:
        text = clean_text(text, max_length=TEXT_LENGTH, multiline=True)
    except ValueError as error:
        raise InvalidInput("The menu was not published.", errors={"text": [str(error)]}) from None
    if not text and not dishes:
        raise InvalidInput("The menu was not published.", errors={"text": ["Write a text or add a dish."]})
    if day is not None and not FIRST_DAY <= day < END_OF_DAYS:
        message = f"Must be from {FIRST_DAY.year} to {END_OF_DAYS.year - 1}."
        raise InvalidInput("The menu was not published.", errors={"day": [message]})
    if len(dishes) > MAX_DISHES or len(photos) > MAX_PHOTOS:
        raise InvalidInput(f"A menu has at most {MAX_DISHES} dishes and {MAX_PHOTOS} photos.")
    with transaction.atomic():
        post = Post.objects.create(author=author, text=text, day=day or today_of(author))
        Dish.objects.bulk_create(Dish(post=post, position=n, **dish) for n, dish in enumerate(dishes))
        Photo.objects.bulk_create(Photo(post=post, position=n, **photo) for n, photo in enumerate(photos))
        # Read back before the commit: whatever fails after it must not look like a menu that was not saved.
        return with_parts(Post.objects.filter(pk=post.pk)).select_related("author").get()


def delete_post(*, actor: Account, post_id: int) -> None:
    """Delete one's own menu, for good. NotFound, Forbidden."""
    post = get_visible_post(viewer_id=actor.pk, post_id=post_id)
    if post.author_id != actor.pk:
        raise Forbidden("This menu is not yours to delete.")
    _, deleted = post.delete()
    if not deleted.get(Post._meta.label):  # somebody else was faster
        raise NotFound("This menu does not exist, or no longer.")


def today_of(account: Account) -> date:
    """The date it is where the account lives."""
    return timezone.now().astimezone(zone_of(account.time_zone)).date()
