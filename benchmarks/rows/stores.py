"""Time inside Redis and PostgreSQL of opening a feed, against the better of two ways to pull it.

Ours: the processor time that Redis notes for the commands of a page (INFO commandstats), and the wall time of
queries, of which a warm page has none. Pull: what PostgreSQL says of planning and execution (EXPLAIN ANALYZE);
Django sends each query unprepared. It is the ids alone, without the cards, in the pull queries' favour.
"""

from collections.abc import Sequence
from statistics import mean, median

import redis
from django.conf import settings
from django.db import connection

from benchmarks.bench import Bench
from benchmarks.checking import check_equal, check_ids
from benchmarks.outcome import Goal, Outcome, Sample
from benchmarks.rounds import by_inverse, interleave
from benchmarks.row import Row
from benchmarks.rows.in_process import refresh_like_a_server, warm
from feeds.reading import read_feed
from feeds.reference import reference_feed_ids

_LIMIT = 21  # one more than a page, which says whether the feed goes on
_TOP_LEVEL = ("cmdstat_evalsha", "cmdstat_mget")  # those inside a script are part of its own time

LATERAL = """
SELECT p.id FROM social_follow f
JOIN social_account a ON a.id = f.followee_id AND a.is_active
CROSS JOIN LATERAL (
    SELECT id FROM posts_post WHERE author_id = f.followee_id ORDER BY id DESC LIMIT %(limit)s
) p
WHERE f.follower_id = %(viewer)s ORDER BY p.id DESC LIMIT %(limit)s
"""
BY_TIME = """
SELECT p.id FROM posts_post p
WHERE EXISTS (SELECT FROM social_follow f JOIN social_account a ON a.id = f.followee_id
              WHERE f.follower_id = %(viewer)s AND f.followee_id = p.author_id AND a.is_active)
ORDER BY p.id DESC LIMIT %(limit)s
"""


def on_the_platform(bench: Bench) -> Outcome:
    return _measure(bench, sorted(set(bench.zipf_viewers[: bench.scale.calls // 4])))


def of_dormant_authors(bench: Bench) -> Outcome:
    return _measure(bench, bench.stage.dormant)


def of_many_authors(bench: Bench) -> Outcome:
    return _measure(bench, bench.stage.many)


def _measure(bench: Bench, viewers: Sequence[int]) -> Outcome:
    refresh_like_a_server()
    warm(viewers)
    check_ids("read", viewers[:10], lambda v: [item.post_id for item in read_feed(v).items])
    for viewer in viewers[:10]:
        for query in (LATERAL, BY_TIME):
            check_equal("pull query", pulled_ids(query, viewer), reference_feed_ids(viewer)[:_LIMIT])
    faster = min((LATERAL, BY_TIME), key=lambda query: mean(_pull_us(query, v) for v in viewers))
    outcome = interleave(
        lambda: Sample(_open_us(viewers), len(viewers)),
        lambda: Sample(mean(_pull_us(faster, viewer) for viewer in viewers), len(viewers)),
        unit="us in stores",
        rounds=bench.scale.rounds,
        processes=bench.servers,
        ratio=by_inverse,
    )
    name = "LATERAL for each author" if faster is LATERAL else "scan by time"
    execution = mean(_times_us(faster, viewer)[1] for viewer in viewers)
    outcome.notes.append(
        f"the better pull query: {name}; without its planning {execution:.0f} us,"
        f" {execution / median(outcome.ours):.1f} times ours"
    )
    return outcome


def _open_us(viewers: Sequence[int]) -> float:
    """Redis's own time for a page, on average. A page that runs SQL is refused."""
    with redis.Redis.from_url(settings.FEED_REDIS_URL) as client:
        before = _redis_us(client)
        for viewer in viewers:
            if read_feed(viewer).queries:
                raise RuntimeError(f"viewer {viewer}: this read is not warm")
        return (_redis_us(client) - before) / len(viewers)


def _redis_us(client: "redis.Redis") -> float:
    stats = client.info("commandstats")
    return sum(float(stats[name]["usec"]) for name in _TOP_LEVEL if name in stats)


def _pull_us(query: str, viewer: int) -> float:
    return sum(_times_us(query, viewer))


def _times_us(query: str, viewer: int) -> tuple[float, float]:
    """(planning, execution) as PostgreSQL says."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {query}", {"viewer": viewer, "limit": _LIMIT}
        )
        plan = cursor.fetchone()[0][0]
        return plan["Planning Time"] * 1000, plan["Execution Time"] * 1000


def pulled_ids(query: str, viewer: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"viewer": viewer, "limit": _LIMIT})
        return [row[0] for row in cursor.fetchall()]


_GOAL = Goal(4, 7, more=True)
ROWS = (
    Row("stores", "time in data stores of an open, seed platform", "the better of two pull queries",
        _GOAL, on_the_platform),
    Row("stores-dormant", "the same, viewers of dormant authors", "the better of two pull queries",
        _GOAL, of_dormant_authors),
    Row("stores-1000", "the same, viewers of 1,000 authors", "the better of two pull queries",
        _GOAL, of_many_authors),
)  # fmt: skip
