"""What the files of photos are called, and their addresses.

A name is random, given once, and says nothing of the photo; what is behind it never changes. `Photo.file` is the
beginning that all sizes of a photo share (posts/leftovers.sql knows that too).
"""

import re
import secrets

from django.conf import settings

from posts.models import Photo

_PUBLIC = re.compile(r"[0-9a-f]{2}/[0-9a-f]{32}-(?:[0-9]{1,5}|square)\.webp")


def new_name() -> str:
    """A name that nobody can guess, in one of 256 folders."""
    token = secrets.token_hex(16)
    return f"{token[:2]}/{token}"


def size_name(file: str, width: int) -> str:
    return f"{file}-{width}.webp"


def square_name(file: str) -> str:
    return f"{file}-square.webp"


def is_public_name(name: str) -> bool:
    """Whether a file of the public storage can be called so."""
    return _PUBLIC.fullmatch(name) is not None


def address_of(name: str) -> str:
    return f"{settings.MEDIA_URL}{name}"


def url_of(photo: Photo) -> str:
    """The address of a photo's largest size; empty until it is ready."""
    return address_of(size_name(photo.file, photo.width)) if photo.file else photo.url


def srcset_of(photo: Photo) -> str:
    """As the attribute of that name; empty where there is one size only."""
    if len(photo.widths) < 2:
        return ""
    return ", ".join(f"{address_of(size_name(photo.file, width))} {width}w" for width in photo.widths)
