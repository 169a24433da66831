"""Counts of followers and likes: taken anew a moment later and in batches, so that no row is hot when thousands
follow the same cook or like the same menu at once, and nothing drifts."""

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from feeds.delivery import deliver_now
from feeds.models import Outbox

# Held by whoever counts: a recount here, or a bulk load.
RECOUNT_LOCK = 7306075917
MOST_ROWS = 10_000  # of the outbox in a batch; the next comes a second later

_STALE_FOLLOWERS = "kind IN ('followed', 'unfollowed')"
_STALE_LIKES = "kind = 'likes_changed'"

# Rows are locked in the order of ids, as by everyone who locks several (social/keep_blocks.sql, loading/bulk.py): no
# two wait for each other.
_COUNT_FOLLOWERS = """
WITH counted AS (
    SELECT a AS id, (SELECT count(*) FROM social_follow WHERE followee_id = a) AS n FROM unnest(%s::bigint[]) a
), wrong AS (
    SELECT id, n FROM social_account JOIN counted USING (id) WHERE follower_count <> n
    ORDER BY id FOR NO KEY UPDATE OF social_account
)
UPDATE social_account SET follower_count = n FROM wrong WHERE social_account.id = wrong.id
"""
_COUNT_LIKES = """
WITH counted AS (
    SELECT p AS id, (SELECT count(*) FROM posts_like WHERE post_id = p) AS n FROM unnest(%s::bigint[]) p
), wrong AS (
    SELECT id, n FROM posts_post JOIN counted USING (id) WHERE like_count <> n
    ORDER BY id FOR NO KEY UPDATE OF posts_post
)
UPDATE posts_post SET like_count = n FROM wrong WHERE posts_post.id = wrong.id RETURNING posts_post.id
"""


def recount_followers(*, limit: int = MOST_ROWS) -> int:
    """Recount the accounts whose follows changed since their last count; how many."""
    with transaction.atomic(), connection.cursor() as cursor:
        rows, accounts = _stale(cursor, _STALE_FOLLOWERS, limit)
        if not rows:
            return 0
        # A new statement: it sees at least every follow whose row was read above.
        cursor.execute(_COUNT_FOLLOWERS, [accounts])
        _mark_counted(cursor, rows)
    return len(accounts)


def recount_likes(*, limit: int = MOST_ROWS) -> int:
    """Recount the posts whose likes changed since their last count; how many. Readers see the new counts at once."""
    with transaction.atomic(), connection.cursor() as cursor:
        rows, posts = _stale(cursor, _STALE_LIKES, limit)
        if not rows:
            return 0
        cursor.execute(_COUNT_LIKES, [posts])
        changed = [post_id for (post_id,) in cursor.fetchall()]
        _mark_counted(cursor, rows)
    if changed:
        deliver_now([(Outbox.Kind.EDITED, post_id) for post_id in changed])
    return len(posts)


def _stale(cursor: CursorWrapper, of_kind: str, limit: int) -> tuple[list[int], list[int]]:
    """(outbox rows that no count includes yet, what is to be counted for them); nothing while another counts.

    Two recounts at once could write an older count over a newer one: the second leaves it to the first.
    """
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [RECOUNT_LOCK])
    if not cursor.fetchone()[0]:
        return [], []
    cursor.execute(
        "SELECT coalesce(array_agg(id), '{}'), coalesce(array_agg(DISTINCT author_id), '{}') FROM ("
        "  SELECT id, author_id FROM feeds_outbox"
        f" WHERE NOT counted AND {of_kind} ORDER BY author_id LIMIT %s) stale",
        [limit],
    )
    return cursor.fetchone()


def _mark_counted(cursor: CursorWrapper, rows: list[int]) -> None:
    cursor.execute("UPDATE feeds_outbox SET counted = true WHERE id = ANY(%s)", [rows])
