"""The outbox's rows: reading, claiming, finishing. What they demand is done in feeds/delivery.py and fanout.py.

Claims only save double work: every delivery may be done twice, by two at once. A row's progress is committed
without waiting for the disk (`synchronous_commit` off for that transaction): what a crash of PostgreSQL loses of
it is done again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

CLAIM_SECONDS = 10.0
LONGEST_CLAIM_SECONDS = 600.0
QUEUED = "queue"  # claimed by a message on its way to a worker

_RELAXED = "WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"


@dataclass(frozen=True, slots=True)
class Change:
    """An outbox row that is not done."""

    id: int
    kind: str
    subject_id: int
    author_id: int | None
    checkpoint: int


_COLUMNS = "id, kind, subject_id, author_id, checkpoint"


def pending_changes(subjects: Sequence[tuple[str, int]]) -> tuple[int, list[Change]]:
    """(epoch, what is not done of these kinds for these subjects); one query."""
    return _read(
        f"SELECT {_COLUMNS} FROM feeds_outbox WHERE done_at IS NULL"
        " AND (subject_id, kind) IN (SELECT * FROM unnest(%s::bigint[], %s::text[])) ORDER BY id",
        [[subject for _, subject in subjects], [kind for kind, _ in subjects]],
    )


def overdue_changes(limit: int) -> tuple[int, list[Change]]:
    """(epoch, the oldest changes whose first delivery failed or was never begun)."""
    return _read(
        f"SELECT {_COLUMNS} FROM feeds_outbox WHERE done_at IS NULL"
        " AND created_at < clock_timestamp() - %s * interval '1 second'"
        " AND (claimed_until IS NULL OR claimed_until < clock_timestamp()) ORDER BY id LIMIT %s",
        [settings.OUTBOX_RELAY_SECONDS, limit],
    )


def _read(query: str, parameters: list[Any]) -> tuple[int, list[Change]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce((SELECT epoch FROM feeds_feedsettings WHERE id = 1), 1), o.*"
            f" FROM (SELECT 1) one LEFT JOIN ({query}) o ON true",
            parameters,
        )
        rows = cursor.fetchall()
    return rows[0][0], [Change(*row[1:]) for row in rows if row[1] is not None]


_CLAIM = f"""
{_RELAXED}, own AS MATERIALIZED (
    SELECT id FROM feeds_outbox, relaxed
    WHERE done_at IS NULL AND kind = 'published' AND subject_id = %(post)s
      AND (claimed_by IN ('', %(queued)s, %(claimant)s) OR claimed_until < clock_timestamp())
    FOR UPDATE OF feeds_outbox SKIP LOCKED
), others AS MATERIALIZED (
    SELECT id FROM feeds_outbox
    WHERE done_at IS NULL AND kind = 'published' AND claimed_by IN ('', %(queued)s) AND checkpoint = 0
      AND EXISTS (SELECT FROM own JOIN feeds_outbox o USING (id) WHERE o.checkpoint = 0)
      AND id NOT IN (SELECT id FROM own)
    ORDER BY id LIMIT %(others)s FOR UPDATE SKIP LOCKED
)
UPDATE feeds_outbox SET claimed_by = %(claimant)s, attempts = attempts + 1,
    claimed_until = clock_timestamp() + %(seconds)s * interval '1 second'
WHERE id IN (SELECT id FROM own UNION ALL SELECT id FROM others)
RETURNING coalesce((SELECT epoch FROM feeds_feedsettings WHERE id = 1), 1), {_COLUMNS}
"""


def claim_published(post_id: int, claimant: str, *, limit: int) -> tuple[int, list[Change]]:
    """(epoch, publications that `claimant` has to fan out): the post's own, and up to `limit` in all.

    The others are waiting ones: under a backlog several posts reach a follower in one insert. A job that has got
    somewhere takes none along: it would have to begin again for them, and might never end. Nothing comes back
    when the post's row is done, or in another worker's hands.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            {
                "post": post_id,
                "claimant": claimant,
                "queued": QUEUED,
                "others": limit - 1,
                "seconds": CLAIM_SECONDS,
            },
        )
        rows = cursor.fetchall()
    return (rows[0][0] if rows else 0), [Change(*row[1:]) for row in rows]


def claim_for_queue(ids: Sequence[int]) -> None:
    """Mark rows as on their way to a worker, each time for longer: a long queue must not be doubled."""
    _update(
        "claimed_by = %(queued)s, attempts = attempts + 1, claimed_until = clock_timestamp()"
        " + least(%(seconds)s * 2 ^ least(attempts, 10), %(longest)s) * interval '1 second'",
        ids,
        queued=QUEUED,
        seconds=CLAIM_SECONDS,
        longest=LONGEST_CLAIM_SECONDS,
    )


def save_checkpoint(ids: Sequence[int], follower_id: int) -> None:
    """All followers up to `follower_id` have been pushed to; the claim is renewed."""
    _update(
        "checkpoint = %(follower)s, claimed_until = clock_timestamp() + %(seconds)s * interval '1 second'",
        ids,
        follower=follower_id,
        seconds=CLAIM_SECONDS,
    )


def release_claim(ids: Sequence[int], error: str = "") -> None:
    """Let the next worker, or the relay, take rows at once."""
    _update("claimed_by = '', claimed_until = NULL, last_error = %(error)s", ids, error=error[:500])


def reopen(ids: Sequence[int]) -> set[int]:
    """Have rows delivered again from the beginning, done or not; which were still there. Whoever is at one of them
    goes on: twice is harmless, and a row whose count was taken keeps that."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE feeds_outbox SET done_at = NULL, checkpoint = 0, claimed_by = '', claimed_until = NULL"
            " WHERE id = ANY(%s) RETURNING id",
            [list(ids)],
        )
        return {row[0] for row in cursor.fetchall()}


def mark_done(ids: Sequence[int]) -> None:
    """Everything that rows demand has been acknowledged."""
    _update("done_at = clock_timestamp(), claimed_by = '', last_error = ''", ids)


def _update(assignments: str, ids: Sequence[int], **parameters: Any) -> None:
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(
                f"{_RELAXED} UPDATE feeds_outbox SET {assignments} FROM relaxed"
                " WHERE id = ANY(%(ids)s) AND done_at IS NULL",
                {"ids": list(ids), **parameters},
            )


def prune_done(*, batch: int = 5000, most: int = 100_000) -> int:
    """Delete rows that were done OUTBOX_KEEP_SECONDS ago and are counted; how many."""
    deleted = 0
    while deleted < most:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM feeds_outbox WHERE id IN (SELECT id FROM feeds_outbox"
                " WHERE done_at < clock_timestamp() - %s * interval '1 second'"
                " AND (counted OR kind NOT IN ('followed', 'unfollowed', 'likes_changed'))"
                " ORDER BY done_at LIMIT %s)",
                [settings.OUTBOX_KEEP_SECONDS, batch],
            )
            count = cursor.rowcount
        deleted += count
        if count < batch:
            break
    return deleted
