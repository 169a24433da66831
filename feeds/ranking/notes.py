"""What viewers see and open, on its way into PostgreSQL: noted in the feed Redis, in one round trip and no statement.

Notes are figures, never in the way and never missed: what Redis does not take waits in process memory and goes with
the next one; of both only so much is kept, the newest. So with Redis lost the last seconds of them are lost (what had
not been brought to PostgreSQL yet), with a process killed in an outage its own of that outage; `dropped` counts what
found no room. A worker brings them on every two seconds (recording.py).
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from feeds.epoch import known_epoch
from feeds.lists import ListsUnavailable, commands, keys_at
from feeds.stats import count

MOST_WAITING = 20_000  # in Redis; half a minute of a seed platform's lunch, with no worker there
MOST_KEPT = 5_000  # in process memory
NOTES_SECONDS = 86_400.0
PAUSE_SECONDS = 1.0  # after a failure, lest every note waits for a Redis that is away

_lock = threading.Lock()
_kept: deque[bytes] = deque()
_try_again_at = 0.0


@dataclass(frozen=True, slots=True)
class Note:
    """`account_id` has seen these posts in its feed, or `opened` the page of one, at `at`, seconds since 1970."""

    account_id: int
    post_ids: Sequence[int]
    at: float
    opened: bool = False

    def pack(self) -> bytes:
        kind = b"o" if self.opened else b"s"
        return b"%b %d %.3f %b" % (
            kind,
            self.account_id,
            self.at,
            b" ".join(b"%d" % i for i in self.post_ids),
        )

    @classmethod
    def unpack(cls, packed: bytes) -> "Note":
        kind, account_id, at, *post_ids = packed.split()
        return cls(int(account_id), [int(i) for i in post_ids], float(at), kind == b"o")


def note_seen(account_id: int, post_ids: Sequence[int]) -> None:
    """The account has seen these in its feed."""
    if post_ids:
        _add(Note(account_id, post_ids, time.time()))


def note_opened(account_id: int, post_id: int) -> None:
    """The account has opened a menu's page."""
    _add(Note(account_id, [post_id], time.time(), opened=True))


def hand_over() -> None:
    """What waits in this process, if Redis is there to take it."""
    if _kept:
        _send([])


def _add(note: Note) -> None:
    _send([note.pack()])


def _send(notes: list[bytes]) -> None:
    global _try_again_at
    with _lock:
        waiting = [*_kept, *notes]
        _kept.clear()
        if time.monotonic() < _try_again_at:
            _keep(waiting)
            return
    try:
        dropped = commands.add_notes(
            keys_at(known_epoch()), waiting, most=MOST_WAITING, seconds=NOTES_SECONDS
        )
    except ListsUnavailable:
        with _lock:
            _try_again_at = time.monotonic() + PAUSE_SECONDS
            _keep(waiting)
        return
    if dropped:
        count("notes:dropped", dropped)


def _keep(notes: list[bytes]) -> None:
    _kept.extend(notes)
    if len(_kept) > MOST_KEPT:
        count("notes:dropped", len(_kept) - MOST_KEPT)
    while len(_kept) > MOST_KEPT:
        _kept.popleft()
