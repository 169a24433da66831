"""What all accounts had done about menus by a moment: read once, for all sessions of a day."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.db import connection

from posts.ids import id_at

_CHUNK = 10_000
_OPENED = """
SELECT post_id, extract(epoch FROM at)::float8 FROM posts_opening WHERE post_id > %s AND at < %s ORDER BY at
"""
_OPENED_BY = """
SELECT account_id, post_id, extract(epoch FROM at)::float8 FROM posts_opening
WHERE account_id = ANY(%s) AND post_id > %s AND at < %s
"""
_LIKED = """
SELECT post_id, extract(epoch FROM created_at)::float8 FROM posts_like
WHERE post_id > %s AND created_at < %s ORDER BY created_at
"""
_SEEN = """
SELECT seen.post_id, seen.at / 60 AS minute, count(*)
FROM feeds_seen CROSS JOIN LATERAL unnest(post_ids, moments) seen (post_id, at)
WHERE day >= %s AND day <= %s AND seen.post_id > %s GROUP BY 1, 2 ORDER BY 2
"""


class Past:
    """Openings and likes to the moment; menus that were seen to the minute, of which one that is not over counts
    nothing. The counts that the live order goes by are a few seconds old too."""

    def __init__(self) -> None:
        self._opened: dict[int, array[float]] = defaultdict(lambda: array("d"))
        self._opened_by: dict[tuple[int, int], float] = {}
        self._liked: dict[int, array[float]] = defaultdict(lambda: array("d"))
        self._minutes: dict[int, array[int]] = defaultdict(lambda: array("q"))
        self._seen: dict[int, array[int]] = defaultdict(lambda: array("q"))

    def impressions(self, post_id: int, at: float) -> int:
        """How many accounts had seen it."""
        if post_id not in self._minutes:
            return 0
        over = bisect_left(self._minutes[post_id], int(at // 60))
        return self._seen[post_id][over - 1] if over else 0

    def openings(self, post_id: int, at: float, *, viewer_id: int) -> int:
        """How many others had opened it."""
        own = self._opened_by.get((viewer_id, post_id), at) < at
        return _before(self._opened, post_id, at) - own

    def likes(self, post_id: int, at: float) -> int:
        return _before(self._liked, post_id, at)


def read_past(viewer_ids: Iterable[int], *, since: datetime, until: datetime) -> Past:
    """About the menus that were published since a moment, as far as it happened before another."""
    past, above = Past(), id_at(since)
    for post_id, at in _rows(_OPENED, [above, until]):
        past._opened[post_id].append(at)
    for account_id, post_id, at in _rows(_OPENED_BY, [sorted(set(viewer_ids)), above, until]):
        past._opened_by[account_id, post_id] = at
    for post_id, at in _rows(_LIKED, [above, until]):
        past._liked[post_id].append(at)
    for post_id, minute, count in _rows(_SEEN, [since.date(), until.date(), above]):
        past._minutes[post_id].append(minute)
        past._seen[post_id].append(count)
    for post_id, counts in past._seen.items():
        past._seen[post_id] = array("q", accumulate(counts))
    return past


def _before(moments: dict[int, "array[float]"], post_id: int, at: float) -> int:
    return bisect_left(moments[post_id], at) if post_id in moments else 0


def _rows(query: str, values: list[Any]) -> Iterator[tuple[Any, ...]]:
    """A few at a time, since there may be millions."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, values)
        while rows := cursor.fetchmany(_CHUNK):
            yield from rows
