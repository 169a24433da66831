"""Writes to posts. Each is one transaction; what follows from it is announced by the models' own signals.

Whoever changes a post locks its row first (FOR UPDATE): edits come one after the other, and none meets a deletion
halfway. A like shares the row until its commit, so that it is either deleted with its menu or finds it gone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, TypeVar

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from posts.content import DISH_FIELDS, NO_CHANGES, DishChanges, check_menu, clean_menu_text, dish_changes
from posts.media.attaching import SAME_PHOTOS, described_anew, photo_changes, save_photos
from posts.models import Dish, Like, Photo, Post
from posts.selectors import LIVE, NO_SUCH_MENU, NOT_YOURS, get_author_id, with_parts
from social.errors import Forbidden, NotACook, NotFound, Refusal, Unavailable
from social.models import Account
from social.zones import zone_of

MOST_PUBLISH_TRIES = 3
MOST_LIKE_TRIES = 20  # of a like that its account makes and takes back at the same time
LATE_COMMIT = "CY001"  # commit_in_time.sql

T = TypeVar("T")


class Changed(Refusal):
    status = 409
    code = "changed"


def publish_post(
    *,
    author: Account,
    text: str = "",
    dishes: Sequence[Mapping[str, Any]] = (),
    photos: Sequence[Mapping[str, Any]] = (),
    media_ids: Sequence[int] = (),
    day: date | None = None,
) -> Post:
    """Publish a menu; when this returns, with all its parts, it is durable and in every follower's feed.

    `dishes` are mappings of Dish's fields (name and price at least), `photos` of Photo's (url at least), in
    the order they are shown; `media_ids` are photos that the author has uploaded. NotACook, InvalidInput; Unavailable
    if it took too long to commit each time.
    """
    if not author.is_cook:
        raise NotACook(gettext("Only cooks publish menus, and this account is a customer's."))
    text = clean_menu_text(text)
    check_menu(text=text, day=day, dishes=len(dishes), photos=len(photos) + len(media_ids))
    return in_time(lambda: _save_menu(author, text, dishes, photos, media_ids, day or today_of(author)))


def in_time(save: Callable[[], T]) -> T:
    """What `save` answers, in a transaction; once more, with new ids, when it has committed too late. Unavailable."""
    for _ in range(MOST_PUBLISH_TRIES):
        try:
            with transaction.atomic():
                return save()
        except DatabaseError as error:
            # Within somebody's transaction all of that would have to be done again: only they can.
            if not is_late_commit(error) or transaction.get_connection().in_atomic_block:
                raise
    words = gettext("The menu was not saved: saving takes too long at the moment. Try again shortly.")
    raise Unavailable(words)


def is_late_commit(error: DatabaseError) -> bool:
    """Whether the database refused a post because it would have committed too long after its id was drawn."""
    return getattr(error.__cause__, "sqlstate", None) == LATE_COMMIT


def _save_menu(
    author: Account,
    text: str,
    dishes: Sequence[Mapping[str, Any]],
    photos: Sequence[Mapping[str, Any]],
    media_ids: Sequence[int],
    day: date,
) -> Post:
    post = Post.objects.create(author=author, text=text, day=day)
    Dish.objects.bulk_create(Dish(post=post, position=n, **dish) for n, dish in enumerate(dishes))
    Photo.objects.bulk_create(Photo(post=post, position=n, **photo) for n, photo in enumerate(photos))
    if media_ids:
        save_photos(post, photo_changes(post, [], media_ids), first=len(photos))
    return _read_back(post.pk)


def edit_post(
    *,
    actor: Account,
    post_id: int,
    text: str | None = None,
    day: date | None = None,
    dishes: Sequence[Mapping[str, Any]] | None = None,
    media_ids: Sequence[int] | None = None,
    alts: Mapping[int, str] | None = None,
    seen: str = "",
) -> Post:
    """Change one's own menu; what is None stays. An edit that changes nothing leaves no trace.

    `dishes` replaces the list: mappings as for publish_post, where an `id` keeps that dish and its fields that are
    left out. So does `media_ids`; a photo that it does not name goes for good. `alts`: words for photos that the
    menu has, by their ids. `seen`: the state of the menu that this is a change of, if only that may be changed.
    NotFound, Forbidden, InvalidInput, Changed.
    """
    with transaction.atomic():
        post = _lock_own_post(actor, post_id)
        if seen and seen != post.state:
            raise Changed(gettext("The menu was changed meanwhile, and not by this."))
        current = list(post.dishes.all())
        text = post.text if text is None else clean_menu_text(text)
        day = day or post.day
        check_menu(
            text=text,
            day=day,
            dishes=len(current if dishes is None else dishes),
            photos=len(media_ids or ()),
        )
        changes = NO_CHANGES if dishes is None else dish_changes(post_id, current, dishes)
        current_photos = list(post.photos.all())
        photos = SAME_PHOTOS if media_ids is None else photo_changes(post, current_photos, media_ids)
        described = described_anew(current_photos, alts or {})
        if changes or photos or described or (text, day) != (post.text, post.day):
            _save_edited(post, text=text, day=day)
            _save_dishes(changes)
            Photo.objects.bulk_update(described, ["alt"])
            save_photos(post, photos)
        return _read_back(post_id)


def set_sold_out(*, actor: Account, post_id: int, dish_id: int, sold_out: bool) -> None:
    """Say that a dish of one's own menu is sold out, or to be had again; harmless to repeat. NotFound, Forbidden."""
    with transaction.atomic():
        post = _lock_own_post(actor, post_id)
        dish = post.dishes.filter(pk=dish_id).first()
        if dish is None:
            raise NotFound(gettext("This dish is not on the menu, or no longer."))
        if dish.sold_out != sold_out:
            dish.sold_out = sold_out
            _save_edited(post)
            dish.save(update_fields=["sold_out"])


def _save_edited(post: Post, **fields: Any) -> None:
    """Before its dishes: then a trigger writes one row into the outbox for all of it."""
    fields["edited_at"] = timezone.now()
    for name, value in fields.items():
        setattr(post, name, value)
    post.save(update_fields=list(fields))


def _save_dishes(changes: DishChanges) -> None:
    Dish.objects.filter(pk__in=changes.removed).delete()
    Dish.objects.bulk_update(changes.changed, DISH_FIELDS)
    Dish.objects.bulk_create(changes.added)


def delete_post(*, actor: Account, post_id: int) -> None:
    """Delete one's own menu, for good. NotFound, Forbidden."""
    with transaction.atomic():
        post = _lock_own_post(actor, post_id)
        with unannounced(), connection.cursor() as cursor:
            # Of which there may be thousands. Who likes a menu that has gone still likes it, which harms nothing.
            cursor.execute("DELETE FROM posts_like WHERE post_id = %s", [post_id])
            cursor.execute("DELETE FROM posts_opening WHERE post_id = %s", [post_id])
        post.delete()


@contextmanager
def unannounced() -> Iterator[None]:
    """Within a transaction: rows that nobody has to hear of; no trigger tells of them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('courtyard.bulk_load', 'on', true)")
        yield
        cursor.execute("SELECT set_config('courtyard.bulk_load', '', true)")


def hide_post(*, post_id: int) -> bool:
    """Staff take a menu out of everybody's sight, its cook's too; False if it was hidden already. NotFound."""
    return _set_hidden(post_id, hidden=True)


def restore_post(*, post_id: int) -> bool:
    """Staff bring a hidden menu back; False if it was not hidden. NotFound."""
    return _set_hidden(post_id, hidden=False)


def _set_hidden(post_id: int, *, hidden: bool) -> bool:
    with transaction.atomic():
        post = Post.objects.select_for_update().filter(pk=post_id).first()
        if post is None:
            raise NotFound(NO_SUCH_MENU)
        if (post.hidden_at is not None) == hidden:
            return False
        post.hidden_at = timezone.now() if hidden else None
        post.save(update_fields=["hidden_at"])
        return True


def like_post(*, account: Account, post_id: int) -> None:
    """`account` likes a menu that it may see; liking twice is once. NotFound."""
    for _ in range(MOST_LIKE_TRIES):
        get_author_id(viewer_id=account.pk, post_id=post_id)
        try:
            with transaction.atomic():
                Like.objects.get_or_create(account=account, post_id=post_id)
                return
        except IntegrityError:  # made and taken back between two steps, or the menu was deleted meanwhile
            continue
    raise Unavailable(gettext("Too many are changing this like at once. Try again."))


def unlike_post(*, account: Account, post_id: int) -> None:
    """`account` no longer likes a menu; harmless to repeat. NotFound, where it did not and may not see it."""
    deleted, _ = Like.objects.filter(account=account, post_id=post_id).delete()
    if not deleted:
        get_author_id(viewer_id=account.pk, post_id=post_id)


def today_of(account: Account) -> date:
    """The date it is where the account lives."""
    return timezone.now().astimezone(zone_of(account.time_zone)).date()


def _lock_own_post(actor: Account, post_id: int) -> Post:
    """The actor's own post, locked until the end of the transaction. NotFound, Forbidden."""
    if get_author_id(viewer_id=actor.pk, post_id=post_id) != actor.pk:
        raise Forbidden(NOT_YOURS)
    post = Post.objects.select_for_update().filter(LIVE, pk=post_id).first()
    if post is None:  # somebody else was faster
        raise NotFound(NO_SUCH_MENU)
    return post


def _read_back(post_id: int) -> Post:
    """A post with its parts, before the commit: whatever fails after that must not look like one not saved."""
    return with_parts(Post.objects.filter(pk=post_id)).select_related("author").get()
