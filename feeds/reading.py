"""Reading a feed.

    1  overlay, then feed:{viewer}, timeline:{viewer}, follows:{viewer}, account:{viewer}     one round trip
    2  timelines of the followed pulled authors                                               process memory
    3  merge by id, newest first, drop duplicates, stop at the highest floor
    4  cards and their authors; drop deleted, unfollowed, deactivated
    5  not full? go on below; below the floor go on with the reference query
    6  page and cursor

A missing piece is built from PostgreSQL on the way. Without Redis all of it comes from PostgreSQL.
"""

import time
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from feeds import overlay as overlays
from feeds.activity import mark_seen, needs_seen, prolong_feed
from feeds.builds import build_feed, build_timeline
from feeds.cards import AccountCard, Hydrator
from feeds.cursor import page_cursor, page_position, refresh_cursor
from feeds.epoch import known_epoch, learn_epoch
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, execute_one, keys_at
from feeds.lists.commands import Opened, StoredList
from feeds.merge import Merged, Source, merge
from feeds.overlay import Overlay
from feeds.page import Filling, Item, Page
from feeds.pulled import get_timelines, pulled_set
from feeds.reference import reference_page_ids
from feeds.refresher import note_read
from feeds.relations import Following, build_following, read_following
from posts.ids import MAX_ID, id_at, time_of
from social.errors import Refusal

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
SLACK = 10  # ids read beyond a page's need, for those that turn out to be gone
LIST_ROUNDS = 4  # windows of the stored lists tried before the reference query goes on; past 100 dead ids
RECENT_SECONDS = 10


class SignedOut(Refusal):
    """The account was suspended, erased or signed out everywhere."""

    status = 401
    code = "not_authenticated"

    def __init__(self) -> None:
        super().__init__("This sign-in has ended. Sign in again.")


@dataclass(frozen=True, slots=True)
class ReadMode:
    """`store`: what was built is kept. `touch`: the read counts as the viewer's activity."""

    store: bool = True
    touch: bool = True


AS_VIEWER = ReadMode()
LOOKING = ReadMode(store=False, touch=False)


@cache
def _cursor_key() -> bytes:
    return settings.SECRET_KEY.encode()


def read_feed(
    viewer_id: int,
    *,
    version: int | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
    mode: ReadMode = AS_VIEWER,
) -> Page:
    """One page of a viewer's feed. `version`: the authentication version that the viewer's sign-in claims.

    InvalidCursor, SignedOut; DatabaseError when PostgreSQL is needed and away.
    """
    note_read()
    position = page_position(_cursor_key(), viewer_id, cursor)
    reader = Reader(viewer_id, version, mode)
    filling = Filling(limit, position)
    try:
        reader.fill_from_lists(filling)
    except ListsUnavailable:
        reader.without_lists()
    reader.fill_from_database(filling)
    return reader.page(filling, first=cursor is None)


class Reader:
    """One read of one viewer's feed."""

    def __init__(self, viewer_id: int, version: int | None, mode: ReadMode) -> None:
        self.viewer_id, self.version, self.mode = viewer_id, version, mode
        self.keys: Keys | None = None
        self.overlay = Overlay()
        self.account: AccountCard | None = None
        self.hydrator = Hydrator(None, self.overlay)
        self.queries = 0

    # --- 1: one round trip ---------------------------------------------------------------------------------

    def open(self, below: int, limit: int) -> Opened:
        """Stored lists as of one moment, under an overlay that was read before them."""
        built: Overlay | None = None
        for _ in range(4):
            keys = keys_at(known_epoch())
            asked_at, copy = time.monotonic(), overlays.own_copy()
            opened = commands.open_feed(
                keys, self.viewer_id, overlay_position=copy.position, below=below, limit=limit
            )
            overlay = copy.advanced(opened.overlay)
            if overlay is None:  # the key was lost and made anew: fetch it whole
                overlays.forget_copy()
                continue
            overlays.keep_copy(overlay, asked_at)
            if not overlay.trusted(opened.time_us):
                if built is None:
                    built = self._build_overlay(keys, overlay)
                    continue  # the lists must be read after the overlay
                overlay = overlay.joined(built)
            if overlay.mark is not None and overlay.mark.epoch != keys.epoch:
                learn_epoch(overlay.mark.epoch)
                built = None
                continue
            self.keys, self.overlay = keys, overlay
            return opened
        raise ListsUnavailable("the overlay keeps changing")

    def _build_overlay(self, keys: Keys, lapsed: Overlay) -> Overlay:
        try:
            return overlays.build_overlay(keys)
        except DatabaseError:
            if lapsed.mark is None:
                raise
            return lapsed  # without PostgreSQL nothing can commit: what was listed is all there is

    # --- 2 to 5: filling a page ----------------------------------------------------------------------------

    def fill_from_lists(self, filling: Filling) -> None:
        """Fill from what is stored; leaves `filling` where the reference query has to go on."""
        for turn in range(LIST_ROUNDS):
            opened = self.open(filling.position, filling.missing + SLACK)
            keys = self.keys
            assert keys is not None
            self.hydrator.keys, self.hydrator.overlay = keys, self.overlay
            if turn == 0:
                self.check_viewer(opened.account)
                self.activity(keys, opened)
            if self.overlay.flooded or self.viewer_id in self.overlay.viewers:
                return  # the lists may lack what the viewer has just followed
            following = self.following(keys, opened)
            merged = merge(self.sources(keys, opened, following, filling), below=filling.position)
            self.take(filling, merged, following)
            if filling.full or filling.ended or not self._cut(opened, merged.floor):
                return

    def _cut(self, opened: Opened, floor: int) -> bool:
        """Whether the merge stopped because of a LIMIT, and not where a stored list ends."""
        return max(opened.feed.floor or 0, opened.timeline.floor or 0) < floor

    def check_viewer(self, stored: bytes | None) -> None:
        """The account behind this read must be active, and the sign-in not ended."""
        if stored is not None and self.viewer_id not in self.overlay.accounts:
            account: AccountCard | None = AccountCard(stored)
        else:
            account = self.hydrator.accounts([self.viewer_id]).get(self.viewer_id)
        if account is None or not account.is_active:
            raise SignedOut
        if self.version is not None and account.facts["auth_version"] != self.version:
            raise SignedOut
        self.account = account

    def activity(self, keys: Keys, opened: Opened) -> None:
        if not self.mode.touch:
            return
        if not opened.feed.usable:
            self.queries += 1
            mark_seen(self.viewer_id)
        elif needs_seen(opened.feed_ms_left):
            self.queries += 1
            prolong_feed(keys, self.viewer_id)

    def following(self, keys: Keys, opened: Opened) -> Following:
        if opened.follows is not None:
            return Following.unpack(opened.follows)
        self.queries += 1
        return build_following(keys, self.viewer_id) if self.mode.store else read_following(self.viewer_id)

    def sources(self, keys: Keys, opened: Opened, following: Following, filling: Filling) -> list[Source]:
        """Feed, own timeline, timelines of followed pulled authors, overlay: each with its floor."""
        feed, own = self._feed(keys, opened), self._own(keys, opened)
        pulled = self._pulled(keys, following, filling, feed.floor)
        return [feed, own, *pulled, self._overlay_source(following)]

    def _feed(self, keys: Keys, opened: Opened) -> Source:
        if opened.feed.usable:
            return _source("pushed", opened.feed)
        self.queries += 1
        read = build_feed(keys, self.viewer_id, store=self.mode.store)
        return Source("pushed", read.ids, read.floor)

    def _own(self, keys: Keys, opened: Opened) -> Source:
        if opened.timeline.usable:
            return _source("own", opened.timeline)
        self.queries += 1
        ids, floor = build_timeline(keys, self.viewer_id, store=self.mode.store)
        return Source("own", ids, floor)

    def _pulled(self, keys: Keys, following: Following, filling: Filling, feed_floor: int) -> list[Source]:
        """Timelines of followed pulled authors; closed intervals only where they reach above the feed's floor."""
        until = pulled_set.get()
        authors = [a for a in following.among(until) if (until[a] or MAX_ID) > feed_floor + 1]
        timelines, queries = get_timelines(keys, authors, store=self.mode.store)
        self.queries += queries
        sources = []
        for author, timeline in timelines.items():
            end = until[author]
            position = filling.position if end is None else min(filling.position, end)
            ids, floor = timeline.below(position, filling.missing + SLACK)
            # Ids from the interval's end on were pushed: nothing of them is missing here.
            sources.append(Source("pulled", ids, floor if end is None else min(floor, end - 1)))
        return sources

    def _overlay_source(self, following: Following) -> Source:
        published = self.overlay.published.items()
        ids = [post for post, author in published if author in following or author == self.viewer_id]
        return Source("overlay", ids, 0)

    def take(self, filling: Filling, merged: Merged, following: Following) -> None:
        """Hydrate merged ids until the page is full; what the viewer may not see is dropped."""
        ids = merged.ids
        while ids and not filling.full:
            chunk, ids = ids[: filling.missing + SLACK], ids[filling.missing + SLACK :]
            self._take_chunk(filling, chunk, merged.origin, following)
        if not filling.full:
            # A page may begin below the floor already: it never goes back up.
            filling.position = min(filling.position, merged.floor + 1)
            filling.ended = merged.floor == 0
        self._repair(filling)

    def _repair(self, filling: Filling) -> None:
        """Too many dead ids: the next reader builds the list without them."""
        if filling.dropped > MAX_LIMIT and self.mode.store and self.keys is not None:
            filling.dropped = 0
            execute_one(self.keys, commands.delete_command(self.keys.feed(self.viewer_id)))

    def _take_chunk(
        self, filling: Filling, ids: list[int], origin: dict[int, str], following: Following | None
    ) -> None:
        cards = self.hydrator.posts(ids)
        authors = self.hydrator.accounts({card.author_id for card in cards.values() if not card.gone})
        for post_id in ids:
            card = cards.get(post_id)
            author = authors.get(card.author_id) if card else None
            if card is None or author is None or not self._shows(card.author_id, following):
                filling.dropped += 1
            elif author.is_active and not filling.full:
                filling.items.append(Item(post_id, card, author, origin.get(post_id, "database")))
            filling.position = post_id

    def _shows(self, author_id: int, following: Following | None) -> bool:
        """In the feed: own, or followed (None: the query has seen to it)."""
        return following is None or author_id == self.viewer_id or author_id in following

    def without_lists(self) -> None:
        """Redis is away: everything else comes from PostgreSQL."""
        self.keys = None
        self.hydrator.keys = None

    def fill_from_database(self, filling: Filling) -> None:
        """Go on with the reference query, below what the lists gave."""
        if self.account is None:
            self.check_viewer(None)
        while not filling.full and not filling.ended:
            self.queries += 1
            wanted = filling.missing
            ids = reference_page_ids(self.viewer_id, below=filling.position, limit=wanted)
            self._take_chunk(filling, ids, {}, None)
            filling.ended = len(ids) < wanted

    # --- 6: page and cursor --------------------------------------------------------------------------------

    def page(self, filling: Filling, *, first: bool) -> Page:
        items = filling.items[: filling.limit]
        key, next_cursor = _cursor_key(), None
        if filling.full:
            next_cursor = page_cursor(key, self.viewer_id, items[-1].post_id)
        assert self.account is not None
        return Page(
            items,
            next_cursor,
            self._refresh_cursor(items if first else []),
            self.account.facts,
            queries=self.queries + self.hydrator.queries,
        )

    def _refresh_cursor(self, items: list[Item]) -> str:
        """The newest id shown, and those of the last 10 s; for a later page, or an empty feed, the moment."""
        newest = items[0].post_id if items else id_at(timezone.now())
        floor = id_at(time_of(newest)) - RECENT_SECONDS * 1000 * 4096
        recent = [item.post_id for item in items if item.post_id > floor]
        return refresh_cursor(_cursor_key(), self.viewer_id, min(newest, MAX_ID), recent)


def _source(name: str, stored: StoredList) -> Source:
    """A stored list as far as it was read: cut by a LIMIT, it is complete down to the lowest id read."""
    assert stored.floor is not None
    floor = max(stored.floor, stored.ids[-1] - 1) if stored.cut and stored.ids else stored.floor
    return Source(name, stored.ids, floor)
