"""Reading a feed.

    1  overlay, then feed:{viewer}, timeline:{viewer}, follows:{viewer}, account:{viewer}     one round trip
    2  timelines of the followed pulled authors                                               process memory
    3  merge by id, newest first, drop duplicates, stop at the highest floor
    4  cards and their authors; drop deleted, unfollowed, deactivated
    5  not full? go on below; below the floor go on with the reference query
    6  page and cursor

A missing piece is built from PostgreSQL on the way. Without Redis all of it comes from there.
"""

from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.utils import timezone

from feeds.activity import mark_seen, needs_seen, prolong_feed
from feeds.cards import AccountCard, Hydrator
from feeds.cursor import page_cursor, page_position, refresh_cursor
from feeds.lists import ListsUnavailable, commands, execute_one
from feeds.merge import merge
from feeds.opening import OpenFeed, open_feed
from feeds.overlay import Overlay
from feeds.page import Filling, Item, Page
from feeds.reference import reference_page_ids
from feeds.refresher import note_read
from feeds.relations import Relations, build_relations, read_relations
from feeds.sources import Gathering
from feeds.trips import Trips
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
        self.opened: OpenFeed | None = None
        self.account: AccountCard | None = None
        self.trips = Trips()
        self.hydrator = Hydrator(None, Overlay(), self.trips)

    def fill_from_lists(self, filling: Filling) -> None:
        """Fill from what is stored; leaves `filling` where the reference query has to go on."""
        for turn in range(LIST_ROUNDS):
            begun_at = filling.position
            opened = open_feed(self.viewer_id, below=begun_at, limit=filling.missing + SLACK)
            self.opened, self.hydrator.keys, self.hydrator.overlay = opened, opened.keys, opened.overlay
            if turn == 0:
                self.check_viewer(opened.stored.account)
                self.activity(opened)
            if self.viewer_id in opened.overlay.viewers:
                return  # the lists may lack what the viewer has just followed
            self.take_merged(filling, opened)
            if filling.full or filling.ended or filling.position == begun_at:
                return

    def check_viewer(self, stored: bytes | None) -> None:
        """The account behind this read must be active, and the sign-in not ended."""
        if stored is not None and self.viewer_id not in self.hydrator.overlay.accounts:
            account: AccountCard | None = AccountCard(stored)
        else:
            account = self.hydrator.accounts([self.viewer_id]).get(self.viewer_id)
        if account is None or not account.is_active:
            raise SignedOut
        if self.version is not None and account.facts["auth_version"] != self.version:
            raise SignedOut
        self.account = account

    def activity(self, opened: OpenFeed) -> None:
        if not self.mode.touch:
            return
        if not opened.stored.feed.usable:
            self.trips.count()
            mark_seen(self.viewer_id)
        elif needs_seen(opened.stored.feed_ms_left):
            self.trips.count()
            prolong_feed(opened.keys, self.viewer_id)

    def relations(self, opened: OpenFeed) -> Relations:
        if opened.stored.follows is not None:
            return Relations.unpack(opened.stored.follows)
        self.trips.count()
        return (
            build_relations(opened.keys, self.viewer_id)
            if self.mode.store
            else read_relations(self.viewer_id)
        )

    def take_merged(self, filling: Filling, opened: OpenFeed) -> None:
        """Hydrate merged ids until the page is full; what the viewer may not see is dropped."""
        relations, begun_at = self.relations(opened), filling.position
        gathering = Gathering(
            self.viewer_id, opened, relations, begun_at, filling.missing + SLACK, self.mode.store, self.trips
        )
        merged = merge(gathering.sources(), below=begun_at)
        ids = merged.ids
        while ids and not filling.full:
            chunk, ids = ids[: filling.missing], ids[filling.missing :]
            self._take_chunk(filling, chunk, merged.origin, relations)
        if not filling.full:
            # A page may begin below the floor already: it never goes back up.
            filling.position = min(filling.position, merged.floor + 1)
            filling.ended = merged.floor == 0
        self._repair(filling)

    def _repair(self, filling: Filling) -> None:
        """Too many dead ids: the next reader builds the list without them."""
        if filling.dropped > MAX_LIMIT and self.mode.store and self.opened is not None:
            filling.dropped, keys = 0, self.opened.keys
            execute_one(keys, commands.delete_command(keys.feed(self.viewer_id)))

    def _take_chunk(
        self, filling: Filling, ids: list[int], origin: dict[int, str], relations: Relations | None
    ) -> None:
        """Show what is in the feed (None: the query has seen to follows and mutes). Deleted and unfollowed ids
        count as dropped; what can come back by itself (muted, hidden, deactivated) does not."""
        cards = self.hydrator.posts(ids)
        wanted = {card.author_id for card in cards.values() if not card.gone}
        authors = {
            author_id: author
            for author_id, author in self.hydrator.accounts(wanted).items()
            if relations is None or author_id == self.viewer_id or author_id in relations
        }
        for post_id in ids:
            card = cards.get(post_id)
            author = authors.get(card.author_id) if card else None
            if card is None or author is None:
                filling.dropped += 1
            elif author.is_active and not card.hidden and not self._mutes(relations, card.author_id):
                filling.items.append(Item(post_id, card, author, origin.get(post_id, "database")))
        if ids:
            filling.position = ids[-1]

    def _mutes(self, relations: Relations | None, author_id: int) -> bool:
        """By the clock of the Redis that has just answered."""
        return (
            relations is not None
            and self.opened is not None
            and relations.mutes(author_id, self.opened.stored.time_us)
        )

    def without_lists(self) -> None:
        """Redis is away, or not to be trusted: everything else comes from PostgreSQL."""
        self.opened = self.hydrator.keys = None

    def fill_from_database(self, filling: Filling) -> None:
        """Go on with the reference query, below what the lists gave."""
        if self.account is None:
            self.check_viewer(None)
        while not filling.full and not filling.ended:
            self.trips.count()
            wanted = filling.missing
            ids = reference_page_ids(self.viewer_id, below=filling.position, limit=wanted)
            self._take_chunk(filling, ids, {}, None)
            filling.ended = len(ids) < wanted

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
            queries=self.trips.postgresql,
        )

    def _refresh_cursor(self, items: list[Item]) -> str:
        """The newest id shown, and those of the last 10 s; for a later page, or an empty feed, the moment."""
        newest = items[0].post_id if items else id_at(timezone.now())
        floor = id_at(time_of(newest)) - RECENT_SECONDS * 1000 * 4096
        recent = [item.post_id for item in items if item.post_id > floor]
        return refresh_cursor(_cursor_key(), self.viewer_id, min(newest, MAX_ID), recent)
