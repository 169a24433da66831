"""The feed's cursors: opaque, signed, bound to viewer and order (social/cursors.py).

A position is a post id: the page after it begins below it, whether or not that post still exists. A refresh
cursor holds the newest id shown and the ids shown of the last 10 s, since a lower id may still commit.
"""

from collections.abc import Sequence

from posts.ids import MAX_ID
from social.cursors import InvalidCursor, sign, unsign

__all__ = ["InvalidCursor", "page_cursor", "page_position", "refresh_cursor", "sign", "unsign"]

NEWEST_FIRST = b"page"
REFRESH = b"refresh"


def page_cursor(key: bytes, viewer_id: int, position: int) -> str:
    return sign(key, NEWEST_FIRST, viewer_id, [position])


def page_position(key: bytes, viewer_id: int, cursor: str | None) -> int:
    """The id below which a page begins; without a cursor above every id."""
    return MAX_ID if cursor is None else unsign(key, NEWEST_FIRST, viewer_id, cursor)[0]


def refresh_cursor(key: bytes, viewer_id: int, newest: int, recent: Sequence[int]) -> str:
    return sign(key, REFRESH, viewer_id, [newest, *recent])
