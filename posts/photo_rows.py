"""The photos of a form: those that are uploaded already, in their order, each with words for who cannot see it.

The form names them in `kept` ("12,15"), and the words of each in `alt-12`. What it names is looked up among the
cook's own: those of the menu, and those that no menu shows yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from posts.media.names import address_of, size_name
from posts.models import ALT_LENGTH, MAX_PHOTOS, Photo, Post
from posts.selectors import SHOWN
from social.models import Account
from social.selectors import BIGINT_MAX
from social.text import clean_text

KEPT, ALT = "kept", "alt-"


@dataclass(slots=True)
class PhotoRow:
    """A photo and the words that were typed for it."""

    photo: Photo
    alt: str
    errors: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The smallest picture there is of it; empty until it is ready."""
        photo = self.photo
        return address_of(size_name(photo.file, min(photo.widths))) if photo.file else photo.url


class PhotoRows:
    """`named`: whether the form says anything about photos. `gone`: whether one that it names is not there any more.
    `failed`: how many of the menu could not be used; saving it takes them off.
    """

    def __init__(
        self, cook: Account, rows: list[PhotoRow], *, named: bool, gone: bool = False, failed: int = 0
    ) -> None:
        self.cook, self.rows, self.named, self.gone, self.failed = cook, rows, named, gone, failed

    @property
    def ids(self) -> list[int]:
        return [row.photo.pk for row in self.rows]

    @property
    def kept(self) -> str:
        """As the form names them."""
        return ",".join(map(str, self.ids))

    @property
    def alts(self) -> dict[int, str]:
        return {row.photo.pk: row.alt for row in self.rows}

    @property
    def wrong(self) -> bool:
        """Whether something was said at one of them."""
        return any(row.errors for row in self.rows)

    @property
    def room(self) -> int:
        """How many more a menu may have."""
        return max(0, MAX_PHOTOS - len(self.rows))

    def add(self, photo: Photo, alt: str) -> None:
        self.rows.append(PhotoRow(photo, alt))
        self.named = True

    def take_out(self, value: str) -> None:
        self.rows = [row for row in self.rows if str(row.photo.pk) != value]

    def put_first(self, value: str) -> None:
        self.rows.sort(key=lambda row: str(row.photo.pk) != value)

    def without_gone(self, post: Post | None) -> "PhotoRows":
        """Those that are still there."""
        return typed_photos(
            self.cook, {KEPT: self.kept} | {f"{ALT}{pk}": alt for pk, alt in self.alts.items()}, post
        )

    def is_valid(self) -> bool:
        """Whether each has words that can be kept; those of a menu may be without as they were."""
        for row in self.rows:
            try:
                row.alt = clean_text(row.alt, max_length=ALT_LENGTH)
            except ValueError as error:
                row.errors = [str(error)]
                continue
            if not row.alt and (row.photo.post_id is None or row.photo.alt):
                row.errors = [_("Say in a few words what is on the photo.")]
        return not self.gone and not self.wrong


def typed_photos(cook: Account, data: Mapping[str, Any], post: Post | None = None) -> PhotoRows:
    """The photos that a form names and that are the cook's, with what was typed for them."""
    wanted = list(dict.fromkeys(_ids(data.get(KEPT, ""))))[:MAX_PHOTOS]
    own = Q(owner=cook, post=None, as_avatar=False)
    photos = Photo.objects.filter(SHOWN, own | Q(post=post) if post else own)
    found = photos.in_bulk(wanted) if wanted else {}
    rows = [PhotoRow(found[pk], data.get(f"{ALT}{pk}", found[pk].alt)) for pk in wanted if pk in found]
    return PhotoRows(cook, rows, named=KEPT in data, gone=len(rows) < len(wanted))


def photos_of(cook: Account, post: Post | None = None) -> PhotoRows:
    """The photos of a menu as they are, with those that could not be used; of a new menu none."""
    photos = list(Photo.objects.filter(post=post).order_by("position", "id")) if post else []
    rows = [PhotoRow(photo, photo.alt) for photo in photos if photo.state != Photo.State.FAILED]
    return PhotoRows(cook, rows, named=True, failed=len(photos) - len(rows))


def _ids(value: str) -> list[int]:
    """Numbers with commas between them; what is none is left out."""
    parts = [
        part for part in value[:1000].split(",") if part.isascii() and part.isdecimal() and len(part) < 20
    ]
    return [pk for part in parts if 0 < (pk := int(part)) <= BIGINT_MAX]
