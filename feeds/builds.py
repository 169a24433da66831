"""Building stored lists from PostgreSQL under a token.

    1  put a token into the key          a deletion takes it along, and then nothing is stored
    2  read posts and intervals          one statement, so that both are of one moment
    3  store ids and fence               one script, only if the token is still there

What was read answers the reader in any case. One build a key at a time; others read PostgreSQL.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands
from feeds.threshold import settling_seconds
from posts.ids import MAX_ID
from posts.selectors import author_post_ids

TIMELINE_SECONDS = 86400

# What can come back by itself (a deactivated author) stays in the list and is filtered when it is read; authors
# pulled for long enough that every process knows are left out. `last_seen` and the window are of the same moment:
# a feed must not outlive the fan-out that would push to it.
_READ_FEED = """
WITH viewer AS (
    SELECT a.last_seen, coalesce(s.inactive_after, 1209600) AS inactive_after
    FROM social_account a LEFT JOIN feeds_feedsettings s ON s.id = 1 WHERE a.id = %(viewer)s
), ids AS (
    SELECT p.id
    FROM social_follow f CROSS JOIN LATERAL (
        SELECT id FROM posts_post WHERE author_id = f.followee_id ORDER BY id DESC LIMIT %(limit)s
    ) p
    WHERE f.follower_id = %(viewer)s AND NOT EXISTS (
        SELECT FROM feeds_pulledauthor i
        WHERE i.author_id = f.followee_id AND i.until_id IS NULL
          AND i.opened_at < clock_timestamp() - %(grace)s * interval '1 second')
    ORDER BY p.id DESC LIMIT %(limit)s
)
SELECT last_seen, inactive_after, array(SELECT id FROM ids) FROM viewer
"""


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed's ids from PostgreSQL, newest first, complete above `floor`; and until when it may be kept."""

    ids: list[int]
    floor: int
    expires_at: datetime | None


def floor_of(ids: list[int], *, limit: int) -> int:
    """The floor of ids read with a LIMIT: 0 when they reach the first post ever."""
    return ids[-1] - 1 if len(ids) == limit else 0


def read_feed_ids(viewer_id: int) -> ReadFeed:
    limit = settings.FEED_LENGTH
    with connection.cursor() as cursor:
        cursor.execute(_READ_FEED, {"viewer": viewer_id, "limit": limit, "grace": settling_seconds()})
        row = cursor.fetchone()
    if row is None:
        return ReadFeed([], 0, None)
    last_seen, inactive_after, ids = row
    expires_at = last_seen + timedelta(seconds=inactive_after) if last_seen else None
    return ReadFeed(ids, floor_of(ids, limit=limit), expires_at)


def build_feed(keys: Keys, viewer_id: int, *, store: bool) -> ReadFeed:
    """The feed list of a viewer from PostgreSQL; stored for a viewer who is active."""
    name = keys.feed(viewer_id)
    token = _begin(keys, name) if store else None
    read = read_feed_ids(viewer_id)
    if token is not None and read.expires_at is not None and read.expires_at > timezone.now():
        expires_ms = int(read.expires_at.timestamp() * 1000)
        _store(keys, name, token, read.ids, read.floor, expires_ms)
    return read


def build_timeline(keys: Keys, author_id: int, *, store: bool) -> tuple[list[int], int]:
    """(ids newest first, floor) of an author's timeline from PostgreSQL."""
    name = keys.timeline(author_id)
    token = _begin(keys, name) if store else None
    limit = settings.FEED_LENGTH
    ids = author_post_ids(author_id=author_id, below=MAX_ID, limit=limit)
    floor = floor_of(ids, limit=limit)
    if token is not None:
        expires_ms = int((timezone.now().timestamp() + TIMELINE_SECONDS) * 1000)
        _store(keys, name, token, ids, floor, expires_ms)
    return ids, floor


def _begin(keys: Keys, name: str) -> bytes | None:
    try:
        return commands.begin_list(keys, name)
    except ListsUnavailable:
        return None


def _store(keys: Keys, name: str, token: bytes, ids: list[int], floor: int, expires_ms: int) -> None:
    try:
        commands.store_list(keys, name, token, ids, floor=floor, expires_ms=expires_ms)
    except ListsUnavailable:
        return  # the next reader builds it again
