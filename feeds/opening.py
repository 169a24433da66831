"""Opening a feed: everything stored that a page needs, in one round trip, under a trusted overlay."""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile

from django.conf import settings
from django.db import DatabaseError

from feeds import overlay as overlays
from feeds.epoch import known_epoch, learn_epoch
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, execute_one, keys_at
from feeds.lists.commands import Opened
from feeds.models import Outbox
from feeds.outage import postgresql
from feeds.overlay import Overlay, entry_of
from feeds.page import Item
from posts.ids import id_at

MOST_TRIES = 4  # a lapsed mark, a new epoch and a lost overlay may all fall into one read


@dataclass(frozen=True, slots=True)
class OpenFeed:
    """`stored` as of one moment, at `keys`, and an `overlay` that was read before it."""

    keys: Keys
    overlay: Overlay
    stored: Opened


def open_feed(
    viewer_id: int, *, below: int, limit: int, newest_above: int | None = None, newest_limit: int = 0
) -> OpenFeed:
    """At most `limit` ids below an id of each of the viewer's lists; and if asked the newest above another.

    ListsUnavailable also when nothing stored can be trusted.
    """
    built: Overlay | None = None
    for _ in range(MOST_TRIES):
        keys = keys_at(known_epoch())
        asked_at, copy = time.monotonic(), overlays.own_copy()
        stored = commands.open_feed(
            keys,
            viewer_id,
            overlay_position=copy.position,
            below=below,
            limit=limit,
            newest_above=newest_above,
            newest_limit=newest_limit,
        )
        overlay = copy.advanced(stored.overlay)
        if overlay is None:  # the key was lost and made anew: fetch it whole
            overlays.forget_copy()
            continue
        overlays.keep_copy(overlay, asked_at)
        if not overlay.trusted(stored.time_us):
            if built is None:
                built = _build_overlay(keys, overlay)
                continue  # the lists must be read after the overlay
            if unlisted := overlay.unlisted(built):
                # Somebody else is building, from what the outbox held before this, and the mark that he will put says
                # nothing of it. What is seen once must not be missing on the next refresh: list it first.
                execute_one(keys, overlays.list_command(keys, unlisted))
            overlay = overlay.joined(built)
        if overlay.mark is not None and overlay.mark.epoch != keys.epoch:
            learn_epoch(overlay.mark.epoch)
            built = None
            continue
        if overlay.flooded:
            raise ListsUnavailable("there are more changes under way than the overlay lists")
        return OpenFeed(keys, overlay, stored)
    raise ListsUnavailable("the overlay keeps changing")


def list_what_is_seen(opened: OpenFeed, items: Iterable[Item]) -> None:
    """List posts of the last seconds that a page, newest first, shows before the overlay does: those of raw SQL, or
    of a writer who died. Another process may still remember its author's timeline without them."""
    young = id_at(datetime.fromtimestamp(opened.stored.time_us / 1e6 - settings.FEED_OVERLAY_SECONDS, UTC))
    seen = takewhile(lambda item: item.post_id > young, items)
    entries = [
        entry_of(Outbox.Kind.PUBLISHED, item.post_id, item.card.author_id, pending=True)
        for item in seen
        if item.post_id not in opened.overlay.published
    ]
    if entries:
        with suppress(ListsUnavailable):  # away since a moment ago: readers do without it
            execute_one(opened.keys, overlays.list_command(opened.keys, entries))


def _build_overlay(keys: Keys, lapsed: Overlay) -> Overlay:
    """The overlay from the outbox. Without PostgreSQL nothing can commit: what was listed is all there is.
    ListsUnavailable, when others may be committing what cannot be read here."""
    if lapsed.mark is not None and not postgresql.may_try():
        return lapsed
    try:
        return overlays.build_overlay(keys)
    except DatabaseError as error:
        if not postgresql.failed(error) or lapsed.mark is None:
            raise ListsUnavailable(f"the outbox cannot be read: {error}") from error
        return lapsed
