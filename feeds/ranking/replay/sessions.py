"""Sessions: the menus that one account opened, with no pause of half an hour or more between two."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random

from django.db import connection

PAUSE_SECONDS = 1_800.0

_NEWEST = "SELECT (max(at) AT TIME ZONE 'UTC')::date FROM posts_opening"
_OPENINGS = """
SELECT account_id, extract(epoch FROM at)::float8, post_id FROM posts_opening
WHERE at >= %s AND at < %s ORDER BY account_id, at, post_id
"""
# When each of them saw the first menu in its last half hour or less before a moment. Moments of menus that were seen
# are whole seconds.
_BEGUN = """
SELECT n, min(seen.at) FROM unnest(%s::bigint[], %s::float8[]) WITH ORDINALITY session (viewer_id, opened_at, n)
JOIN feeds_seen ON feeds_seen.viewer_id = session.viewer_id
    AND day BETWEEN (to_timestamp(opened_at - %s) AT TIME ZONE 'UTC')::date
        AND (to_timestamp(opened_at) AT TIME ZONE 'UTC')::date
CROSS JOIN LATERAL unnest(moments) seen (at)
WHERE seen.at > opened_at - %s AND seen.at < opened_at GROUP BY n
"""


@dataclass(frozen=True, slots=True)
class Session:
    """`began` is when its feed is taken to have been put in order, in seconds since 1970."""

    viewer_id: int
    began: float
    post_ids: tuple[int, ...]

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.began, UTC)


def newest_day() -> date | None:
    """The newest with openings, UTC."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST)
        day: date | None = cursor.fetchone()[0]
        return day


def bounds_of(day: date) -> tuple[datetime, datetime]:
    """Its begin and its end, UTC."""
    begin = datetime.combine(day, time(), UTC)
    return begin, begin + timedelta(days=1)


def sessions_of(day: date) -> list[Session]:
    """All of a day, by account and time. They begin with their first opening; one over midnight counts as two."""
    with connection.cursor() as cursor:
        cursor.execute(_OPENINGS, bounds_of(day))
        return list(split(cursor))


def split(openings: Iterable[tuple[int, float, int]]) -> Iterator[Session]:
    """Sessions of (account, at, menu), which come by account and time."""
    viewer, began, last, post_ids = 0, 0.0, 0.0, list[int]()
    for account_id, at, post_id in openings:
        if post_ids and (account_id != viewer or at - last >= PAUSE_SECONDS):
            yield Session(viewer, began, tuple(post_ids))
            post_ids = []
        if not post_ids:
            viewer, began = account_id, at
        post_ids.append(post_id)
        last = at
    if post_ids:
        yield Session(viewer, began, tuple(post_ids))


def draw_some(sessions: Sequence[Session], most: int, seed: int) -> list[Session]:
    """At most so many, at random, in their order: the same for the same seed."""
    if len(sessions) <= most:
        return list(sessions)
    return [sessions[n] for n in sorted(Random(seed).sample(range(len(sessions)), most))]


def with_begins(sessions: Sequence[Session]) -> list[Session]:
    """As they began: with the first menu that was seen in the half hour before the first opening, if any was.

    That is when the list was there. By the first opening the viewer has seen what it opened and what stands around
    it; an order made then would push just these down, as no list that it looked at did.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _BEGUN,
            [
                [session.viewer_id for session in sessions],
                [session.began for session in sessions],
                PAUSE_SECONDS,
                PAUSE_SECONDS,
            ],
        )
        begun = dict(cursor.fetchall())
    return [
        Session(session.viewer_id, float(begun.get(n, session.began)), session.post_ids)
        for n, session in enumerate(sessions, 1)
    ]
