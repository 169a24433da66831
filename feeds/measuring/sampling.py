"""A random choice of accounts that costs the same in a table of any size."""

from django.db import connection

# Random places in the range of ids, and from each the next account: an index look-up a place. Where ids have gaps,
# accounts after a wide one are drawn more often, which figures about feeds bear.
_SAMPLE = """
SELECT DISTINCT account.id FROM (SELECT min(id) AS low, max(id) AS high FROM social_account) span
CROSS JOIN generate_series(1, %(most)s) place
CROSS JOIN LATERAL (SELECT low + floor(random() * (high - low + 1))::bigint + place * 0 AS at) pick
CROSS JOIN LATERAL (SELECT id FROM social_account WHERE id >= pick.at ORDER BY id LIMIT 1) account
"""


def sample_accounts(most: int) -> list[int]:
    """At most so many ids of accounts; all of them where there are not more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM social_account ORDER BY id LIMIT %s", [most + 1])
        ids = [row[0] for row in cursor.fetchall()]
        if len(ids) > most:
            cursor.execute(_SAMPLE, {"most": most})
            ids = sorted(row[0] for row in cursor.fetchall())
        return ids
