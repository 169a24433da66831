"""Cursors: opaque, signed, bound to viewer and order. They hold a position, not a row.

A position is a post id: the page after it begins below it, whether or not that post still exists. A refresh
cursor holds the newest id shown and the ids shown of the last 10 s, since a lower id may still commit.
"""

import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from collections.abc import Sequence
from hashlib import blake2b

from posts.ids import MAX_ID
from social.errors import InvalidInput

MAC_BYTES = 12
NEWEST_FIRST = b"page"
REFRESH = b"refresh"


class InvalidCursor(InvalidInput):
    code = "invalid_cursor"

    def __init__(self) -> None:
        super().__init__(
            "This cursor is damaged, or was made for another reader. Begin again at the first page."
        )


def _signature(key: bytes, purpose: bytes, viewer_id: int, payload: bytes) -> bytes:
    message = b"%b|%d|%b" % (purpose, viewer_id, payload)
    return blake2b(message, key=key[:64], digest_size=MAC_BYTES).digest()


def sign(key: bytes, purpose: bytes, viewer_id: int, ids: Sequence[int]) -> str:
    payload = struct.pack(f">{len(ids)}Q", *ids)
    return urlsafe_b64encode(_signature(key, purpose, viewer_id, payload) + payload).rstrip(b"=").decode()


def unsign(key: bytes, purpose: bytes, viewer_id: int, cursor: str) -> list[int]:
    """The ids in a cursor; InvalidCursor unless it was made by `sign` for this purpose and viewer."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (BadBase64, ValueError):
        raise InvalidCursor from None
    signature, payload = raw[:MAC_BYTES], raw[MAC_BYTES:]
    expected = _signature(key, purpose, viewer_id, payload)
    # The second comparison refuses other spellings of the same bytes.
    if not payload or len(payload) % 8 or not hmac.compare_digest(signature, expected):
        raise InvalidCursor
    if urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
        raise InvalidCursor
    return list(struct.unpack(f">{len(payload) // 8}Q", payload))


def page_cursor(key: bytes, viewer_id: int, position: int) -> str:
    return sign(key, NEWEST_FIRST, viewer_id, [position])


def page_position(key: bytes, viewer_id: int, cursor: str | None) -> int:
    """The id below which a page begins; without a cursor above every id."""
    return MAX_ID if cursor is None else unsign(key, NEWEST_FIRST, viewer_id, cursor)[0]


def refresh_cursor(key: bytes, viewer_id: int, newest: int, recent: Sequence[int]) -> str:
    return sign(key, REFRESH, viewer_id, [newest, *recent])
