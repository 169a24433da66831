"""Why menus that were viewed are no candidates of their sessions."""

from collections import Counter
from collections.abc import Sequence

from django.db import connection

from feeds.ranking.replay.candidates import oldest_at
from feeds.ranking.replay.sessions import Session
from posts.ids import id_at

# The first that holds is told. A menu that was deleted has taken its openings along.
_WHY = """
SELECT CASE
    WHEN p.id >= viewed.below THEN 'published after the session began'
    WHEN p.id <= viewed.above THEN 'too old to be ranked'
    WHEN p.hidden_at IS NOT NULL THEN 'hidden by staff'
    WHEN NOT a.is_active THEN 'its cook is not active'
    WHEN f.id IS NULL THEN 'its cook is not followed, or no longer'
    WHEN f.created_at >= viewed.began THEN 'its cook was followed only later'
    WHEN m.id IS NOT NULL THEN 'its cook is muted'
    ELSE 'not among the newest'
END AS why, count(*)
FROM unnest(%s::bigint[], %s::bigint[], %s::timestamptz[], %s::bigint[], %s::bigint[])
    viewed (viewer_id, post_id, began, below, above)
JOIN posts_post p ON p.id = viewed.post_id
JOIN social_account a ON a.id = p.author_id
LEFT JOIN social_follow f ON f.follower_id = viewed.viewer_id AND f.followee_id = p.author_id
LEFT JOIN social_mute m ON m.muter_id = viewed.viewer_id AND m.muted_id = p.author_id
    AND (m.expires_at IS NULL OR m.expires_at > now())
GROUP BY why
"""


def why_missing(views: Sequence[tuple[Session, int]]) -> Counter[str]:
    """How many of (session, menu) for which reason, in words."""
    if not views:
        return Counter()
    rows = [
        (session.viewer_id, post_id, session.moment, id_at(session.moment), id_at(oldest_at(session.moment)))
        for session, post_id in views
    ]
    with connection.cursor() as cursor:
        cursor.execute(_WHY, [list(column) for column in zip(*rows, strict=True)])
        return Counter(dict(cursor.fetchall()))
