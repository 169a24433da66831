"""Cursors: what was signed comes back, and nothing else does."""

import base64

import pytest

from feeds.cursor import (
    NEWEST_FIRST,
    REFRESH,
    InvalidCursor,
    page_cursor,
    page_position,
    refresh_cursor,
    sign,
    unsign,
)
from posts.ids import MAX_ID

KEY = b"a secret of forty bytes or so, for the tests"
VIEWER, POSITION = 7, 275_000_000_000_123


@pytest.mark.parametrize("ids", [[1], [MAX_ID], [0, 0], list(range(100))])
def test_the_ids_come_back(ids: list[int]) -> None:
    assert unsign(KEY, NEWEST_FIRST, VIEWER, sign(KEY, NEWEST_FIRST, VIEWER, ids)) == ids


def test_without_a_cursor_a_page_begins_above_every_id() -> None:
    assert page_position(KEY, VIEWER, None) == MAX_ID
    assert page_position(KEY, VIEWER, page_cursor(KEY, VIEWER, POSITION)) == POSITION


def test_it_can_stand_in_an_address_as_it_is() -> None:
    cursor = page_cursor(KEY, VIEWER, POSITION)
    assert cursor.isascii()
    assert all(c.isalnum() or c in "-_" for c in cursor)


GOOD = page_cursor(KEY, VIEWER, POSITION)
RAW = base64.urlsafe_b64decode(GOOD + "=" * (-len(GOOD) % 4))


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        " ",
        "!!!!",
        "null",
        str(POSITION),
        "é" + GOOD[1:],
        "٣" * 27,
        "\x00" + GOOD,
        GOOD[:-1],
        GOOD[1:],
        GOOD + "A",
        GOOD + GOOD,
        GOOD[::-1],
        GOOD.swapcase(),
        encoded(RAW[:12]),
        encoded(RAW[:-1]),
        encoded(RAW + b"\x00" * 8),
        encoded(b"\x00" * len(RAW)),
        *[encoded(RAW[:i] + bytes([RAW[i] ^ 1]) + RAW[i + 1 :]) for i in range(len(RAW))],
    ],
)
def test_damage_is_refused(damaged: str) -> None:
    with pytest.raises(InvalidCursor):
        page_position(KEY, VIEWER, damaged)


@pytest.mark.parametrize(
    "spelling",
    [GOOD + "=", GOOD + "==", GOOD[:4] + "\n" + GOOD[4:], GOOD[:4] + "!" + GOOD[4:], " " + GOOD],
)
def test_another_spelling_of_the_same_bytes_is_refused(spelling: str) -> None:
    with pytest.raises(InvalidCursor):
        page_position(KEY, VIEWER, spelling)


def test_a_last_character_with_other_spare_bits_is_refused() -> None:
    cursor = sign(KEY, REFRESH, VIEWER, [1, 2])  # 28 bytes: two bits of the last character are spare
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    twin = cursor[:-1] + alphabet[alphabet.index(cursor[-1]) + 1]
    with pytest.raises(InvalidCursor):
        unsign(KEY, REFRESH, VIEWER, twin)


@pytest.mark.parametrize(
    ("key", "purpose", "viewer"),
    [
        (KEY, NEWEST_FIRST, VIEWER + 1),
        (KEY, NEWEST_FIRST, 77),
        (KEY, REFRESH, VIEWER),
        (b"another secret", NEWEST_FIRST, VIEWER),
    ],
)
def test_a_foreign_cursor_is_refused(key: bytes, purpose: bytes, viewer: int) -> None:
    with pytest.raises(InvalidCursor):
        unsign(key, purpose, viewer, GOOD)


def test_a_refresh_cursor_is_no_page_cursor() -> None:
    with pytest.raises(InvalidCursor):
        page_position(KEY, VIEWER, refresh_cursor(KEY, VIEWER, POSITION, []))
