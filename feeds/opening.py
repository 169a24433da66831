"""Opening a feed: everything stored that a page needs, in one round trip, under a trusted overlay."""

import time
from dataclasses import dataclass

from django.db import DatabaseError

from feeds import overlay as overlays
from feeds.epoch import known_epoch, learn_epoch
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, keys_at
from feeds.lists.commands import Opened
from feeds.outage import postgresql
from feeds.overlay import Overlay

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
            overlay = overlay.joined(built)
        if overlay.mark is not None and overlay.mark.epoch != keys.epoch:
            learn_epoch(overlay.mark.epoch)
            built = None
            continue
        if overlay.flooded:
            raise ListsUnavailable("there are more changes under way than the overlay lists")
        return OpenFeed(keys, overlay, stored)
    raise ListsUnavailable("the overlay keeps changing")


def _build_overlay(keys: Keys, lapsed: Overlay) -> Overlay:
    """The overlay from the outbox. Without PostgreSQL nothing can commit: what was listed is all there is."""
    if lapsed.mark is not None and not postgresql.may_try():
        return lapsed
    try:
        built = overlays.build_overlay(keys)
    except DatabaseError:
        postgresql.failed()
        if lapsed.mark is None:
            raise ListsUnavailable("the overlay is lost, and PostgreSQL is away") from None
        return lapsed
    postgresql.ended()
    return built
