"""How fast this installation pushes and merges: the real code on scratch lists in the real Redis, for a moment."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from django.conf import settings

from feeds.epoch import current_epoch
from feeds.fanout import TRIM_SHARE, read_followers
from feeds.keys import Keys
from feeds.lists import Command, commands, execute, execute_one, keys_at
from feeds.merge import Source, merge
from feeds.models import PulledAuthor
from feeds.pulled import Timeline
from feeds.reading import LOOKING, SignedOut, read_feed
from posts.ids import MAX_ID, id_at
from social.models import Account
from social.paging import DEFAULT_LIMIT

LISTS = 100  # that are pushed to
LISTS_A_FILL = 20  # filled in one go: a reader waits behind no more
LONGEST_LIST = 1_000
SCRATCH_MS = 60_000
PUSH_SECONDS, PAUSE_SECONDS = 0.15, 0.002
MERGED = 30  # timelines
READS = 20


@dataclass(frozen=True, slots=True)
class Rates:
    """`pushes`: ids a second into followers' feeds by one worker, the look-up of followers included. Seconds: of one
    more timeline in a read (`merge`), of fetching one from Redis (`refresh`), of a warm read (`read`; None: no feed
    is stored that could be read)."""

    pushes: float
    merge: float
    refresh: float
    read: float | None
    measured_at: datetime


def measure_rates(viewers: list[int]) -> Rates:
    """Takes about half a second, and leaves nothing behind. `viewers`: whose stored feeds may be read.
    ListsUnavailable."""
    keys = keys_at(current_epoch())
    return Rates(
        pushes=1 / (_push_seconds(keys) + _follower_seconds()),
        merge=_merge_seconds(),
        refresh=_refresh_seconds(keys),
        read=_read_seconds(keys, viewers),
        measured_at=datetime.now(UTC),
    )


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _ids(count: int) -> list[int]:
    """Rising, as of the last days: a menu a minute."""
    newest = id_at(datetime.now(UTC))
    return [newest - n * (60_000 << 12) for n in range(count, 0, -1)]


def _push_seconds(keys: Keys) -> float:
    """Of one id into one list that is full, trims included."""
    names = [keys.scratch(f"push:{n}") for n in range(LISTS)]
    length = min(settings.FEED_LENGTH, LONGEST_LIST)
    try:
        _fill(keys, names, _ids(length))
        seconds, pushed, newest = 0.0, 0, id_at(datetime.now(UTC))
        while seconds < PUSH_SECONDS and pushed < 50_000:
            trim = pushed // LISTS % round(1 / TRIM_SHARE) == 0
            newest += 1
            push = commands.push_command(names, [newest], length=length, trim=trim)
            seconds += _timed(lambda push=push: execute_one(keys, push))  # type: ignore[misc]
            pushed += LISTS
            time.sleep(PAUSE_SECONDS)  # readers go first
        return seconds / pushed
    finally:
        execute_one(keys, commands.delete_command(*names))


def _fill(keys: Keys, names: list[str], ids: list[int]) -> None:
    pairs = [value for post_id in ids for value in (post_id, post_id)]
    for start in range(0, len(names), LISTS_A_FILL):
        part = names[start : start + LISTS_A_FILL]
        fills: list[Command] = []
        for name in part:
            fills += [("ZADD", name, *pairs, ids[0] - 1, "floor"), ("PEXPIRE", name, SCRATCH_MS)]
        execute(keys, fills)


def _follower_seconds() -> float:
    """Of looking up one follower of the most followed cook who is pushed; nothing where nobody is."""
    pulled = PulledAuthor.objects.filter(until_id=None).values("author_id")
    pushed = Account.objects.filter(is_cook=True).exclude(pk__in=pulled).order_by("-follower_count", "id")
    author = pushed.first()
    if author is None or author.follower_count == 0:
        return 0.0
    asked = min(author.follower_count, settings.FANOUT_BATCH_SIZE)
    return median(_timed(lambda: read_followers([author.pk], 0, asked)) for _ in range(3)) / asked


def _merge_seconds() -> float:
    """Of one more timeline: a page with MERGED of them, less the page without."""
    ids = _ids(min(settings.FEED_LENGTH, LONGEST_LIST))
    timelines = [Timeline(tuple(post_id - n for post_id in ids), 0) for n in range(MERGED)]
    feed = Source("pushed", ids[:-DEFAULT_LIMIT:-1], 0)

    def page(pulled: list[Timeline]) -> None:
        window = DEFAULT_LIMIT + 10
        sources = [feed]
        for timeline in pulled:
            found, floor = timeline.between(0, MAX_ID, window)
            sources.append(Source("pulled", found, floor))
        merge(sources, below=MAX_ID)

    with_them = median(_timed(lambda: page(timelines)) for _ in range(READS))
    without = median(_timed(lambda: page([])) for _ in range(READS))
    return max(with_them - without, 0.0) / MERGED


def _refresh_seconds(keys: Keys) -> float:
    name = keys.scratch("timeline")
    try:
        _fill(keys, [name], _ids(min(settings.FEED_LENGTH, LONGEST_LIST)))
        return median(
            _timed(lambda: commands.read_lists(keys, [name], limit=settings.FEED_LENGTH * 2))
            for _ in range(READS)
        )
    finally:
        execute_one(keys, commands.delete_command(name))


def _read_seconds(keys: Keys, viewers: list[int]) -> float | None:
    """Of a first page from stored lists, as its viewer would get it; looking is no visit."""
    sizes = commands.list_sizes(keys, keys.feeds(viewers[:500]))
    stored = [viewer for viewer, size in zip(viewers, sizes, strict=False) if size is not None][:READS]
    seconds = []
    for viewer in stored:
        try:
            read_feed(viewer, mode=LOOKING)  # cards come into memory, as at any hour when somebody reads
            seconds.append(_timed(lambda viewer=viewer: read_feed(viewer, mode=LOOKING)))  # type: ignore[misc]
        except SignedOut:
            continue
    return median(seconds) if seconds else None
