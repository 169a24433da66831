"""Signed positions: whole numbers that travel through somebody else's hands and come back as they were.

A cursor is opaque, and bound to its purpose and its viewer; it holds positions, not rows. Pure: the key is given.
"""

import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from collections.abc import Sequence
from hashlib import blake2b

from social.errors import InvalidInput

MAC_BYTES = 12


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
