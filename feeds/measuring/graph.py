"""The live follow graph, as far as a threshold depends on it: how cooks are followed, how often they post, and whom a
sample of viewers follows."""

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from feeds.measuring.sampling import sample_accounts
from feeds.planning.distribution import Followers
from feeds.planning.ladder import Ladder
from posts.ids import id_at, time_of

MOST_VIEWERS = 5_000  # that are looked at: the 99th percentile still rests on fifty
MOST_FOLLOWS = 10_000  # of each that count
MOST_POSTS = 200_000  # the newest, from which posts a day are counted
MOST_DAYS = 7
SHORTEST_SPAN = timedelta(days=1)  # a platform of an hour has no day to speak of

# By follower count, since cooks who are followed equally cost the same.
_COOKS = """
WITH newest AS (
    SELECT author_id FROM posts_post WHERE id > %(since)s ORDER BY id DESC LIMIT %(most)s
), posted AS (
    SELECT author_id, count(*) AS posts FROM newest GROUP BY author_id
)
SELECT a.follower_count, count(*), coalesce(sum(p.posts), 0)
FROM social_account a LEFT JOIN posted p ON p.author_id = a.id
WHERE a.is_cook AND a.is_active GROUP BY a.follower_count ORDER BY a.follower_count
"""
_SPAN = """
SELECT min(id), count(*) FROM (SELECT id FROM posts_post WHERE id > %(since)s ORDER BY id DESC LIMIT %(most)s) newest
"""
_VIEWERS = """
SELECT v.last_seen > now() - %(window)s * interval '1 second', array_agg(a.follower_count)
FROM unnest(%(viewers)s::bigint[]) viewer(id) JOIN social_account v ON v.id = viewer.id
CROSS JOIN LATERAL (SELECT followee_id FROM social_follow WHERE follower_id = v.id LIMIT %(most)s) f
JOIN social_account a ON a.id = f.followee_id
WHERE v.is_active AND a.is_cook AND a.is_active GROUP BY v.id
"""


@dataclass(frozen=True)
class Graph:
    """`cooks`: (followers, posts a day), rising. `viewers`: of each viewer looked at, how many followers the cooks
    have whom she follows, rising. `days`: over which posts were counted. `active`: share of the follows that belong
    to viewers who were here within the window, who alone are pushed to. `accounts`: about how many follow a cook.
    `whole`: all accounts were looked at.
    """

    cooks: list[tuple[int, float]]
    viewers: list[list[int]]
    days: float
    posts: int
    active: float
    active_viewers: int
    accounts: int
    whole: bool
    measured_at: datetime
    ladder: Ladder = field(repr=False)
    _pulls: dict[int, tuple[float, int]] = field(default_factory=dict, repr=False)  # by threshold, once asked

    @property
    def followers(self) -> Followers:
        return Followers(followers for followers, _ in self.cooks)

    def pulls(self, threshold: int | None) -> tuple[float, int]:
        """Pulled cooks whom a viewer follows: on average, and for one in a hundred at least."""
        if threshold is None or not self.viewers:
            return 0.0, 0
        if threshold not in self._pulls:
            counts = sorted(len(followed) - bisect_left(followed, threshold) for followed in self.viewers)
            p99 = counts[min(int(len(counts) * 0.99), len(counts) - 1)]
            self._pulls[threshold] = sum(counts) / len(counts), p99
        return self._pulls[threshold]

    def posts_by_class(self) -> list[tuple[int, int, float]]:
        """(followers from, cooks, posts a day) of each power of ten."""
        classes: dict[int, list[float]] = {}
        for followers, posts in self.cooks:
            entry = classes.setdefault(10 ** (len(str(followers)) - 1) if followers else 0, [0, 0])
            entry[0] += 1
            entry[1] += posts
        return [(least, int(cooks), posts) for least, (cooks, posts) in sorted(classes.items())]


def measure_graph(*, inactive_after: int) -> Graph:
    """Two bounded looks at the tables; DatabaseError as ever."""
    now = timezone.now()
    since = id_at(now - timedelta(days=MOST_DAYS))
    with connection.cursor() as cursor:
        cursor.execute(_SPAN, {"since": since, "most": MOST_POSTS})
        oldest, posts = cursor.fetchone()
        span = max(now - time_of(oldest), SHORTEST_SPAN) if posts else SHORTEST_SPAN
        days = span / timedelta(days=1)
        cursor.execute(_COOKS, {"since": since, "most": MOST_POSTS})
        cooks = [
            (followers, float(written) / count / days)
            for followers, count, written in cursor.fetchall()
            for _ in range(count)
        ]
        sampled = sample_accounts(MOST_VIEWERS)
        cursor.execute(_VIEWERS, {"viewers": sampled, "window": inactive_after, "most": MOST_FOLLOWS})
        rows = cursor.fetchall()
        cursor.execute("SELECT count(*) FROM (SELECT FROM social_account LIMIT %s) few", [MOST_VIEWERS + 1])
        whole = cursor.fetchone()[0] <= MOST_VIEWERS
        cursor.execute(
            "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'social_account'::regclass"
        )
        everybody = cursor.fetchone()[0]
    viewers = [sorted(followed) for _, followed in rows]
    follows = sum(map(len, viewers))
    of_active = sum(len(followed) for here, followed in rows if here)
    scale = 1.0 if whole or not sampled else max(everybody / len(sampled), 1.0)
    accounts = round(len(viewers) * scale)
    return Graph(
        cooks=cooks,
        viewers=viewers,
        days=days,
        posts=posts,
        active=of_active / follows if follows else 0.0,
        active_viewers=round(sum(bool(here) for here, _ in rows) * scale),
        accounts=accounts,
        whole=whole,
        measured_at=now,
        ladder=Ladder(cooks, viewers=max(accounts, 1)),
    )
