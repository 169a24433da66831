"""The reference feed: what a viewer's feed must be, by one plain SQL query over the truth.

Posts whose author is active, own or followed, from before the follow too, by id, newest first. Reads below the
stored lists go on with it, in a form that touches the newest posts of each followed author only.
"""

from django.db import connection

_PLAIN = """
SELECT p.id FROM posts_post p JOIN social_account a ON a.id = p.author_id
WHERE a.is_active
  AND (p.author_id = %(viewer)s
       OR EXISTS (SELECT FROM social_follow f WHERE f.follower_id = %(viewer)s AND f.followee_id = p.author_id))
ORDER BY p.id DESC
"""

_PAGE = """
SELECT p.id
FROM (SELECT followee_id AS id FROM social_follow WHERE follower_id = %(viewer)s UNION SELECT %(viewer)s) author
JOIN social_account a ON a.id = author.id AND a.is_active
CROSS JOIN LATERAL (
    SELECT id FROM posts_post WHERE author_id = author.id AND id < %(below)s ORDER BY id DESC LIMIT %(limit)s
) p
ORDER BY p.id DESC LIMIT %(limit)s
"""


def reference_feed_ids(viewer_id: int) -> list[int]:
    """The whole reference feed, plainly; for proofs."""
    with connection.cursor() as cursor:
        cursor.execute(_PLAIN, {"viewer": viewer_id})
        return [row[0] for row in cursor.fetchall()]


def reference_page_ids(viewer_id: int, *, below: int, limit: int) -> list[int]:
    """The newest `limit` ids of the reference feed below an id, newest first; fewer: there are no more."""
    with connection.cursor() as cursor:
        cursor.execute(_PAGE, {"viewer": viewer_id, "below": below, "limit": limit})
        return [row[0] for row in cursor.fetchall()]
