"""Storing, reading and deleting files. A file is on the list of leftovers until a photo names it."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from posts.models import Leftover
from social.errors import Unavailable

logger = logging.getLogger(__name__)

PUBLIC, UPLOADS = Leftover.Storage.PUBLIC, Leftover.Storage.UPLOADS
AWAY = (OSError, BotoCoreError, ClientError)  # how storages say that they cannot
LONGEST_SECONDS = 3600  # from listing a file to keeping it; later it is deleted

NOT_STORED = _("Photos cannot be stored at the moment. Try again shortly.")


def store(storage: Leftover.Storage, name: str, content: Any) -> None:
    """Store a file under a new name; it stays a leftover until it is kept. Unavailable.

    Listed first, outside any transaction: whatever happens next, somebody knows of the file.
    """
    Leftover.objects.create(storage=storage, name=name, due_at=Now() + timedelta(seconds=LONGEST_SECONDS))
    try:
        storages[storage].save(name, content)
    except AWAY as error:
        logger.warning("Storage %s: %s", storage, error)
        raise Unavailable(NOT_STORED) from error


def keep(storage: Leftover.Storage, names: Iterable[str]) -> None:
    """In the transaction that makes a photo name them: files that are no leftovers any more. Unavailable."""
    names = list(names)
    kept, _ = Leftover.objects.filter(storage=storage, name__in=names).delete()
    if kept != len(names):  # it took so long that they have been deleted
        raise Unavailable(NOT_STORED)


def read(storage: Leftover.Storage, name: str) -> bytes:
    """All of a file. One of AWAY, which FileNotFoundError is too."""
    with storages[storage].open(name) as file:
        content: bytes = file.read()
        return content


def copy(storage: Leftover.Storage, name: str, new: str) -> None:
    """A file once more under a new name, as by `store`. Unavailable."""
    try:
        content = read(storage, name)
    except AWAY as error:
        logger.warning("Storage %s: %s", storage, error)
        raise Unavailable(NOT_STORED) from error
    store(storage, new, ContentFile(content))


def remove(storage: str, name: str) -> None:
    """Delete a file; harmless to repeat. One of AWAY."""
    storages[storage].delete(name)
