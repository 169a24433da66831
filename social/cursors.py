"""Signed positions: whole numbers that travel through somebody else's hands and come back as they were.

A cursor is opaque, and bound to its purpose and its viewer; it holds positions, not rows. Pure: the key is given.
Each number travels as its distance from the one before, seven bits a byte: ids that lie close together take two or
three bytes each.
"""

import hmac
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
    payload = _packed(ids)
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
    if not payload or not hmac.compare_digest(signature, expected):
        raise InvalidCursor
    if urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
        raise InvalidCursor
    return _unpacked(payload)


def _packed(numbers: Sequence[int]) -> bytes:
    packed, before = bytearray(), 0
    for number in numbers:
        distance, before = number - before, number
        rest = distance << 1 if distance >= 0 else ~(distance << 1)  # the sign is the lowest bit
        while rest >= 0x80:
            packed.append(rest & 0x7F | 0x80)
            rest >>= 7
        packed.append(rest)
    return bytes(packed)


def _unpacked(payload: bytes) -> list[int]:
    numbers: list[int] = []
    number = rest = shift = 0
    for byte in payload:
        rest |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            number += ~(rest >> 1) if rest & 1 else rest >> 1
            numbers.append(number)
            rest = shift = 0
    return numbers
