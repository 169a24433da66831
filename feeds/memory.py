"""Process memory for hot values: bounded in size and age.

Ages are monotonic and count from before the fetch. What the overlay lists as changed must not be taken from
here; the overlay lists a change for longer than anything here may be old (a system check holds that).
"""

import time
from collections.abc import Container, Hashable, Iterable
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LocalMemory(Generic[K, V]):
    """Values that are at most FEED_LOCAL_CACHE_SECONDS old, at most FEED_LOCAL_CACHE_ENTRIES of them.

    Threads may use one together: dict operations are atomic, and losing an entry costs a fetch. With a `name`, hits
    and misses are among the metrics.
    """

    named: ClassVar[dict[str, "LocalMemory[Any, Any]"]] = {}

    def __init__(self, name: str = "") -> None:
        if name:
            self.named[name] = self
        self._entries: dict[K, tuple[float, V]] = {}
        self.hits = self.misses = 0

    def get(self, key: K) -> V | None:
        return self.get_many([key])[0].get(key)

    def get_many(self, keys: Iterable[K], but: Container[K] = ()) -> tuple[dict[K, V], list[K]]:
        """What is kept of `keys`, and the rest, to which `but` belongs in any case."""
        horizon = time.monotonic() - settings.FEED_LOCAL_CACHE_SECONDS
        found: dict[K, V] = {}
        missing: list[K] = []
        for key in keys:
            entry = self._entries.get(key)
            if entry is None or entry[0] <= horizon or key in but:
                missing.append(key)
            else:
                found[key] = entry[1]
        self.hits += len(found)
        self.misses += len(missing)
        return found, missing

    def put(self, key: K, value: V, fetched_at: float) -> None:
        """Keep a value whose fetch began at `fetched_at` (time.monotonic())."""
        if len(self._entries) >= settings.FEED_LOCAL_CACHE_ENTRIES:
            self._evict()
        self._entries[key] = (fetched_at, value)

    def _evict(self) -> None:
        """Drop what is too old; if that is not a quarter, the entries that were put first as well."""
        horizon = time.monotonic() - settings.FEED_LOCAL_CACHE_SECONDS
        entries = list(self._entries.items())
        fresh = [(key, entry) for key, entry in entries if entry[0] > horizon]
        self._entries = dict(fresh[-(settings.FEED_LOCAL_CACHE_ENTRIES * 3 // 4) :])

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        self._entries = {}
