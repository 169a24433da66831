"""The worker's part: sizes are made of an original, which then goes.

Harmless to repeat and to interrupt. Each try makes files of new names, leftovers until the photo names them; of two
at once the second finds the photo ready, and its files are leftovers. A photo that has cost several workers
their life is given up, as is one that cannot be read: it is on no menu any more, and its cook is told.
"""

import logging
from io import BytesIO

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.db.models.functions import Now

from posts.media.avatars import wear
from posts.media.files import AWAY, PUBLIC, UPLOADS, keep, read, store
from posts.media.imaging import BadPicture, Sizes, make_sizes
from posts.media.names import new_name, size_name, square_name
from posts.media.queueing import enqueue_processing
from posts.models import Photo
from posts.services import unannounced
from social.errors import NotFound, Unavailable
from social.services.pairs import lock_account

logger = logging.getLogger(__name__)

MOST_TRIES = 3
SWEPT_AT_ONCE = 50
MESSAGE_SECONDS = 10  # that nobody took in this time is dropped; the next sweep sends another


def process_photo(photo_id: int) -> bool:
    """Make a photo ready, or give it up; False where there is nothing to do (any more, or yet)."""
    photo = _claim(photo_id)
    if photo is None:
        return False
    if photo.tries > MOST_TRIES:
        logger.warning("Photo %s is given up after %s tries", photo_id, MOST_TRIES)
        return _give_up(photo)
    try:
        original = read(UPLOADS, photo.upload)
    except FileNotFoundError:
        logger.warning("Photo %s: its original is not there", photo_id)
        return False
    except AWAY as error:
        logger.warning("Photo %s waits for the storage: %s", photo_id, error)
        return _put_back(photo)
    try:
        sizes = make_sizes(BytesIO(original))
    except BadPicture as error:
        logger.warning("Photo %s is given up: %s", photo_id, error)
        return _give_up(photo)
    try:
        return _finish(photo, _stored(sizes), sizes)
    except Unavailable:
        return _put_back(photo)


def process_left() -> int:
    """Ask workers for what is still not ready: the broker was away, a worker was killed. How many photos."""
    left = Photo.objects.filter(state=Photo.State.PROCESSING, retry_at__lte=Now()).order_by("retry_at")
    ids = list(left.values_list("pk", flat=True)[:SWEPT_AT_ONCE])
    return sum(enqueue_processing(photo_id, expires=MESSAGE_SECONDS) for photo_id in ids)


def _claim(photo_id: int) -> Photo | None:
    """A photo to work on, one try more; not one that another worker has just begun with."""
    with transaction.atomic(), unannounced(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE posts_photo SET tries = tries + 1, retry_at = now() + %s * interval '1 second'"
            " WHERE id = %s AND state = 'processing' AND (tries = 0 OR retry_at <= now())",
            [settings.MEDIA_RETRY_SECONDS, photo_id],
        )
        if not cursor.rowcount:
            return None
    return Photo.objects.filter(pk=photo_id).first()


def _put_back(photo: Photo) -> bool:
    """The storage is away, which is no fault of the photo's: no try is counted."""
    with transaction.atomic(), unannounced(), connection.cursor() as cursor:
        cursor.execute("UPDATE posts_photo SET tries = tries - 1 WHERE id = %s AND tries > 0", [photo.pk])
    return False


def _stored(sizes: Sizes) -> str:
    """Store the sizes under a new name, which is returned. Unavailable."""
    file = new_name()
    store(PUBLIC, square_name(file), ContentFile(sizes.square))
    for width, content in sizes.files.items():
        store(PUBLIC, size_name(file, width), ContentFile(content))
    return file


def _finish(photo: Photo, file: str, sizes: Sizes) -> bool:
    """The photo is ready, and its original a leftover by the trigger. Unavailable."""
    with transaction.atomic():
        current = _lock(photo)
        if current is None:
            return False
        keep(PUBLIC, [square_name(file), *(size_name(file, width) for width in sizes.files)])
        current.state, current.upload = Photo.State.READY, ""
        current.file, current.widths = file, list(sizes.files)
        current.width, current.height = sizes.width, sizes.height
        current.save(update_fields=["state", "upload", "file", "widths", "width", "height"])
        if current.as_avatar:
            wear(current)
        return True


def _give_up(photo: Photo) -> bool:
    with transaction.atomic():
        current = _lock(photo)
        if current is None:
            return False
        if current.as_avatar:
            current.delete()  # the avatar of before stays
        else:
            current.state, current.upload = Photo.State.FAILED, ""
            current.save(update_fields=["state", "upload"])
        return True


def _lock(photo: Photo) -> Photo | None:
    """The photo as it is now, if it is still to be processed; with its owner first if it is an avatar."""
    if photo.as_avatar:
        assert photo.owner_id is not None
        try:
            lock_account(photo.owner_id)
        except NotFound:
            return None
    return Photo.objects.select_for_update().filter(pk=photo.pk, state=Photo.State.PROCESSING).first()
