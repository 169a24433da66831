"""Photos and menus: each is on one menu at most, and one's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from posts.models import ALT_LENGTH, Photo, Post
from social.errors import InvalidInput
from social.text import clean_text

NOT_SAVED = _("The menu was not saved.")


@dataclass(frozen=True, slots=True)
class PhotoChanges:
    """What gives a menu other photos: `placed` in their order, keys of rows to delete."""

    placed: list[Photo]
    removed: list[int]

    def __bool__(self) -> bool:
        return bool(self.placed or self.removed)


SAME_PHOTOS = PhotoChanges([], [])


def photo_changes(post: Post, current: Sequence[Photo], media_ids: Sequence[int]) -> PhotoChanges:
    """How `post`, which is the caller's, comes to show exactly these photos; they stay locked. InvalidInput.

    `current` are those it has. A photo that is not named goes for good. Whether somebody else has a photo of an id is
    not told.
    """
    # In the order of ids, as by everyone who locks several. A photo that two menus want at once waits for the first.
    wanted = (
        Photo.objects.select_for_update().filter(owner_id=post.author_id, pk__in=media_ids).order_by("pk")
    )
    own = {photo.pk: photo for photo in current}
    free = {photo.pk: photo for photo in wanted if _is_free(photo)}
    known = own | free
    wrong = sorted({i for i in media_ids if i not in known or media_ids.count(i) > 1})
    if wrong:
        named = ", ".join(map(str, wrong))
        message = gettext("Not a photo of yours that is still to be used, or named twice: %(ids)s.")
        raise InvalidInput(NOT_SAVED, errors={"media_ids": [message % {"ids": named}]})
    photos = [known[i] for i in media_ids]
    removed = [pk for pk in own if pk not in media_ids]
    if not removed and photos == list(current):
        return SAME_PHOTOS
    return PhotoChanges(photos, removed)


def _is_free(photo: Photo) -> bool:
    return photo.post_id is None and not photo.as_avatar and photo.state != Photo.State.FAILED


def clean_alt(alt: str) -> str:
    try:
        return clean_text(alt, max_length=ALT_LENGTH, required=True)
    except ValueError as error:
        raise InvalidInput(NOT_SAVED, errors={"alt": [str(error)]}) from None


def described_anew(current: Sequence[Photo], alts: Mapping[int, str]) -> list[Photo]:
    """Those photos that get other words than they have, with these. InvalidInput by field `alt`."""
    changed = []
    for photo in current:
        alt = alts.get(photo.pk, photo.alt)
        if alt != photo.alt:
            photo.alt = clean_alt(alt)
            changed.append(photo)
    return changed


def save_photos(post: Post, changes: PhotoChanges, *, first: int = 0) -> None:
    """Put photos on a menu, from position `first` on, and delete those that it no longer shows."""
    for position, photo in enumerate(changes.placed, first):
        photo.post, photo.position = post, position
    Photo.objects.bulk_update(changes.placed, ["post", "position"])
    Photo.objects.filter(pk__in=changes.removed).delete()
