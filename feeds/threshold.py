"""Who is pulled: the threshold, and crossing it as intervals of post ids.

A pulled author's posts with ids in [since_id, until_id) are merged from the author's timeline when a feed is
read; all others are pushed. So crossing moves no data:

    open    readers merge the timeline from now on, with no lower bound; fan-out goes on pushing until every
            process knows (`settling_seconds`), then skips ids from since_id on
    close   until_id is drawn under the row's exclusive lock; ids from it on are pushed again, those below stay
            merged from the timeline

Fan-out decides under a share lock on the row, so that no decision falls between the lock and the new bound.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models.functions import Now

from feeds.models import FeedSettings
from feeds.settings_history import newest_change, note_changes, refuse_changed_meanwhile
from social.models import Account

logger = logging.getLogger(__name__)

MOST_FOLLOWERS = 2_147_483_647
CROSSING_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Interval:
    """`settled`: open for so long that every reader merges the author's timeline."""

    since_id: int
    until_id: int | None
    settled: bool


def settling_seconds() -> float:
    """How long an interval has to be open before every process is sure to know: 10 s by default.

    Processes may use a set of pulled authors that is FEED_LOCAL_CACHE_SECONDS old, and a crossing transaction may
    last CROSSING_SECONDS for its statement and another until it has committed.
    """
    return 4 * settings.FEED_LOCAL_CACHE_SECONDS + 2 * CROSSING_SECONDS


def is_pushed(post_id: int, interval: Interval | None) -> bool:
    """Whether fan-out has to push a post of an author with this interval."""
    if interval is None or post_id < interval.since_id:
        return True
    if interval.until_id is not None:
        return post_id >= interval.until_id
    return not interval.settled


def current_threshold() -> int:
    """Followers from which on an author is pulled."""
    stored = FeedSettings.objects.filter(pk=1).values_list("threshold", flat=True).first()
    return settings.FANOUT_THRESHOLD if stored is None else stored


def set_threshold(threshold: int | None, *, by: Account | None = None, reason: str = "") -> None:
    """Put a threshold in force (None: the installation's default), and cross whom it concerns."""
    change_settings({"threshold": threshold}, by=by, reason=reason)


def change_settings(
    values: Mapping[str, float | None], *, by: Account | None, reason: str, seen: int | None = None
) -> list[str]:
    """Put settings of FeedSettings in force; the names of those that are others now.

    The history says who did it and why. A threshold that is given is in force from now on, also where it stays the
    same, and whom it concerns crosses. `seen`: what `newest_change` said when the values were chosen;
    ChangedMeanwhile if it says something else by now.
    """
    with transaction.atomic():
        FeedSettings.objects.get_or_create(pk=1)
        row = FeedSettings.objects.select_for_update().get(pk=1)  # whoever else changes them waits here
        refuse_changed_meanwhile(seen, newest_change())
        changes = {name: (getattr(row, name), value) for name, value in values.items()}
        changed = note_changes(changes, by=by, reason=reason)
        moved = {"threshold_set_at": Now()} if "threshold" in values else {}
        FeedSettings.objects.filter(pk=1).update(**values, **moved)
    if moved:
        reconcile()
    return changed


# By the staff's new number an interval that was opened before it is closed at once; later, growth and decline
# around the threshold are damped, lest an author at the border crosses with every follower.
TO_CLOSE = """
SELECT i.author_id FROM feeds_pulledauthor i JOIN social_account a ON a.id = i.author_id
LEFT JOIN feeds_feedsettings s ON s.id = 1
WHERE i.until_id IS NULL AND a.follower_count < CASE
    WHEN i.opened_at < s.threshold_set_at THEN %(threshold)s ELSE %(threshold)s * coalesce(s.hysteresis, 0.8) END
ORDER BY i.author_id LIMIT %(limit)s
"""
TO_OPEN = """
SELECT a.id FROM social_account a LEFT JOIN feeds_pulledauthor i ON i.author_id = a.id
WHERE a.is_cook AND a.follower_count >= %(threshold)s AND (i.author_id IS NULL OR i.until_id IS NOT NULL)
ORDER BY a.follower_count DESC, a.id LIMIT %(limit)s
"""


def reconcile(*, seconds: float = 4.0, limit: int = 100_000) -> tuple[int, int]:
    """Open and close intervals as the follower counts demand; (opened, closed). What is left is left to the next.

    Each author crosses in a short transaction of its own; two reconciles at once are harmless.
    """
    deadline = time.monotonic() + seconds
    threshold = current_threshold()
    opened = _cross_each(TO_OPEN, open_interval, threshold, limit, deadline)
    closed = _cross_each(TO_CLOSE, close_interval, threshold, limit, deadline)
    return opened, closed


def _cross_each(query: str, cross: Callable[[int], bool], threshold: int, limit: int, deadline: float) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query, {"threshold": threshold, "limit": limit})
        authors = [row[0] for row in cursor.fetchall()]
    crossed = 0
    for author_id in authors:
        if time.monotonic() > deadline:
            break
        try:
            crossed += cross(author_id)
        except OperationalError:  # somebody holds the row for too long; the next reconcile tries again
            logger.warning("Could not move author %s across the threshold yet", author_id)
    return crossed


def open_interval(author_id: int) -> bool:
    """Pull an author from the next post on. False: pulled already."""
    with transaction.atomic(), connection.cursor() as cursor:
        _bound(cursor)
        cursor.execute(
            "INSERT INTO feeds_pulledauthor (author_id, since_id, opened_at)"
            " VALUES (%s, next_post_id(), clock_timestamp())"
            " ON CONFLICT (author_id) DO UPDATE"
            " SET since_id = excluded.since_id, until_id = NULL, opened_at = clock_timestamp()"
            " WHERE feeds_pulledauthor.until_id IS NOT NULL",
            [author_id],
        )
        if cursor.rowcount == 0:
            return False
        _note_crossing(cursor, author_id, opened=True)
        return True


def close_interval(author_id: int) -> bool:
    """Push an author's posts again, from an id on that is above all of hers. False: not pulled."""
    with transaction.atomic(), connection.cursor() as cursor:
        _bound(cursor)
        # 1. The exclusive lock waits for every fan-out that is deciding.
        cursor.execute(
            "SELECT since_id FROM feeds_pulledauthor WHERE author_id = %s AND until_id IS NULL FOR UPDATE",
            [author_id],
        )
        if cursor.fetchone() is None:
            return False
        # 2. A new statement sees every post that such a fan-out has decided on.
        cursor.execute(
            "UPDATE feeds_pulledauthor SET until_id = greatest(next_post_id(), since_id + 1,"
            " (SELECT max(id) + 1 FROM posts_post WHERE author_id = %s)) WHERE author_id = %s",
            [author_id, author_id],
        )
        _note_crossing(cursor, author_id, opened=False)
        return True


def _note_crossing(cursor: CursorWrapper, author_id: int, *, opened: bool) -> None:
    cursor.execute(
        "INSERT INTO feeds_crossing (author_id, opened, at, followers, threshold)"
        " SELECT a.id, %s, clock_timestamp(), a.follower_count,"
        " coalesce((SELECT threshold FROM feeds_feedsettings WHERE id = 1), %s)"
        " FROM social_account a WHERE a.id = %s",
        [opened, settings.FANOUT_THRESHOLD, author_id],
    )


CROSSINGS_KEPT_DAYS = 90


def prune_crossings(*, most: int = 10_000) -> int:
    """Forget the oldest crossings; how many. What is left over is left to the next run."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM feeds_crossing WHERE id IN (SELECT id FROM feeds_crossing"
            " WHERE at < clock_timestamp() - %s * interval '1 day' ORDER BY at LIMIT %s)",
            [CROSSINGS_KEPT_DAYS, most],
        )
        return cursor.rowcount


def _bound(cursor: CursorWrapper) -> None:
    """Crossing transactions are short: `settling_seconds` relies on it."""
    cursor.execute(f"SET LOCAL statement_timeout = '{CROSSING_SECONDS}s'")


def intervals_for_fan_out(cursor: CursorWrapper, authors: list[int]) -> dict[int, Interval]:
    """The authors' intervals under a share lock, which the caller's transaction holds until its end."""
    cursor.execute(
        "SELECT author_id, since_id, until_id, opened_at < clock_timestamp() - %s * interval '1 second'"
        " FROM feeds_pulledauthor WHERE author_id = ANY(%s) ORDER BY author_id FOR SHARE",
        [settling_seconds(), authors],
    )
    return {author: Interval(since, until, settled) for author, since, until, settled in cursor.fetchall()}


def apply_inactive_after() -> None:
    """Put FEED_INACTIVE_AFTER into force. Shortening it makes every stored feed unreachable first.

    Otherwise fan-out would skip viewers whose feeds are still kept by the longer window.
    """
    with transaction.atomic():
        row, _ = FeedSettings.objects.select_for_update().get_or_create(pk=1)
        if row.inactive_after == settings.FEED_INACTIVE_AFTER:
            return
        if row.inactive_after > settings.FEED_INACTIVE_AFTER:
            row.epoch += 1
        row.inactive_after = settings.FEED_INACTIVE_AFTER
        row.save(update_fields=["epoch", "inactive_after"])
