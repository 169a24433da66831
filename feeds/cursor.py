"""Where a page of a feed begins, and what was visible when it was given; as cursors (social/cursors.py).

A page begins below an id, whether or not that post still exists. A refresh cursor holds the newest id that was
visible and those of the ten seconds before it, since a lower id may still commit; what is newer and not among them is
new.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from posts.ids import MAX_ID
from social.cursors import InvalidCursor, sign, unsign

NEWEST_FIRST = b"page"
REFRESH = b"refresh"
RANKED = b"ranked"
MOST_RECENT = 500  # ids of one moment that a cursor holds
_TEN_SECONDS = 10_000 << 12  # as a distance of ids


@dataclass(frozen=True, slots=True)
class Place:
    """A page holds ids below `position` and above `above`, but none of `seen`. `newest`: the newest id that was
    visible when the cursor was given, 0 in an empty feed."""

    position: int = MAX_ID
    above: int = 0
    newest: int = 0
    seen: frozenset[int] = frozenset()

    @property
    def at_the_top(self) -> bool:
        return self.position == MAX_ID


def recent_above(newest: int) -> int:
    """The id above which a post may still become visible that was drawn before `newest`."""
    return max(0, newest - _TEN_SECONDS)


def page_cursor(key: bytes, viewer_id: int, place: Place) -> str:
    seen = sorted(post_id for post_id in place.seen if post_id < place.position)
    return sign(key, NEWEST_FIRST, viewer_id, [place.position, place.above, place.newest, *seen])


def page_place(key: bytes, viewer_id: int, cursor: str) -> Place:
    """InvalidCursor."""
    position, above, newest, *seen = unsign(key, NEWEST_FIRST, viewer_id, cursor)
    return Place(position, above, newest, frozenset(seen))


def ranked_cursor(key: bytes, viewer_id: int, snapshot: int, position: int) -> str:
    """Where a page of a ranked list begins: a place in the list of that number, from 0 on."""
    return sign(key, RANKED, viewer_id, [snapshot, position])


def ranked_place(key: bytes, viewer_id: int, cursor: str) -> tuple[int, int]:
    """(the number of the snapshot, the position in it). InvalidCursor."""
    snapshot, position = unsign(key, RANKED, viewer_id, cursor)
    return snapshot, position


def refresh_cursor(
    key: bytes, viewer_id: int, newest: int, visible: Iterable[int], *, complete_above: int = 0
) -> str:
    """`visible`: all that were, down to ten seconds before `newest` or to `complete_above`; the newest MOST_RECENT of
    them are kept."""
    above = max(recent_above(newest), complete_above)
    recent = sorted((post_id for post_id in visible if post_id > above), reverse=True)
    if len(recent) > MOST_RECENT:
        # What commits late below these is found by a refresh of the page, not counted as new.
        recent = recent[:MOST_RECENT]
        above = recent[-1] - 1
    return sign(key, REFRESH, viewer_id, [above, newest, *recent])


def new_since(key: bytes, viewer_id: int, since: str) -> Place:
    """The place at which what is new since a refresh cursor begins. InvalidCursor."""
    above, newest, *seen = unsign(key, REFRESH, viewer_id, since)
    return Place(MAX_ID, above, newest, frozenset(seen))


def find_place(key: bytes, viewer_id: int, *, cursor: str | None, since: str | None) -> Place:
    """Where a page begins that was asked for with these. InvalidCursor, also when the two do not belong together."""
    if cursor is None:
        return Place() if since is None else new_since(key, viewer_id, since)
    place = page_place(key, viewer_id, cursor)
    if since is not None and new_since(key, viewer_id, since).above != place.above:
        raise InvalidCursor
    return place
