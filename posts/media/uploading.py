"""An upload becomes a photo of its owner that is still to be processed.

In two halves. What takes long (looking at the picture, storing it) is done before the transaction, and leaves a
leftover at worst; the transaction makes the photo and strikes the file off.
"""

import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from posts.media.files import UPLOADS, keep, store
from posts.media.imaging import BadPicture, Look, look_at
from posts.media.names import new_name
from posts.media.queueing import enqueue_processing
from posts.models import ALT_LENGTH, Photo
from social.errors import InvalidInput, Refusal, Unavailable
from social.models import Account
from social.text import clean_text

LOOK_SECONDS, ADMISSION_SECONDS = 5.0, 0.3
NOT_SAVED = _("The photo was not saved.")
TOO_MANY = _("Too many photos arrive at once. Try again shortly.")

# A picture of many pixels takes much memory while it is decoded: one at a time in a process. One other may wait for
# it, and the rest for a moment, in which small ones have their turn; longer, and they would hold the threads that
# readers need.
_looking = threading.BoundedSemaphore(1)
_arriving = threading.BoundedSemaphore(2)


class TooLarge(Refusal):
    status = 413
    code = "too_large"


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture that was looked at and stored, and that no photo names yet."""

    name: str
    look: Look


def upload_photo(*, owner: Account, file: Any, alt: str) -> Photo:
    """A new photo of `owner`, unused and in processing; `alt` may follow (describe_photo). As store_upload."""
    upload = store_upload(file)
    with transaction.atomic():
        return _kept(upload, owner, alt)


def describe_photo(*, owner: Account, media_id: int, alt: str) -> None:
    """Say what is on one's own photo that no menu shows yet. InvalidInput by field `alt`."""
    photos = Photo.objects.filter(pk=media_id, owner=owner, post=None, as_avatar=False)
    photos.update(alt=_clean_alt(alt))


def store_upload(file: Any) -> Upload:
    """Check an uploaded file and store it. TooLarge, InvalidInput by field, Unavailable."""
    if file.size > settings.MEDIA_MAX_BYTES:
        most = f"{settings.MEDIA_MAX_BYTES / (1 << 20):g}"
        raise TooLarge(gettext("The photo is too large; at most %(most)s MB are allowed.") % {"most": most})
    look = _look_in_turn(file)
    name = new_name()
    file.seek(0)
    store(UPLOADS, name, file)
    return Upload(name, look)


def _look_in_turn(file: Any) -> Look:
    if not _arriving.acquire(timeout=ADMISSION_SECONDS):
        raise Unavailable(TOO_MANY)
    try:
        if not _looking.acquire(timeout=LOOK_SECONDS):
            raise Unavailable(TOO_MANY)
        try:
            return look_at(file)
        except BadPicture as error:
            raise InvalidInput(NOT_SAVED, errors={"file": [str(error)]}) from None
        finally:
            _looking.release()
    finally:
        _arriving.release()


def keep_upload(upload: Upload, *, owner: Account, alt: str) -> Photo:
    """In a transaction: the photo of a stored upload. InvalidInput, Unavailable."""
    return _kept(upload, owner, _clean_alt(alt))


def _clean_alt(alt: str) -> str:
    try:
        return clean_text(alt, max_length=ALT_LENGTH, required=True)
    except ValueError as error:
        raise InvalidInput(NOT_SAVED, errors={"alt": [str(error)]}) from None


def _kept(upload: Upload, owner: Account, alt: str) -> Photo:
    look = upload.look
    return keep_unprocessed(
        upload.name, owner=owner, alt=alt, width=look.width, height=look.height, placeholder=look.placeholder
    )


def keep_unprocessed(name: str, *, owner: Account, **fields: Any) -> Photo:
    """In a transaction: a photo of a stored original, which a worker is asked to process. Unavailable."""
    keep(UPLOADS, [name])
    photo = Photo.objects.create(
        owner=owner,
        upload=name,
        state=Photo.State.PROCESSING,
        retry_at=Now() + timedelta(seconds=settings.MEDIA_RETRY_SECONDS),
        **fields,
    )
    transaction.on_commit(lambda: enqueue_processing(photo.pk))
    return photo
