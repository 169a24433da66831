"""Pulled authors as readers need them: the set of intervals, and their timelines in process memory."""

import time
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError

from feeds.access import Access, Away
from feeds.builds import build_timeline
from feeds.keys import Keys
from feeds.lists import commands
from feeds.memory import LocalMemory
from feeds.models import PulledAuthor
from feeds.outage import postgresql


class PulledSet:
    """Every interval: author id -> `until_id`, None while it is open. At most FEED_LOCAL_CACHE_SECONDS old.

    When PostgreSQL is away it may be older: then nothing can cross.
    """

    def __init__(self) -> None:
        self._read_at = float("-inf")
        self._until: dict[int, int | None] = {}

    def get(self) -> Mapping[int, int | None]:
        """Away, when it was never read and cannot be now."""
        if time.monotonic() - self._read_at >= settings.FEED_LOCAL_CACHE_SECONDS:
            try:
                self.refresh()
            except DatabaseError as error:
                raise Away(str(error)) from error
        return self._until

    def known(self) -> Mapping[int, int | None]:
        """The set at hand, however old."""
        return self._until

    def refresh(self) -> None:
        """Read the set anew; while PostgreSQL is away the one at hand goes on. DatabaseError if there is none."""
        asked_at, known = time.monotonic(), self._read_at != float("-inf")
        if known and not postgresql.may_try():
            return
        try:
            self._until = dict(PulledAuthor.objects.values_list("author_id", "until_id"))
        except DatabaseError as error:
            if not postgresql.failed(error) or not known:
                raise
            return
        self._read_at = asked_at

    def forget(self) -> None:
        self._read_at = float("-inf")


pulled_set = PulledSet()


@dataclass(frozen=True, slots=True)
class Timeline:
    """An author's ids, rising, complete above `floor`."""

    ids: tuple[int, ...]
    floor: int

    def between(self, above: int, below: int, limit: int) -> tuple[list[int], int]:
        """At most `limit` ids between two ids, the newest first, and the floor of what is returned."""
        end = bisect_right(self.ids, below - 1)
        lowest = bisect_right(self.ids, above) if above else 0
        start = max(lowest, end - limit)
        ids = list(self.ids[start:end])[::-1]
        # Late pushes of old posts lie below the floor: they do not lower it.
        return ids, (max(ids[-1] - 1, self.floor) if start > lowest else max(above, self.floor))


timeline_memory: LocalMemory[int, Timeline] = LocalMemory("timelines")


def get_timelines(keys: Keys, authors: Iterable[int], *, store: bool, access: Access) -> dict[int, Timeline]:
    """The timelines of authors: process memory, then Redis, then PostgreSQL. ListsUnavailable, Away."""
    authors, asked_at = list(authors), time.monotonic()
    found = stored_timelines(keys, authors)
    for author in authors:
        if author not in found:
            with access.trip():
                ids, floor = build_timeline(keys, author, store=store)
            found[author] = Timeline(tuple(reversed(ids)), floor)
            timeline_memory.put(author, found[author], asked_at)
    return found


def stored_timelines(keys: Keys, authors: Iterable[int]) -> dict[int, Timeline]:
    """Those that process memory or Redis have. ListsUnavailable."""
    found, stale = timeline_memory.get_many(authors)
    if stale:
        asked_at = time.monotonic()
        stored = commands.read_lists(keys, [keys.timeline(a) for a in stale], limit=settings.FEED_LENGTH * 2)
        for author, got in zip(stale, stored, strict=True):
            if got.floor is not None:
                floor = max(got.ids[-1] - 1, got.floor) if got.cut and got.ids else got.floor
                found[author] = Timeline(tuple(reversed(got.ids)), floor)
                timeline_memory.put(author, found[author], asked_at)
    return found
