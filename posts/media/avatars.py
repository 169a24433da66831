"""Avatars: a square of one's own photo.

An avatar is a photo of its own, a copy: it outlives the menu it was taken from, and replacing it deletes no other.
"""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from posts.media.files import PUBLIC, UPLOADS, copy, keep
from posts.media.names import address_of, new_name, square_name
from posts.media.uploading import keep_unprocessed, store_upload
from posts.models import Photo
from social.errors import InvalidInput
from social.models import Account
from social.services.pairs import lock_account

NO_PHOTO = _("There is no such photo of yours.")


def prepare_avatar(account_id: int, media_id: int | None) -> Callable[[Account], None]:
    """Copy what the avatar takes; what comes back makes it the avatar, in the transaction that holds the account's
    row. None: no avatar. InvalidInput, Unavailable.
    """
    if media_id is None:
        return _take_off
    photo = Photo.objects.filter(pk=media_id, owner_id=account_id).exclude(state=Photo.State.FAILED).first()
    if photo is None:
        raise InvalidInput(gettext("Nothing was changed."), errors={"avatar_media_id": [NO_PHOTO]})
    new = new_name()
    if photo.state == Photo.State.READY:
        copy(PUBLIC, square_name(photo.file), square_name(new))
        return lambda account: _wear_ready(account, photo, new)
    copy(UPLOADS, photo.upload, new)
    return lambda account: _await(account, photo, new)


def upload_avatar(*, owner: Account, file: Any) -> None:
    """An uploaded picture becomes the avatar when it is processed. As `store_upload`; NotFound."""
    upload = store_upload(file)
    look = upload.look
    with transaction.atomic():
        account = lock_account(owner.pk)
        keep_unprocessed(upload.name, owner=account, as_avatar=True, width=look.width, height=look.height)


def wear(photo: Photo) -> None:
    """In the transaction that holds the owner's row: the account shows this photo, and those before it go."""
    assert photo.owner is not None
    _delete_avatars(photo.owner, but=photo.pk)
    _save_address(photo.owner, address_of(square_name(photo.file)))


def _wear_ready(account: Account, photo: Photo, file: str) -> None:
    keep(PUBLIC, [square_name(file)])
    made = Photo.objects.create(owner=account, as_avatar=True, file=file, alt=photo.alt)
    _delete_avatars(account, but=made.pk)
    _save_address(account, address_of(square_name(file)))


def _await(account: Account, photo: Photo, upload: str) -> None:
    """The avatar of before stays until the new one is ready."""
    keep_unprocessed(
        upload, owner=account, as_avatar=True, alt=photo.alt, width=photo.width, height=photo.height
    )


def _take_off(account: Account) -> None:
    Photo.objects.filter(owner=account, as_avatar=True).delete()
    _save_address(account, "")


def _delete_avatars(account: Account, *, but: int) -> None:
    """Those before one; a later one is still in processing, and will take its place."""
    Photo.objects.filter(owner=account, as_avatar=True, pk__lt=but).delete()


def _save_address(account: Account, address: str) -> None:
    if account.avatar_url != address:
        account.avatar_url = address
        account.save(update_fields=["avatar_url"])
