"""What all processes count together: each keeps its own counts and hands them to the feed Redis every few seconds,
where they add up by minute and by hour.

They are figures for staff, and no more: a process that dies loses its last seconds, and with Redis they begin anew;
who shows them says since when. Nothing here is on the way of a read but an addition.
"""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from feeds.epoch import known_epoch
from feeds.keys import Keys
from feeds.lists import Command, ListsUnavailable, execute, keys_at
from feeds.memory import LocalMemory

HAND_OVER_SECONDS = 5.0
MINUTE, HOUR, DAY = 60, 3_600, 86_400
MINUTES_KEPT, HOURS_KEPT = 2 * HOUR, 26 * HOUR  # as expiry

_lock = threading.Lock()
_counts: Counter[str] = Counter()
_handed_over_at = 0.0
_memory_told: dict[str, int] = {}


def count(name: str, number: float = 1) -> None:
    """`name` is one of a few that are written in code, never made of data."""
    with _lock:
        _counts[name] += number  # type: ignore[assignment]


def hand_over(*, at_once: bool = False) -> None:
    """Add what was counted to everybody's figures, at most every HAND_OVER_SECONDS. What Redis does not take is kept
    for the next time."""
    global _handed_over_at
    now = time.monotonic()
    with _lock:
        if not at_once and now - _handed_over_at < HAND_OVER_SECONDS:
            return
        _handed_over_at = now
        taken = Counter(_counts)
        _counts.clear()
    taken.update(_memory_look_ups())
    if not taken:
        return
    try:
        keys = keys_at(known_epoch())
        execute(keys, _additions(keys, taken, time.time()))
    except ListsUnavailable:
        with _lock:
            _counts.update(taken)


def _memory_look_ups() -> Counter[str]:
    """Hits and misses of process memory since the last time."""
    since: Counter[str] = Counter()
    for kind, memory in LocalMemory.named.items():
        for outcome, total in (("hit", memory.hits), ("miss", memory.misses)):
            name = f"memory:{kind}:{outcome}"
            since[name] = total - _memory_told.get(name, 0)
            _memory_told[name] = total
    return +since


def _additions(keys: Keys, counts: Mapping[str, float], now: float) -> list[Command]:
    commands: list[Command] = []
    for length, kept in ((MINUTE, MINUTES_KEPT), (HOUR, HOURS_KEPT)):
        name = keys.counts(length, int(now) // length)
        commands += [("HINCRBYFLOAT", name, field, f"{number:.6f}") for field, number in counts.items()]
        commands.append(("EXPIRE", name, kept))
    return commands


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one span of time that begins at `at` (POSIX seconds)."""

    at: int
    numbers: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.numbers.get(name, 0.0)


def last_minutes(minutes: int = 60) -> list[Counts]:
    """The oldest first, the current one last. ListsUnavailable."""
    return _read(MINUTE, minutes)


def last_hours(hours: int = 24) -> list[Counts]:
    return _read(HOUR, hours)


def _read(length: int, spans: int) -> list[Counts]:
    keys, current = keys_at(known_epoch()), int(time.time()) // length
    numbers = range(current - spans + 1, current + 1)
    replies = execute(keys, [("HGETALL", keys.counts(length, number)) for number in numbers])
    return [
        Counts(number * length, {name.decode(): float(value) for name, value in _pairs(reply)})
        for number, reply in zip(numbers, replies, strict=True)
    ]


def _pairs(reply: object) -> list[tuple[bytes, bytes]]:
    """Of a hash, as a server of either protocol answers it."""
    if isinstance(reply, dict):
        return list(reply.items())
    assert isinstance(reply, list)
    return list(zip(reply[::2], reply[1::2], strict=True))


def opens_a_day() -> tuple[float, float] | None:
    """(first pages of feeds in the last day, seconds of it in which they were counted); None: nothing was counted.
    ListsUnavailable."""
    hours = last_hours(24)
    counted = [hour for hour in hours if hour.numbers]
    if not counted:
        return None
    covered = min(time.time() - counted[0].at, float(DAY))
    return sum(hour["opens"] for hour in counted), max(covered, 1.0)
