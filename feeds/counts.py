"""Follower counts: recounted a moment later and in batches, so that no row is hot when thousands follow the same
cook at once, and nothing drifts."""

from django.db import connection, transaction

# Held by whoever counts: a recount here, or a bulk load.
RECOUNT_LOCK = 7306075917


def recount_followers(*, limit: int = 1000) -> int:
    """Recount the accounts whose follows changed since their last count; how many."""
    with transaction.atomic(), connection.cursor() as cursor:
        # Two recounts at once could write an older count over a newer one: the second leaves it to the first.
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [RECOUNT_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(
            "SELECT array_agg(id), array_agg(DISTINCT author_id) FROM (SELECT id, author_id FROM feeds_outbox"
            " WHERE NOT counted AND kind IN ('followed', 'unfollowed') ORDER BY author_id LIMIT %s) stale",
            [limit * 10],
        )
        rows, accounts = cursor.fetchone()
        if not rows:
            return 0
        # A new statement: it sees at least every follow whose row was read above.
        cursor.execute(
            "UPDATE social_account SET follower_count = c.n FROM ("
            "  SELECT a AS id, (SELECT count(*) FROM social_follow WHERE followee_id = a) AS n"
            "  FROM unnest(%s::bigint[]) a) c WHERE social_account.id = c.id AND follower_count <> c.n",
            [accounts],
        )
        cursor.execute("UPDATE feeds_outbox SET counted = true WHERE id = ANY(%s)", [rows])
        return len(accounts)
