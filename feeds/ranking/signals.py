"""What is known of a viewer, of authors and of menus, for ranking: a few queries, each bounded."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection

from feeds.page import Item
from feeds.ranking.values import Affinity, Candidate
from posts.ids import time_of

MOST_ACTS = 500  # openings, and likes, of a viewer that are looked at: the newest

_OPENED = """
SELECT p.author_id, extract(epoch FROM o.at)::float8 FROM (
    SELECT post_id, at FROM posts_opening WHERE account_id = %s AND at < %s ORDER BY at DESC LIMIT %s
) o JOIN posts_post p ON p.id = o.post_id WHERE p.author_id = ANY(%s)
"""
_LIKED = """
SELECT p.author_id, extract(epoch FROM l.created_at)::float8 FROM (
    SELECT post_id, created_at FROM posts_like
    WHERE account_id = %s AND created_at < %s ORDER BY post_id DESC LIMIT %s
) l JOIN posts_post p ON p.id = l.post_id WHERE p.author_id = ANY(%s)
"""
_FOLLOWED = """
SELECT followee_id, extract(epoch FROM created_at)::float8 FROM social_follow
WHERE follower_id = %s AND created_at < %s AND followee_id = ANY(%s)
"""
_SEEN = """
SELECT seen.post_id FROM feeds_seen CROSS JOIN LATERAL unnest(post_ids, moments) seen (post_id, at)
WHERE viewer_id = %s AND day >= %s AND seen.at < %s
"""
_EXPOSED = "SELECT post_id, impressions, openings FROM feeds_exposure WHERE post_id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class Signals:
    """`affinities` by author; `exposures` by post: (impressions, openings); what is not there is neutral."""

    affinities: dict[int, Affinity] = field(default_factory=dict)
    exposures: dict[int, tuple[int, int]] = field(default_factory=dict)
    seen: frozenset[int] = frozenset()


def read_signals(viewer_id: int, items: Collection[Item], now: datetime) -> Signals:
    """What was known at `now`: five queries. How often menus were seen and opened is as of today."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPOSED, [[item.post_id for item in items]])
        exposures = {post_id: (impressions, openings) for post_id, impressions, openings in cursor.fetchall()}
    oldest = min((item.post_id for item in items), default=0)
    return Signals(
        read_affinities(viewer_id, {item.card.author_id for item in items}, now),
        exposures,
        read_seen(viewer_id, since=time_of(oldest), until=now + timedelta(seconds=1)),  # kept by the second
    )


def read_affinities(viewer_id: int, author_ids: Collection[int], now: datetime) -> dict[int, Affinity]:
    authors = list(author_ids)
    with connection.cursor() as cursor:
        cursor.execute(_OPENED, [viewer_id, now, MOST_ACTS, authors])
        opened = _times(cursor.fetchall())
        cursor.execute(_LIKED, [viewer_id, now, MOST_ACTS, authors])
        liked = _times(cursor.fetchall())
        cursor.execute(_FOLLOWED, [viewer_id, now, authors])
        followed = dict(cursor.fetchall())
    return {
        author: Affinity(tuple(opened[author]), tuple(liked[author]), followed.get(author))
        for author in authors
        if author in opened or author in liked or author in followed
    }


def read_seen(viewer_id: int, *, since: datetime, until: datetime) -> frozenset[int]:
    """What the viewer has seen between two moments."""
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, [viewer_id, since.date(), int(until.timestamp())])
        return frozenset(post_id for (post_id,) in cursor.fetchall())


def _times(rows: Iterable[tuple[int, float]]) -> defaultdict[int, list[float]]:
    times: defaultdict[int, list[float]] = defaultdict(list)
    for author, at in rows:
        times[author].append(at)
    return times


def to_candidates(items: Iterable[Item], source_of: dict[int, str], signals: Signals) -> list[Candidate]:
    """Menus with what is known of them."""
    nobody = Affinity()
    candidates = []
    for item in items:
        menu, post_id, author_id = item.card.members, item.post_id, item.card.author_id
        dishes = menu["dishes"]
        impressions, openings = signals.exposures.get(post_id, (0, 0))
        candidates.append(
            Candidate(
                post_id,
                author_id,
                time_of(post_id).timestamp(),
                " ".join([menu["text"], *(dish["name"] for dish in dishes)]),
                sum(dish["sold_out"] for dish in dishes) / len(dishes) if dishes else 0.0,
                menu["like_count"],
                impressions,
                openings,
                post_id in signals.seen,
                signals.affinities.get(author_id, nobody),
                source_of.get(post_id, "followed"),
            )
        )
    return candidates
