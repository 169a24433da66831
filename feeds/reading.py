"""Reading a feed.

    1  overlay, then feed:{viewer}, timeline:{viewer}, follows:{viewer}, account:{viewer}     one round trip
    2  timelines of the followed pulled authors                                               process memory
    3  merge by id, newest first, drop duplicates, stop at the highest floor
    4  cards and their authors; drop deleted, hidden, unfollowed, muted, deactivated
    5  not full? go on below; below the floor go on with the reference query
    6  page and cursors

Steps 1 to 5 are in feeds/reader.py and what it calls; here is what a page is, and what is new since one.
"""

from functools import cache

from django.conf import settings

from feeds.access import Access
from feeds.cursor import (
    MOST_RECENT,
    Place,
    find_place,
    new_since,
    page_cursor,
    recent_above,
    refresh_cursor,
)
from feeds.metrics import count_read
from feeds.page import Filling, Page, Updates
from feeds.reader import Reader, ReadMode, SignedOut
from feeds.refresher import note_read
from posts.ids import MAX_ID
from social.paging import DEFAULT_LIMIT

__all__ = ["AS_VIEWER", "LOOKING", "Page", "ReadMode", "SignedOut", "count_updates", "read_feed"]

MOST_UPDATES = 99

AS_VIEWER = ReadMode()
LOOKING = ReadMode(store=False, touch=False, limited=False)


@cache
def cursor_key() -> bytes:
    """What cursors of feeds are signed with."""
    return settings.SECRET_KEY.encode()


def read_feed(
    viewer_id: int,
    *,
    version: int | None = None,
    cursor: str | None = None,
    since: str | None = None,
    limit: int = DEFAULT_LIMIT,
    mode: ReadMode = AS_VIEWER,
) -> Page:
    """One page of a viewer's feed, or with `since`, a refresh cursor, of what was not visible when that was given.

    `version`: the authentication version that the viewer's sign-in claims. InvalidCursor, SignedOut, Unavailable.
    """
    note_read()
    place = find_place(cursor_key(), viewer_id, cursor=cursor, since=since)
    with Access(limited=mode.limited) as access:
        reader = Reader(viewer_id, version, mode, access)
        filling = Filling(limit, place.position, place.above, place.seen)
        newest, visible = _fill(reader, filling, place)
        items = reader.with_likes(filling.items[:limit])
        assert reader.account is not None
        page = Page(
            items,
            _next_cursor(viewer_id, filling, place, newest),
            refresh_cursor(cursor_key(), viewer_id, newest, visible),
            reader.account.facts,
            degraded=filling.degraded,
            queries=access.queries,
            follows=bool(items) or reader.follows_anybody(),
        )
    if mode.touch:
        count_read(page, first=cursor is None and since is None)
    return page


def count_updates(
    viewer_id: int, *, since: str, version: int | None = None, mode: ReadMode = AS_VIEWER
) -> Updates:
    """How many posts of the feed were not visible when the refresh cursor `since` was given, at most MOST_UPDATES.

    A read like any other: InvalidCursor, SignedOut, Unavailable.
    """
    note_read()
    place = new_since(cursor_key(), viewer_id, since)
    with Access(limited=mode.limited) as access:
        filling = Filling(MOST_UPDATES, place.position, place.above, place.seen)
        Reader(viewer_id, version, mode, access).fill(filling)
    return Updates(min(len(filling.items), MOST_UPDATES), filling.full)


def _fill(reader: Reader, filling: Filling, place: Place) -> tuple[int, set[int]]:
    """Fill the page: (the newest id visible now, all that are visible down to ten seconds before it)."""
    if not place.at_the_top:
        top = Filling(MOST_RECENT, MAX_ID, recent_above(place.newest))
        reader.fill(filling, top)
        return max([place.newest, *top.ids]), set(top.ids)
    reader.fill(filling)
    newest = max([place.newest, *filling.ids])
    rest = Filling(MOST_RECENT, filling.position, max(filling.above, recent_above(newest)), filling.seen)
    if not filling.ended and not filling.degraded and rest.position > rest.above + 1:
        reader.fill(rest)  # a short page, or very many posts in ten seconds
    return newest, {*place.seen, *filling.ids, *rest.ids}


def _next_cursor(viewer_id: int, filling: Filling, place: Place, newest: int) -> str | None:
    """None at the end and only there. A degraded page always has one: it stays where all is known, and remembers
    what was shown below."""
    if filling.full:
        position, shown = filling.items[filling.limit - 1].post_id, place.seen
    elif filling.degraded:
        position, shown = filling.position, place.seen.union(filling.ids)
    else:
        return None
    return page_cursor(cursor_key(), viewer_id, Place(position, place.above, newest, shown))
