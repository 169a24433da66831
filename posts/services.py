"""Writes to posts. Each is one transaction; what follows from it is announced by the models' own signals."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from posts.models import MAX_DISHES, MAX_PHOTOS, TEXT_LENGTH, Dish, Photo, Post
from posts.selectors import get_visible_post
from social.errors import Forbidden, InvalidInput, NotACook
from social.models import Account
from social.text import clean_text


def publish_post(
    *,
    author: Account,
    text: str = "",
    dishes: Sequence[Mapping[str, Any]] = (),
    photos: Sequence[Mapping[str, Any]] = (),
    day: date | None = None,
) -> Post:
    """Publish a menu; when this returns it is durable and in every follower's feed.

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
    if len(dishes) > MAX_DISHES or len(photos) > MAX_PHOTOS:
        raise InvalidInput(f"A menu has at most {MAX_DISHES} dishes and {MAX_PHOTOS} photos.")
    with transaction.atomic():
        post = Post.objects.create(author=author, text=text, day=day or today_of(author))
        Dish.objects.bulk_create(Dish(post=post, position=n, **dish) for n, dish in enumerate(dishes))
        Photo.objects.bulk_create(Photo(post=post, position=n, **photo) for n, photo in enumerate(photos))
    return post


def delete_post(*, actor: Account, post_id: int) -> None:
    """Delete one's own menu, for good. NotFound, Forbidden."""
    post = get_visible_post(viewer_id=actor.pk, post_id=post_id)
    if post.author_id != actor.pk:
        raise Forbidden("This menu is not yours to delete.")
    post.delete()


def today_of(account: Account) -> date:
    """The date it is where the account lives."""
    return timezone.now().astimezone(ZoneInfo(account.time_zone)).date()
