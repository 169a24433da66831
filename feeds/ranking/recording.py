"""Bringing notes (notes.py) from the feed Redis into PostgreSQL.

    1  set them aside in Redis, unless some are still aside           take_notes.lua
    2  in chunks, a short transaction each: what is new of them        posts_opening, feeds_seen, feeds_exposure
    3  delete what was set aside

Whoever dies in between leaves it to the next, and doing it twice is the same as once: a menu counts once as seen by
an account, as long as that is remembered, and once as opened.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from feeds.epoch import known_epoch
from feeds.lists import commands, keys_at
from feeds.models import Exposure, Seen
from feeds.ranking.notes import NOTES_SECONDS, Note
from posts.exporting import Whole
from posts.ids import EPOCH, id_at
from posts.openings import remember_openings
from social.erasing import rows_of
from social.exporting import Part, in_chunks

logger = logging.getLogger(__name__)

RECORDING_LOCK = 7306075918
CHUNK = 1_000  # notes a transaction
MOST_A_DAY = 2_000  # menus that an account is remembered to have seen in a day
SEEN_KEPT_DAYS = 8

# Of one's own menus nobody is told; of any other one remembers having seen it. A menu that its viewer does not follow
# was recommended, or named by somebody who makes things up: it does not count as seen.
_REMEMBER_SEEN = """
WITH noted AS (
    SELECT DISTINCT ON (viewer_id, post_id) viewer_id, post_id, at
    FROM unnest(%(viewers)s::bigint[], %(posts)s::bigint[], %(moments)s::bigint[]) n (viewer_id, post_id, at)
    ORDER BY viewer_id, post_id, at
), new AS (
    SELECT noted.*, p.author_id, (to_timestamp(noted.at) AT TIME ZONE 'UTC')::date AS day
    FROM noted JOIN posts_post p ON p.id = noted.post_id AND p.author_id <> noted.viewer_id
    WHERE p.id > %(oldest)s AND NOT EXISTS (
        SELECT FROM feeds_seen s WHERE s.viewer_id = noted.viewer_id AND noted.post_id = ANY(s.post_ids)
    )
), remembered AS (
    INSERT INTO feeds_seen (viewer_id, day, post_ids, moments)
    SELECT viewer_id, day, array_agg(post_id ORDER BY at, post_id), array_agg(at ORDER BY at, post_id)
    FROM new JOIN social_account a ON a.id = new.viewer_id AND a.is_active GROUP BY viewer_id, day
    ON CONFLICT (viewer_id, day) DO UPDATE
    SET post_ids = feeds_seen.post_ids || excluded.post_ids, moments = feeds_seen.moments || excluded.moments
    WHERE cardinality(feeds_seen.post_ids) < %(most)s
    RETURNING viewer_id, day
)
SELECT new.post_id, count(*) FROM new JOIN remembered USING (viewer_id, day)
JOIN social_follow f ON f.follower_id = new.viewer_id AND f.followee_id = new.author_id GROUP BY new.post_id
"""
_COUNT = """
INSERT INTO feeds_exposure (post_id, impressions, openings)
SELECT * FROM unnest(%s::bigint[], %s::int[], %s::int[])
ON CONFLICT (post_id) DO UPDATE SET impressions = feeds_exposure.impressions + excluded.impressions,
    openings = feeds_exposure.openings + excluded.openings
"""


def bring_notes() -> int:
    """Bring what waits; how many notes that were. ListsUnavailable, DatabaseError: the next run brings them."""
    keys = keys_at(known_epoch())
    packed = commands.take_notes(keys, seconds=NOTES_SECONDS)
    notes = list(_unpacked(packed))
    for at in range(0, len(notes), CHUNK):
        if not record(notes[at : at + CHUNK]):
            return 0  # somebody else is at it
    if packed:
        commands.forget_taken_notes(keys)
    return len(notes)


def _unpacked(packed: Iterable[bytes]) -> Iterable[Note]:
    for one in packed:
        try:
            yield Note.unpack(one)
        except ValueError:
            logger.warning("Dropped a note that is none: %r", one[:80])


def record(notes: Sequence[Note]) -> bool:
    """False while another records: two at once could count the same twice."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [RECORDING_LOCK])
        if not cursor.fetchone()[0]:
            return False
        opened = Counter(
            remember_openings([(n.account_id, n.post_ids[0], n.at) for n in notes if n.opened and n.post_ids])
        )
        seen = _remember_seen(cursor, [note for note in notes if not note.opened])
        posts = sorted({*opened, *seen})
        if posts:
            cursor.execute(_COUNT, [posts, [seen.get(i, 0) for i in posts], [opened[i] for i in posts]])
    return True


def _remember_seen(cursor: CursorWrapper, notes: Sequence[Note]) -> dict[int, int]:
    """How many accounts have seen each post that had not before."""
    rows = [(note.account_id, post_id, int(note.at)) for note in notes for post_id in note.post_ids]
    if not rows:
        return {}
    viewers, posts, moments = zip(*rows, strict=True)
    values: dict[str, Any] = {
        "viewers": list(viewers),
        "posts": list(posts),
        "moments": list(moments),
        "oldest": _oldest_kept(),
        "most": MOST_A_DAY,
    }
    cursor.execute(_REMEMBER_SEEN, values)
    return dict(cursor.fetchall())


def _oldest_kept() -> int:
    """Of an older menu nothing is counted, since what was counted of it is forgotten."""
    return id_at(max(EPOCH, datetime.now(UTC) - timedelta(days=SEEN_KEPT_DAYS)))


def prune_recorded(*, most: int = 10_000) -> int:
    """Forget what was seen more than SEEN_KEPT_DAYS ago, and the counts of menus of before; how many rows. What is
    left over is left to the next run."""
    first_day = datetime.now(UTC).date() - timedelta(days=SEEN_KEPT_DAYS)
    pruned = 0
    for model, old in ((Seen, {"day__lt": first_day}), (Exposure, {"pk__lt": _oldest_kept()})):
        ids = list(model.objects.filter(**old).values_list("pk", flat=True)[:most])
        pruned += model.objects.filter(pk__in=ids).delete()[0] if ids else 0
    return pruned


erase_seen = rows_of("feeds_seen", "viewer_id")


def seen_to_export(account_id: int, whole: Whole) -> Part:
    """What the account is remembered to have seen, a day an entry."""
    return "seen", in_chunks(
        Seen.objects.filter(viewer_id=account_id),
        lambda row: {"day": row.day.isoformat(), "menus": [whole(f"/menus/{i}") for i in row.post_ids]},
    )
