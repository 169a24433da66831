"""Whom a threshold moves: before it is set, and on the way until it is in force."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from feeds.models import FeedSettings
from feeds.threshold import TO_CLOSE, TO_OPEN, current_threshold, settling_seconds
from social.models import Account

MOST_COUNTED = 100_000
MOST_NAMED = 20

# By a number that is set now, whoever is pulled was so before: hysteresis says nothing yet.
_OPENS = """
SELECT a.id FROM social_account a LEFT JOIN feeds_pulledauthor i ON i.author_id = a.id
WHERE a.is_cook AND a.follower_count >= %(threshold)s AND (i.author_id IS NULL OR i.until_id IS NOT NULL)
ORDER BY a.follower_count DESC, a.id LIMIT %(most)s
"""
_CLOSES = """
SELECT a.id FROM feeds_pulledauthor i JOIN social_account a ON a.id = i.author_id
WHERE i.until_id IS NULL AND a.follower_count < %(threshold)s
ORDER BY a.follower_count DESC, a.id LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class Movers:
    """How many (MOST_COUNTED at most), and the most followed of them."""

    count: int
    first: list[Account]


@dataclass(frozen=True, slots=True)
class Move:
    """What a threshold would change: who becomes pulled, and who is pushed again."""

    opens: Movers
    closes: Movers


def preview_move(threshold: int | None) -> Move:
    wanted = settings.FANOUT_THRESHOLD if threshold is None else threshold
    return Move(_movers(_OPENS, wanted), _movers(_CLOSES, wanted))


def _movers(query: str, threshold: int) -> Movers:
    with connection.cursor() as cursor:
        cursor.execute(query, {"threshold": threshold, "most": MOST_COUNTED})
        ids = [row[0] for row in cursor.fetchall()]
    named = Account.objects.in_bulk(ids[:MOST_NAMED])
    return Movers(len(ids), [named[pk] for pk in ids[:MOST_NAMED] if pk in named])


@dataclass(frozen=True, slots=True)
class Progress:
    """After a threshold was set, at `set_at`. `waiting`: authors who have still to cross. From `known_at` on every
    process merges whom it pulls, from `settled_at` on nobody pushes for them any more."""

    set_at: datetime
    waiting: int
    known_at: datetime
    settled_at: datetime
    now: datetime

    @property
    def done(self) -> bool:
        return not self.waiting and self.now >= self.settled_at


def get_progress() -> Progress | None:
    """None: nobody has set a threshold yet. Who waits is counted up to MOST_COUNTED."""
    set_at = FeedSettings.objects.filter(pk=1).values_list("threshold_set_at", flat=True).first()
    if set_at is None:
        return None
    parameters = {"threshold": current_threshold(), "limit": MOST_COUNTED}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT count(*) FROM ({TO_OPEN}) opens) + (SELECT count(*) FROM ({TO_CLOSE}) closes)",
            parameters,
        )
        waiting = cursor.fetchone()[0]
    return Progress(
        set_at,
        waiting,
        known_at=set_at + timedelta(seconds=2 * settings.FEED_LOCAL_CACHE_SECONDS),
        settled_at=set_at + timedelta(seconds=settling_seconds()),
        now=timezone.now(),
    )
