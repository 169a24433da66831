"""The ranked feed as its reader gets it.

    first page    candidates → signals → scores → arrangement → snapshot
    later pages   the snapshot from a position on, each menu by the full rule of who sees what as of now

A menu that is out of sight by then is passed over, and the page fills up with the next ones. Without PostgreSQL
nothing is known of viewer and menus but their age; without Redis there is a first page, and its cursor leads nowhere.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from django.conf import settings

from feeds.access import Access, Away
from feeds.cursor import ranked_cursor, ranked_place, refresh_cursor
from feeds.lists import ListsUnavailable
from feeds.metrics import count_read
from feeds.page import Filling, Item, Page
from feeds.ranking import snapshot as snapshots
from feeds.ranking.arranging import arrange
from feeds.ranking.candidates import Found, find_candidates, sources
from feeds.ranking.current import current_weights
from feeds.ranking.rankers import current_ranker
from feeds.ranking.signals import Signals, read_signals, to_candidates
from feeds.ranking.snapshot import Explanation, Snapshot, SnapshotExpired, new_snapshot
from feeds.ranking.values import Placed
from feeds.ranking.weights import Values, complete
from feeds.reader import Reader, ReadMode
from feeds.reading import AS_VIEWER, cursor_key
from feeds.refresher import note_read
from posts.ids import EPOCH, id_at
from social.errors import Unavailable
from social.paging import DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class RankedPage(Page):
    """`explanations` by post; `top_cursor` begins the same list again."""

    explanations: Mapping[int, Explanation] = field(default_factory=dict)
    top_cursor: str = ""


def read_ranked(
    viewer_id: int,
    *,
    version: int | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
    mode: ReadMode = AS_VIEWER,
) -> RankedPage:
    """One page of a viewer's feed in ranked order. Without a cursor it is ranked anew.

    InvalidCursor, SnapshotExpired, SignedOut, Unavailable.
    """
    note_read()
    place = None if cursor is None else ranked_place(cursor_key(), viewer_id, cursor)
    with Access(limited=mode.limited) as access:
        reader = Reader(viewer_id, version, mode, access)
        try:
            page = _first_page(reader, limit) if place is None else _later_page(reader, *place, limit)
        except (ListsUnavailable, Away):
            raise Unavailable("A part of Courtyard is away for a moment. Try again shortly.") from None
    if mode.touch:
        count_read(page, first=cursor is None, ranked=True)
    return page


# --- Ranking anew --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Order:
    """Candidates in their places. `now` is when they were ranked, UTC."""

    found: Found
    placed: list[Placed]
    now: datetime


def rank_feed(reader: Reader, weights: Values | None = None) -> Order:
    """Everything but the snapshot; `weights` other than those in force, for a look. SignedOut, Unavailable."""
    above = id_at(max(EPOCH, datetime.now(UTC) - timedelta(seconds=settings.FEED_RANK_WINDOW)))
    found = find_candidates(reader, above=above)
    now = _now(reader)
    in_force, signals = _known(reader, found, now)
    candidates = to_candidates(found.items, found.source_of, signals)
    scored = current_ranker().score(candidates, in_force if weights is None else weights, now.timestamp())
    return Order(found, arrange(scored, now.timestamp()), now)


def _known(reader: Reader, found: Found, now: datetime) -> tuple[dict[str, float], Signals]:
    try:
        with reader.access.trip():
            return current_weights(), read_signals(reader.viewer_id, found.items, now)
    except Away:
        return complete(current_ranker().weights, {}), Signals()


def _now(reader: Reader) -> datetime:
    """By the clock of the feed Redis, which every process shares; by one's own where it is away."""
    opened = reader.opened
    return datetime.fromtimestamp(time.time() if opened is None else opened.stored.time_us / 1e6, UTC)


def _first_page(reader: Reader, limit: int) -> RankedPage:
    order = rank_feed(reader)
    shown = {
        item.post_id: item for item in order.found.items
    }  # whether each may be seen was asked a moment ago
    items = [shown[one.post_id] for one in order.placed[: limit + 1]]
    return _page(reader, _keep_snapshot(reader, order), items, 0, limit)


def _keep_snapshot(reader: Reader, order: Order) -> Snapshot:
    found = order.found
    # What is new is what is newer than the newest there is; in a feed without any, whatever comes.
    newest = max(found.followed, default=found.complete_above)
    made = new_snapshot(
        order.placed,
        made_at_us=int(order.now.timestamp() * 1e6),
        refresh_cursor=refresh_cursor(
            cursor_key(), reader.viewer_id, newest, found.followed, complete_above=found.complete_above
        ),
        degraded=found.degraded or reader.opened is None,
        parts=current_ranker().parts,
        recommends=frozenset(source.name for source in sources() if source.recommends),
    )
    if reader.opened is not None and reader.mode.store:
        try:
            snapshots.keep(reader.opened.keys, reader.viewer_id, made)
        except ListsUnavailable:
            reader.without_lists()
            return replace(made, degraded=True)  # there is no second page
    return made


# --- Pages of a snapshot -------------------------------------------------------------------------------------


def _later_page(reader: Reader, number: int, position: int, limit: int) -> RankedPage:
    """SignedOut, SnapshotExpired, ListsUnavailable, Away. Expired is also the end of a list that may lack something:
    there is no more of it, and yet it is not the end of the feed."""
    opened = reader.open()
    snapshot = snapshots.find(opened.keys, reader.viewer_id, number, now_us=opened.stored.time_us)
    ids = snapshot.ids[position:]
    if snapshot.degraded and not ids:
        raise SnapshotExpired
    origin = {post_id: snapshot.source_of(position + n) for n, post_id in enumerate(ids)}
    filling = Filling(limit, 0)
    recommended = frozenset(i for i in ids if origin[i] in snapshot.recommends)
    reader.take_in_order(filling, ids, origin, recommended)
    return _page(reader, snapshot, filling.items, position, limit)


def _page(reader: Reader, snapshot: Snapshot, found: list[Item], position: int, limit: int) -> RankedPage:
    """A page of what was found from a position on, of which more than `limit` says that the list goes on."""
    assert reader.account is not None
    items = reader.with_likes(found[:limit])
    places = {post_id: position + n for n, post_id in enumerate(snapshot.ids[position:])}

    def cursor_at(place: int) -> str:
        return ranked_cursor(cursor_key(), reader.viewer_id, snapshot.number, place)

    next_cursor = None
    if len(found) > limit:
        next_cursor = cursor_at(places[items[-1].post_id] + 1)
    elif snapshot.degraded:
        next_cursor = cursor_at(len(snapshot.ids))
    return RankedPage(
        items,
        next_cursor,
        snapshot.refresh_cursor,
        reader.account.facts,
        degraded=snapshot.degraded,
        queries=reader.access.queries,
        follows=bool(items) or reader.follows_anybody(),
        explanations={item.post_id: snapshot.explanation(places[item.post_id]) for item in items},
        top_cursor=cursor_at(0),
    )
