"""How delivery is doing: what waits and waited in the last hour, who works on it, and what is queued."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from kombu.exceptions import ChannelError, OperationalError

MINUTE = 60
MOST_ROWS = 50_000
ANSWER_SECONDS = 0.8  # that workers have to answer in
ASKED_SECONDS = 5  # for which an answer is kept: a page that asks again does not wait again

# By the indexes outbox_done and outbox_not_done.
_ROWS = """
(SELECT extract(epoch FROM created_at)::float8, extract(epoch FROM done_at)::float8 FROM feeds_outbox
 WHERE done_at > clock_timestamp() - %(seconds)s * interval '1 second' ORDER BY done_at DESC LIMIT %(most)s)
UNION ALL
(SELECT extract(epoch FROM created_at)::float8, NULL FROM feeds_outbox
 WHERE done_at IS NULL ORDER BY id LIMIT %(most)s)
"""


@dataclass(frozen=True, slots=True)
class Minute:
    """`backlog`: changes that waited when it ended; `lag`, `longest`: seconds that those waited which were done in
    it, by the median and at most."""

    ends: int
    backlog: int
    done: int
    lag: float
    longest: float


@dataclass(frozen=True, slots=True)
class Flow:
    """`waiting` now, the oldest for `oldest` seconds. `cut`: there were more changes than were looked at."""

    minutes: list[Minute]
    waiting: int
    oldest: float
    cut: bool

    @property
    def longest(self) -> float:
        return max((minute.longest for minute in self.minutes), default=0.0)


def get_flow(*, minutes: int = 60) -> Flow:
    """Of the last minutes, the oldest first, from the outbox itself. DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        now = cursor.fetchone()[0]
        cursor.execute(_ROWS, {"seconds": (minutes + 1) * MINUTE, "most": MOST_ROWS})
        rows = cursor.fetchall()
    waiting = [created for created, done in rows if done is None]
    return Flow(
        _by_minute(rows, now, minutes),
        len(waiting),
        max((now - created for created in waiting), default=0.0),
        cut=len(rows) >= MOST_ROWS,
    )


def _by_minute(rows: Sequence[tuple[float, float | None]], now: float, minutes: int) -> list[Minute]:
    begun = sorted(created for created, _ in rows)
    ended = sorted((done, done - created) for created, done in rows if done is not None)
    ends = [done for done, _ in ended]
    last = int(now) // MINUTE * MINUTE + MINUTE
    found = []
    for end in range(last - minutes * MINUTE + MINUTE, last + 1, MINUTE):
        first, beyond = bisect_left(ends, end - MINUTE), bisect_left(ends, end)
        waits = [max(wait, 0.0) for _, wait in ended[first:beyond]]
        backlog = bisect_right(begun, min(end, now)) - bisect_right(ends, min(end, now))
        found.append(
            Minute(end, backlog, len(waits), median(waits) if waits else 0.0, max(waits, default=0.0))
        )
    return found


@dataclass(frozen=True, slots=True)
class Staffing:
    """Who works and what is queued for them. `workers`: name -> tasks at hand; `queues`: name -> messages; `problem`:
    why nobody could be asked."""

    workers: dict[str, int]
    queues: dict[str, int]
    problem: str = ""


QUEUES = ("fanout", "builds", "photos", settings.CELERY_TASK_DEFAULT_QUEUE)


def get_staffing() -> Staffing:
    """At most ASKED_SECONDS old; takes about a second when it asks."""
    kept: Staffing | None = cache.get("staffing")
    if kept is None:
        kept = _ask()
        cache.set("staffing", kept, ASKED_SECONDS)
    return kept


def _ask() -> Staffing:
    with current_app.connection_for_read() as broker:
        try:
            queues = _queue_lengths(broker)
            answers: dict[str, Any] = current_app.control.inspect(timeout=ANSWER_SECONDS).active() or {}
        except (*broker.connection_errors, *broker.channel_errors, OperationalError, OSError) as error:
            return Staffing({}, {}, f"The broker does not answer ({error}).")
    return Staffing({name: len(tasks) for name, tasks in sorted(answers.items())}, queues)


def _queue_lengths(broker: Any) -> dict[str, int]:
    lengths = {}
    for name in QUEUES:
        with broker.channel() as channel:
            try:
                lengths[name] = channel.queue_declare(queue=name, passive=True).message_count
            except ChannelError:  # it is made by its first message, and goes with its last
                lengths[name] = 0
    return lengths
