"""One read of one viewer's feed: pages are filled from what is stored, and from PostgreSQL where that ends.

When PostgreSQL is away, or has no time for this read, a page is made of what there is. Nothing of that is known to be
complete: the page is marked degraded, and its cursor stays where all is known (feeds/reading.py).
"""

import time
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from feeds.access import Access, Away
from feeds.activity import mark_seen, needs_seen, prolong_feed
from feeds.cards import AccountCard, Hydrator
from feeds.cursor import MOST_RECENT
from feeds.likes import Likes, build_likes, read_likes
from feeds.lists import ListsUnavailable, commands, execute_one
from feeds.lists.commands import StoredList
from feeds.merge import merge
from feeds.opening import OpenFeed, list_what_is_seen, open_feed
from feeds.overlay import Overlay
from feeds.page import Filling, Item
from feeds.queueing import enqueue_build
from feeds.reference import reference_page_ids
from feeds.relations import Relations, build_relations, read_relations
from feeds.sharing import feed_builds
from feeds.sources import Gathering, Span
from posts.ids import MAX_ID
from posts.selectors import liked_ids, visible_posts
from social.errors import Refusal, Unavailable

SLACK = 10  # ids read beyond a page's need, for those that turn out to be gone
# Windows of the stored lists that are tried, each four times as long as the one before: hundreds of muted or hidden
# menus in a row are passed over without PostgreSQL. Then the reference query goes on.
LIST_ROUNDS = 4
MOST_DROPPED = 100  # dead ids that a read passes over before it has the list built without them


class SignedOut(Refusal):
    """The account was suspended, deactivated, erased or signed out everywhere."""

    status = 401
    code = "not_authenticated"

    def __init__(self) -> None:
        super().__init__("This sign-in has ended. Sign in again.")


@dataclass(frozen=True, slots=True)
class ReadMode:
    """`store`: what was built is kept. `touch`: the read counts as the viewer's activity. `limited`: it may have to
    make do with a degraded page, where others ask PostgreSQL already."""

    store: bool = True
    touch: bool = True
    limited: bool = True


class Reader:
    def __init__(self, viewer_id: int, version: int | None, mode: ReadMode, access: Access) -> None:
        self.viewer_id, self.version, self.mode, self.access = viewer_id, version, mode, access
        self.opened: OpenFeed | None = None
        self.account: AccountCard | None = None
        self.relations: Relations | None = None
        self.hydrator = Hydrator(None, Overlay(), access)
        self._building = False

    def open(self) -> OpenFeed:
        """What is stored, without any ids, for who is still signed in; it is no visit. SignedOut, ListsUnavailable,
        Away."""
        opened = self._open_now(MAX_ID, 0, None)
        self._check_viewer(opened.stored.account)
        return opened

    def take_in_order(
        self,
        filling: Filling,
        ids: Sequence[int],
        origin: Mapping[int, str],
        recommended: frozenset[int] = frozenset(),
    ) -> None:
        """Go through posts in the order given until the page is full: those that are in the feed now, and of the
        `recommended` ones, whose authors need not be followed, those that the viewer may see. Away."""
        relations = self._relations_now()
        while ids and not filling.full:
            chunk, ids = list(ids[: filling.missing]), ids[filling.missing :]
            welcome = self._visible(recommended.intersection(chunk))
            self._take_chunk(filling, chunk, origin, relations, welcome)
        filling.ended = not filling.full

    def _relations_now(self) -> Relations:
        opened = self.opened
        if opened is not None and self.viewer_id not in opened.overlay.viewers:
            self.relations = self._relations(opened)
        else:
            with self.access.trip():
                self.relations = read_relations(self.viewer_id)
        return self.relations

    def _visible(self, post_ids: Collection[int]) -> frozenset[int]:
        if not post_ids:
            return frozenset()
        with self.access.trip():
            return frozenset(
                visible_posts(self.viewer_id).filter(pk__in=post_ids).values_list("pk", flat=True)
            )

    def fill(self, filling: Filling, top: Filling | None = None) -> None:
        """Fill a page, and `top`, what is newest in the feed, in the same round trip.

        SignedOut; Unavailable when it cannot be told who asks.
        """
        try:
            try:
                self._fill_from_lists(filling, top)
            except ListsUnavailable:
                self.without_lists()
            self._fill_from_database(filling)
            if top is not None:
                self._fill_from_database(top)
            if self.opened is not None and self.mode.store:
                list_what_is_seen(self.opened, filling.items)
        except Away:
            if self.account is None:
                raise Unavailable("A part of Courtyard is away for a moment. Try again shortly.") from None
            if not filling.full and not filling.ended:
                self._show_what_is_there(filling)
        finally:
            self._stop_building()

    # --- From what is stored -------------------------------------------------------------------------------

    def _fill_from_lists(self, filling: Filling, top: Filling | None) -> None:
        """Leaves `filling` where the reference query has to go on. ListsUnavailable, Away."""
        for turn in range(LIST_ROUNDS):
            begun_at, window = filling.position, (filling.missing + SLACK) * 4**turn
            opened = self._open(begun_at, window, top if turn == 0 else None)
            if self.account is None:
                self._check_viewer(opened.stored.account)
                self._note_activity(opened)
            if self.viewer_id in opened.overlay.viewers:
                return  # the lists may lack what the viewer has just followed
            relations, stored = self._relations(opened), opened.stored
            self.relations = relations
            span = Span(begun_at, filling.above, window)
            self._take_merged(filling, self._gathering(opened, stored.feed, stored.timeline, relations, span))
            if top is not None and turn == 0 and stored.feed.usable and stored.timeline.usable:
                span = Span(top.position, top.above, MOST_RECENT)
                lists = (stored.newest_feed, stored.newest_timeline)
                self._take_merged(top, self._gathering(opened, *lists, relations, span))
            if filling.full or filling.ended or filling.position == begun_at:
                return

    def _open(self, below: int, window: int, top: Filling | None) -> OpenFeed:
        opened = self._open_now(below, window, top)
        if not opened.stored.feed.usable and self.mode.store and not self._building:
            others_end = feed_builds.begin(self.viewer_id)
            self._building = others_end is None
            if others_end is not None and others_end.wait(settings.FEED_BUILD_WAIT_SECONDS):
                opened = self._open_now(below, window, top)
        return opened

    def _open_now(self, below: int, window: int, top: Filling | None) -> OpenFeed:
        above = None if top is None else top.above
        opened = open_feed(
            self.viewer_id, below=below, limit=window, newest_above=above, newest_limit=MOST_RECENT
        )
        self.opened, self.hydrator.keys, self.hydrator.overlay = opened, opened.keys, opened.overlay
        return opened

    def _gathering(
        self, opened: OpenFeed, feed: StoredList, timeline: StoredList, relations: Relations, span: Span
    ) -> Gathering:
        return Gathering(
            self.viewer_id, opened, feed, timeline, relations, span, self.mode.store, self.access
        )

    def _take_merged(self, filling: Filling, gathering: Gathering) -> None:
        """Hydrate merged ids until the page is full; what the viewer may not see is dropped."""
        sources = gathering.sources()
        self._stop_building()
        merged = merge(sources, below=filling.position, above=filling.above)
        ids = merged.ids
        while ids and not filling.full:
            chunk, ids = ids[: filling.missing], ids[filling.missing :]
            self._take_chunk(filling, chunk, merged.origin, gathering.relations)
        if not filling.full:
            filling.reach(merged.floor)
        self._repair(filling)

    def _stop_building(self) -> None:
        if self._building:
            self._building = False
            feed_builds.end(self.viewer_id)

    def _repair(self, filling: Filling) -> None:
        """Too many dead ids: the next reader builds the list without them."""
        if filling.dropped > MOST_DROPPED and self.mode.store and self.opened is not None:
            filling.dropped, keys = 0, self.opened.keys
            execute_one(keys, commands.delete_command(keys.feed(self.viewer_id)))

    def _relations(self, opened: OpenFeed) -> Relations:
        if opened.stored.follows is not None:
            return Relations.unpack(opened.stored.follows)
        with self.access.trip():
            if self.mode.store:
                return build_relations(opened.keys, self.viewer_id)
            return read_relations(self.viewer_id)

    def _take_chunk(
        self,
        filling: Filling,
        ids: list[int],
        origin: Mapping[int, str],
        relations: Relations | None,
        welcome: Container[int] = (),
    ) -> None:
        """Show what is in the feed (None: the query has seen to follows and mutes), and what is `welcome` whoever
        wrote it. Deleted and unfollowed ids count as dropped; what can come back by itself (muted, hidden,
        deactivated) does not."""
        wanted = [post_id for post_id in ids if post_id not in filling.seen]
        cards = {
            post_id: card
            for post_id, card in self.hydrator.posts(wanted).items()
            if not card.gone
            and (
                relations is None
                or card.author_id in relations
                or card.author_id == self.viewer_id
                or post_id in welcome
            )
        }
        authors = self.hydrator.accounts({card.author_id for card in cards.values()})
        for post_id in wanted:
            card = cards.get(post_id)
            author = authors.get(card.author_id) if card else None
            if card is None or author is None:
                filling.dropped += 1
            elif author.is_active and not card.hidden and not self._mutes(relations, card.author_id):
                filling.items.append(Item(post_id, card, author, origin.get(post_id, "database")))
        if ids:
            filling.position = ids[-1]

    def _mutes(self, relations: Relations | None, author_id: int) -> bool:
        """By the clock of the Redis that has just answered; by one's own where it is away."""
        if relations is None:
            return False
        now_us = int(time.time() * 1e6) if self.opened is None else self.opened.stored.time_us
        return relations.mutes(author_id, now_us)

    # --- Who reads -----------------------------------------------------------------------------------------

    def _check_viewer(self, stored: bytes | None) -> None:
        """The account behind this read must be active, and the sign-in not ended."""
        if stored is not None and self.viewer_id not in self.hydrator.overlay.accounts:
            account: AccountCard | None = AccountCard(stored)
        else:
            account = self.hydrator.accounts([self.viewer_id], urgent=True).get(self.viewer_id)
        if account is None or not account.is_active:
            raise SignedOut
        if self.version is not None and account.facts["auth_version"] != self.version:
            raise SignedOut
        self.account = account

    def _note_activity(self, opened: OpenFeed) -> None:
        if not self.mode.touch:
            return
        if not opened.stored.feed.usable:
            with self.access.trip():
                mark_seen(self.viewer_id)
        elif needs_seen(opened.stored.feed_ms_left):
            self.access.queries += 1
            prolong_feed(opened.keys, self.viewer_id)

    def follows_anybody(self) -> bool:
        """Asked for an empty page, which says something else to who follows nobody. True while it cannot be told."""
        if self.relations is not None:
            return bool(self.relations)
        try:
            with self.access.trip():
                return bool(read_relations(self.viewer_id))
        except Away:
            return True

    def with_likes(self, items: list[Item]) -> list[Item]:
        """The same, each with whether the viewer likes it; none while that cannot be told."""
        liked = self._liked([item.post_id for item in items]) if items else set()
        return [item.as_liked() if item.post_id in liked else item for item in items] if liked else items

    def _liked(self, post_ids: list[int]) -> set[int]:
        try:
            likes = self._likes()
            unknown = post_ids if likes is None else [i for i in post_ids if i <= likes.floor]
            liked = set() if likes is None else {post_id for post_id in post_ids if post_id in likes}
            if unknown:
                with self.access.trip():
                    liked |= liked_ids(self.viewer_id, unknown)
        except Away:
            return set()
        return liked

    def _likes(self) -> Likes | None:
        """None: Redis is away, or may not know of the latest."""
        opened = self.opened
        if opened is None or self.viewer_id in opened.overlay.undelivered_likes:
            return None
        if opened.stored.likes is not None:
            return Likes.unpack(opened.stored.likes)
        with self.access.trip():
            return build_likes(opened.keys, self.viewer_id) if self.mode.store else read_likes(self.viewer_id)

    # --- From PostgreSQL -----------------------------------------------------------------------------------

    def without_lists(self) -> None:
        """Redis is away, or not to be trusted: everything else comes from PostgreSQL."""
        self.opened = self.hydrator.keys = None

    def _fill_from_database(self, filling: Filling) -> None:
        """Go on with the reference query, below what the lists gave. Away."""
        if self.account is None:
            self._check_viewer(None)
        while not filling.full and not filling.ended:
            wanted = filling.missing
            with self.access.trip():
                ids = reference_page_ids(
                    self.viewer_id, below=filling.position, above=filling.above, limit=wanted
                )
            self._take_chunk(filling, ids, {}, None)
            filling.ended = len(ids) < wanted

    # --- From what there is --------------------------------------------------------------------------------

    def _show_what_is_there(self, filling: Filling) -> None:
        """Add what is stored below the place where the filling came to a stop; the build that it lacks is queued."""
        filling.degraded, complete_to = True, filling.position
        try:
            if self.opened is not None:
                self._take_stored(filling, self.opened)
        except ListsUnavailable:
            pass
        filling.position = complete_to
        enqueue_build(self.viewer_id)

    def _take_stored(self, filling: Filling, opened: OpenFeed) -> None:
        stored, relations = opened.stored, Relations.of([], {})
        if stored.follows is not None and self.viewer_id not in opened.overlay.viewers:
            relations = Relations.unpack(stored.follows)
        span = Span(filling.position, filling.above, filling.limit + SLACK)
        gathering = self._gathering(opened, stored.feed, stored.timeline, relations, span)
        ids = {post_id for source in gathering.stored_sources() for post_id in source.ids}
        found = sorted((i for i in ids if filling.above < i < filling.position), reverse=True)
        self.hydrator.render = False
        while found and len(filling.items) < filling.limit:
            count = filling.limit - len(filling.items)
            chunk, found = found[:count], found[count:]
            self._take_chunk(filling, chunk, {}, relations)
