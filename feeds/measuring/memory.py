"""Bytes of stored feeds, by MEMORY USAGE."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from feeds.epoch import current_epoch
from feeds.keys import Keys
from feeds.lists import commands, execute_one, keys_at
from feeds.measuring.sampling import sample_accounts
from posts.ids import id_at

SAMPLE = 2_000  # accounts whose feeds are looked for
A_BATCH = 500
ENCODINGS = ("listpack", "skiplist")
FEWEST_ENTRIES = 20  # a shorter list says more about its key than about its entries
SHORT = 100  # entries that every server keeps in one block, as it is set up by default
SCRATCH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class ListMemory:
    """What lists of one encoding take. `real`: stored feeds; else one list that was made to be measured."""

    encoding: str
    lists: int
    entries: int
    bytes: int
    real: bool

    @property
    def bytes_an_entry(self) -> float:
        return self.bytes / self.entries

    @property
    def entries_a_list(self) -> float:
        return self.entries / self.lists


def measure_memory(*, entries: int) -> list[ListMemory]:
    """Of each encoding: of stored feeds where there are any, else of a list of `entries` ids made for a moment.

    Which encoding a list has is the server's choice by its length (`zset-max-listpack-entries`), which is not
    touched: one that it would not choose for lists of `entries` is measured with fewer or more ids, or not at all.
    ListsUnavailable.
    """
    keys = keys_at(current_epoch())
    found = measure_feeds(keys, sample_accounts(SAMPLE))
    for length in (entries, SHORT, 2 * max(entries, 1_000)):
        if set(found) >= set(ENCODINGS):
            break
        made = _measure_scratch(keys, length)
        if made is not None:
            found.setdefault(made.encoding, made)
    return [found[encoding] for encoding in sorted(found)]


def measure_feeds(keys: Keys, viewers: Sequence[int]) -> dict[str, ListMemory]:
    """Of the stored feeds of these viewers, by encoding; short ones are left out."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for start in range(0, len(viewers), A_BATCH):
        for size in commands.list_sizes(keys, keys.feeds(list(viewers[start : start + A_BATCH]))):
            if size is not None and size.entries >= FEWEST_ENTRIES:
                total = totals[_family(size.encoding)]
                total[0] += 1
                total[1] += size.entries
                total[2] += size.bytes
    return {
        encoding: ListMemory(encoding, lists, entries, size, real=True)
        for encoding, (lists, entries, size) in totals.items()
    }


def _family(encoding: str) -> str:
    """Older servers call a listpack ziplist."""
    return "listpack" if encoding in ("listpack", "ziplist") else encoding


def _measure_scratch(keys: Keys, entries: int) -> ListMemory | None:
    """One list, as long as it takes to look at it."""
    name, now = keys.scratch("memory"), datetime.now(UTC)
    newest = id_at(now)
    ids = [newest - n * 977 for n in range(entries)]
    expires_ms = int((now.timestamp() + SCRATCH_SECONDS) * 1000)
    token = commands.begin_list(keys, name)
    if token is None:  # another measurement is at it
        return None
    try:
        commands.store_list(keys, name, token, ids, floor=ids[-1] - 1, expires_ms=expires_ms)
        [size] = commands.list_sizes(keys, [name])
    finally:
        execute_one(keys, commands.delete_command(name))
    if size is None:
        return None
    return ListMemory(_family(size.encoding), 1, size.entries, size.bytes, real=False)
