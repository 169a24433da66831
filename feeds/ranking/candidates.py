"""Where menus that may be ranked come from: the sources that FEED_RANK_SOURCES names, in their order.

A source that recommends may bring menus of cooks who are not followed; each page shows those of them that the viewer
may see at that moment, and of nobody who is muted.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from feeds.page import Filling, Item
from feeds.reader import Reader
from posts.ids import MAX_ID


class Source(Protocol):
    """The contract: a class without arguments. `name` says in answers where a menu came from; `recommends`: its menus
    need not be of cooks whom the viewer follows. `find` answers at most `limit` menus with ids above `above`, as a
    Filling that `reader` has filled: it has looked whether each may be shown. Away, ListsUnavailable are not its
    concern."""

    name: ClassVar[str]
    recommends: ClassVar[bool]

    def find(self, reader: Reader, *, above: int, limit: int) -> Filling: ...


class Followed:
    """The exact feed: one's own menus and those of whom one follows, the newest first."""

    name = "followed"
    recommends = False

    def find(self, reader: Reader, *, above: int, limit: int) -> Filling:
        filling = Filling(limit, MAX_ID, above)
        reader.fill(filling)
        return filling


@dataclass(frozen=True, slots=True)
class Found:
    """What all sources together have found, each post once. `followed` are the ids of the exact feed, complete above
    `complete_above`; `degraded`: some may be missing."""

    items: list[Item]
    source_of: dict[int, str]
    recommended: frozenset[int]
    followed: list[int]
    complete_above: int
    degraded: bool


def find_candidates(reader: Reader, *, above: int) -> Found:
    """SignedOut; Unavailable when it cannot be told who asks."""
    limit = settings.FEED_RANK_CANDIDATES
    items: dict[int, Item] = {}
    source_of: dict[int, str] = {}
    recommended, followed, complete_above, degraded = set(), [], above, False
    for source in sources():
        filling = source.find(reader, above=above, limit=limit)
        degraded |= filling.degraded
        found = filling.items[:limit]
        for item in found:
            if item.post_id not in items:
                items[item.post_id], source_of[item.post_id] = item, source.name
                if source.recommends:
                    recommended.add(item.post_id)
        if not source.recommends:
            followed += [item.post_id for item in found]
            if filling.full:
                complete_above = max(complete_above, found[-1].post_id - 1)
    return Found(list(items.values()), source_of, frozenset(recommended), followed, complete_above, degraded)


@cache
def _made(path: str) -> Source:
    return import_string(path)()


def sources() -> list[Source]:
    """ImportError."""
    return [_made(path) for path in settings.FEED_RANK_SOURCES]
