"""Cursors: what was signed comes back, and nothing else does."""

import base64
from datetime import UTC, datetime

import pytest

from feeds.cursor import (
    MOST_RECENT,
    NEWEST_FIRST,
    REFRESH,
    Place,
    find_place,
    new_since,
    page_cursor,
    page_place,
    recent_above,
    refresh_cursor,
)
from posts.ids import MAX_ID, id_at
from social.cursors import InvalidCursor, sign, unsign

KEY = b"a secret of forty bytes or so, for the tests"
VIEWER, POSITION = 7, 275_000_000_000_123
NOON = id_at(datetime(2026, 5, 4, 12, tzinfo=UTC))
SECOND = 1000 << 12


@pytest.mark.parametrize(
    "ids", [[1], [MAX_ID], [0, 0], list(range(100)), [0, MAX_ID, 0, 1], [2**63 - 1, 0], [64, 63, 8192, 0]]
)
def test_the_ids_come_back(ids: list[int]) -> None:
    assert unsign(KEY, NEWEST_FIRST, VIEWER, sign(KEY, NEWEST_FIRST, VIEWER, ids)) == ids


def test_without_a_cursor_a_page_begins_above_every_id() -> None:
    assert find_place(KEY, VIEWER, cursor=None, since=None) == Place(MAX_ID, 0, 0, frozenset())


def test_a_page_cursor_gives_the_place_back() -> None:
    place = Place(POSITION, 12, POSITION + 5, frozenset({POSITION - 9, 40}))
    assert page_place(KEY, VIEWER, page_cursor(KEY, VIEWER, place)) == place


def test_what_was_shown_above_the_position_is_not_carried_on() -> None:
    place = Place(POSITION, 0, 0, frozenset({POSITION, POSITION + 1, POSITION - 1}))
    assert page_place(KEY, VIEWER, page_cursor(KEY, VIEWER, place)).seen == {POSITION - 1}


def test_what_is_new_begins_ten_seconds_before_the_newest() -> None:
    visible = [NOON, NOON - 3 * SECOND, NOON - 10 * SECOND, NOON - 20 * SECOND]
    place = new_since(KEY, VIEWER, refresh_cursor(KEY, VIEWER, NOON, visible))
    assert place == Place(MAX_ID, NOON - 10 * SECOND, NOON, frozenset(visible[:2]))


def test_in_an_empty_feed_everything_will_be_new() -> None:
    assert recent_above(0) == 0
    assert new_since(KEY, VIEWER, refresh_cursor(KEY, VIEWER, 0, [])) == Place(MAX_ID, 0, 0, frozenset())


def test_of_very_many_at_once_the_newest_are_remembered_and_the_rest_is_not_called_new() -> None:
    visible = [NOON - n * 4096 for n in range(2 * MOST_RECENT)]  # one each millisecond
    cursor = refresh_cursor(KEY, VIEWER, NOON, visible)
    place = new_since(KEY, VIEWER, cursor)
    assert place.seen == set(visible[:MOST_RECENT])
    assert place.above == visible[MOST_RECENT - 1] - 1
    assert len(cursor) < 2000  # it travels in an address


def test_a_page_of_what_is_new_goes_on_with_its_own_cursor_only() -> None:
    since = refresh_cursor(KEY, VIEWER, NOON, [NOON])
    place = new_since(KEY, VIEWER, since)
    later = page_cursor(KEY, VIEWER, Place(NOON + SECOND, place.above, NOON + 9 * SECOND, place.seen))
    assert find_place(KEY, VIEWER, cursor=later, since=since).above == place.above
    other = refresh_cursor(KEY, VIEWER, NOON + SECOND, [])
    whole = page_cursor(KEY, VIEWER, Place(POSITION))
    for cursor, given in ((later, other), (whole, since), (later, "!!!!"), (since, since)):
        with pytest.raises(InvalidCursor):
            find_place(KEY, VIEWER, cursor=cursor, since=given)


def test_it_can_stand_in_an_address_as_it_is() -> None:
    assert GOOD.isascii()
    assert all(c.isalnum() or c in "-_" for c in GOOD)


GOOD = page_cursor(KEY, VIEWER, Place(POSITION))
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
        page_place(KEY, VIEWER, damaged)


@pytest.mark.parametrize(
    "spelling",
    [GOOD + "=", GOOD + "==", GOOD[:4] + "\n" + GOOD[4:], GOOD[:4] + "!" + GOOD[4:], " " + GOOD],
)
def test_another_spelling_of_the_same_bytes_is_refused(spelling: str) -> None:
    with pytest.raises(InvalidCursor):
        page_place(KEY, VIEWER, spelling)


def test_a_last_character_with_other_spare_bits_is_refused() -> None:
    cursor = sign(KEY, REFRESH, VIEWER, [1])  # 13 bytes: four bits of the last character are spare
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
        page_place(KEY, VIEWER, refresh_cursor(KEY, VIEWER, POSITION, []))
