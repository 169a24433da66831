"""Fan-out: a post's id into the stored feeds of the author's active followers.

    1  claim the post's outbox row, and under a backlog a few waiting ones
    2  write the authors' timelines again
    3  decide under a share lock which posts are pushed       pulled authors' are not
    4  followers by keyset, batch by batch: push, checkpoint
    5  after the last batch: render the cards, done

The cards are what the first reader would have to wait for.

Killed anywhere, it goes on from the checkpoint. A long job hands the rest to a new task, so that no author
holds up the others.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction

from feeds import outbox, threshold
from feeds.access import Access
from feeds.cards import Hydrator
from feeds.delivery import push_one
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, execute, keys_at
from feeds.outbox import Change
from feeds.overlay import Overlay

MOST_COALESCED = 8
TRIM_SHARE = 1 / 8  # batches that look at the lengths of their lists

# One page of followers of several authors: at most `limit` of each, up to the follower to which every author's
# followers are known. The page is bounded before inactive followers are left out, so it costs the same for all.
# `hi` NULL: no author has more.
_FOLLOWERS = """
WITH page AS MATERIALIZED (
    SELECT f.follower_id, f.followee_id
    FROM unnest(%(authors)s::bigint[]) author(id) CROSS JOIN LATERAL (
        SELECT follower_id, followee_id FROM social_follow
        WHERE followee_id = author.id AND follower_id > %(after)s ORDER BY follower_id LIMIT %(limit)s
    ) f
), bound AS (
    SELECT min(last) AS hi FROM (
        SELECT max(follower_id) AS last FROM page GROUP BY followee_id HAVING count(*) = %(limit)s
    ) full_pages
), active AS (
    SELECT page.followee_id, array_agg(page.follower_id) AS followers
    FROM page CROSS JOIN bound JOIN social_account a ON a.id = page.follower_id
    WHERE (bound.hi IS NULL OR page.follower_id <= bound.hi)
      AND a.last_seen > clock_timestamp() - (
        SELECT coalesce(max(inactive_after), 1209600) FROM feeds_feedsettings) * interval '1 second'
    GROUP BY page.followee_id
)
SELECT bound.hi, active.followee_id, active.followers FROM bound LEFT JOIN active ON true
"""


@dataclass(frozen=True, slots=True)
class FollowerPage:
    """`followers` of each author, and the follower after which to go on; None: that was the last page."""

    followers: dict[int, list[int]]
    next_after: int | None


def read_followers(authors: list[int], after: int, limit: int) -> FollowerPage:
    """The next active followers of authors, by follower id; read now, none is kept between jobs."""
    with connection.cursor() as cursor:
        cursor.execute(_FOLLOWERS, {"authors": authors, "after": after, "limit": limit})
        rows = cursor.fetchall()
    followers = {author: ids for _, author, ids in rows if author is not None}
    return FollowerPage(followers, rows[0][0])


def fan_out(post_id: int, claimant: str, hand_over: Callable[[int], object]) -> int:
    """Deliver a post to its author's followers; how many feeds took an id.

    `claimant` names this job (a redelivered one has the same name). `hand_over` is called with the post when the
    job has used its time. ListsUnavailable when Redis is away: the row is released for the relay.
    """
    epoch, changes = outbox.claim_published(post_id, claimant, limit=MOST_COALESCED)
    if not changes:
        return 0
    ids = [change.id for change in changes]
    try:
        keys = keys_at(epoch)
        pushed = _decide(keys, changes)
        taken, finished = _push_all(keys, pushed, ids, min(change.checkpoint for change in changes))
        if finished:
            Hydrator(keys, Overlay(), Access(limited=False)).posts([change.subject_id for change in changes])
    except ListsUnavailable as error:
        outbox.release_claim(ids, str(error))
        raise
    if finished:
        outbox.mark_done(ids)
    else:
        outbox.release_claim(ids)
        hand_over(post_id)
    return taken


def _decide(keys: Keys, changes: list[Change]) -> dict[int, list[int]]:
    """Author -> posts to push, of those that still exist; every author's timeline has taken them all."""
    posts = {change.subject_id: change.author_id for change in changes if change.author_id is not None}
    execute(keys, [push_one(keys.timeline(author), post) for post, author in posts.items()])
    with transaction.atomic(), connection.cursor() as cursor:
        # The locks are taken in order of author, and held until both reads are done.
        intervals = threshold.intervals_for_fan_out(cursor, sorted(set(posts.values())))
        cursor.execute("SELECT id FROM posts_post WHERE id = ANY(%s)", [list(posts)])
        existing = {row[0] for row in cursor.fetchall()}
    pushed: dict[int, list[int]] = defaultdict(list)
    for post, author in sorted(posts.items()):
        if post in existing and threshold.is_pushed(post, intervals.get(author)):
            pushed[author].append(post)
    return dict(pushed)


def _push_all(keys: Keys, pushed: dict[int, list[int]], row_ids: list[int], after: int) -> tuple[int, bool]:
    """Push to all followers beyond `after`: (feeds that took an id, whether that were all)."""
    deadline, taken = time.monotonic() + settings.FANOUT_HANDOVER_SECONDS, 0
    while pushed:
        page = read_followers(list(pushed), after, settings.FANOUT_BATCH_SIZE)
        taken += _push_page(keys, pushed, page)
        if page.next_after is None:
            break
        after = page.next_after
        outbox.save_checkpoint(row_ids, after)  # only after every reply of the batch was good
        if time.monotonic() > deadline:
            return taken, False
    return taken, True


def _push_page(keys: Keys, pushed: dict[int, list[int]], page: FollowerPage) -> int:
    """One round trip: followers who get the same posts share a command."""
    posts_of: dict[int, tuple[int, ...]] = {}
    for author, followers in page.followers.items():
        posts = tuple(pushed[author])
        for follower in followers:
            posts_of[follower] = posts_of.get(follower, ()) + posts
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for follower, posts in posts_of.items():
        groups[posts].append(follower)
    trim = random.random() < TRIM_SHARE
    pushes = [
        commands.push_command(keys.feeds(followers), posts, length=settings.FEED_LENGTH, trim=trim)
        for posts, followers in groups.items()
    ]
    return sum(execute(keys, pushes))
