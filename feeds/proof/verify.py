"""Comparing feeds with the reference query, viewer by viewer."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import connection

from feeds.epoch import current_epoch
from feeds.lists import ListsUnavailable, commands, keys_at
from feeds.overlay import MARK_SECONDS
from feeds.page import Page
from feeds.reading import LOOKING, MAX_LIMIT, SignedOut, read_feed
from feeds.reference import reference_feed_ids

MOST_EXPLAINED = 10
MOST_POSTS = 1_000_000  # a walk that goes on for longer is a difference by itself


@dataclass
class Difference:
    """A feed that is not as it should be."""

    viewer_id: int
    missing: list[int]
    extra: list[int]
    repeated: list[int]
    explanation: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [
            f"{len(ids)} {name} (first: {ids[0]})"
            for name, ids in (("missing", self.missing), ("extra", self.extra), ("repeated", self.repeated))
            if ids
        ]
        return f"viewer {self.viewer_id}: {', '.join(parts) or 'another order'}"


@dataclass
class Tally:
    """What a run has seen so far. `stored`: feeds that needed no PostgreSQL; `posts` by where they came from."""

    checked: int = 0
    stored: int = 0
    skipped: int = 0
    posts: Counter[str] = field(default_factory=Counter)
    differing: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.checked += other.checked
        self.stored += other.stored
        self.skipped += other.skipped
        self.posts += other.posts
        self.differing += other.differing
        self.differences = (self.differences + other.differences)[:MOST_EXPLAINED]


@dataclass
class Walk:
    ids: list[int] = field(default_factory=list)
    origins: Counter[str] = field(default_factory=Counter)
    queries: int = 0


def walk_feed(viewer_id: int, *, limit: int = MAX_LIMIT) -> Walk:
    """All pages of a feed, through the API's own code, leaving no trace of a visit."""
    walk, cursor = Walk(), None
    while len(walk.ids) <= MOST_POSTS:
        page: Page = read_feed(viewer_id, cursor=cursor, limit=limit, mode=LOOKING)
        walk.ids += [item.post_id for item in page.items]
        walk.origins += page.origins
        walk.queries += page.queries
        cursor = page.next_cursor
        if cursor is None:
            break
    return walk


def verify_viewers(viewer_ids: Iterable[int], *, limit: int = MAX_LIMIT) -> Tally:
    """Compare the feeds of viewers with the reference query."""
    tally = Tally()
    suspects = [viewer_id for viewer_id in viewer_ids if not _agrees(viewer_id, limit, tally)]
    if suspects:
        # A change may have fallen between the walk and the query. A real difference is still there later.
        time.sleep(MARK_SECONDS * 1.2)
    for viewer_id in suspects:
        _look_again(viewer_id, limit, tally)
    return tally


def _agrees(viewer_id: int, limit: int, tally: Tally) -> bool:
    try:
        walk = walk_feed(viewer_id, limit=limit)
    except SignedOut:  # deactivated: has no feed
        tally.skipped += 1
        return True
    tally.checked += 1
    tally.stored += walk.queries == 0
    tally.posts += walk.origins
    return walk.ids == reference_feed_ids(viewer_id)


def _look_again(viewer_id: int, limit: int, tally: Tally) -> None:
    """Count a difference, unless the truth moved while it was looked at."""
    before = reference_feed_ids(viewer_id)
    try:
        walk, wanted = walk_feed(viewer_id, limit=limit), reference_feed_ids(viewer_id)
    except SignedOut:  # deactivated meanwhile
        return
    if before == wanted and walk.ids != wanted:
        tally.differing += 1
        if len(tally.differences) < MOST_EXPLAINED:
            tally.differences.append(_difference(viewer_id, walk.ids, wanted))


def _difference(viewer_id: int, shown: list[int], wanted: list[int]) -> Difference:
    counts = Counter(shown)
    difference = Difference(
        viewer_id,
        missing=sorted(set(wanted) - set(shown), reverse=True),
        extra=sorted(set(shown) - set(wanted), reverse=True),
        repeated=[post_id for post_id, count in counts.items() if count > 1],
    )
    for post_id in (difference.missing + difference.extra)[:3]:
        difference.explanation.append(_explain(viewer_id, post_id))
    return difference


_FACTS = """
SELECT p.author_id, a.is_active, EXISTS (SELECT FROM social_follow
         WHERE follower_id = %(viewer)s AND followee_id = p.author_id),
       i.since_id, i.until_id, o.done_at IS NOT NULL, o.checkpoint, o.last_error
FROM posts_post p JOIN social_account a ON a.id = p.author_id
LEFT JOIN feeds_pulledauthor i ON i.author_id = p.author_id
LEFT JOIN feeds_outbox o ON o.kind = 'published' AND o.subject_id = p.id
WHERE p.id = %(post)s ORDER BY o.id DESC LIMIT 1
"""


def _explain(viewer_id: int, post_id: int) -> str:
    """What PostgreSQL and the stored list say about one post of one viewer."""
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, {"viewer": viewer_id, "post": post_id})
        row = cursor.fetchone()
    if row is None:
        return f"post {post_id} does not exist"
    author, active, follows, since, until, done, checkpoint, error = row
    interval = "never pulled" if since is None else f"pulled from {since} to {until or 'now'}"
    delivery = (
        "no outbox row" if done is None else f"fan-out {'done' if done else 'not done'} up to {checkpoint}"
    )
    return (
        f"post {post_id} by {author} ({'active' if active else 'inactive'},"
        f" {'followed' if follows else 'not followed'}): {interval}; {delivery}"
        f"{' (' + error + ')' if error else ''}; {_stored_place(viewer_id, post_id)}"
    )


def _stored_place(viewer_id: int, post_id: int) -> str:
    try:
        keys = keys_at(current_epoch())
        stored = commands.read_lists(keys, [keys.feed(viewer_id)], limit=10_000)[0]
    except ListsUnavailable:
        return "Redis is away"
    if stored.floor is None:
        return "no stored feed"
    inside = "in" if post_id in stored.ids else "not in"
    return f"{inside} the stored feed, whose floor is {stored.floor}"
