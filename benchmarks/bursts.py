"""Bursts of posts for the workers, and the same inserts made in other ways."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date

import redis
from django.conf import settings
from django.db import connection

from feeds.models import Outbox
from feeds.queueing import enqueue_fan_out
from posts.ids import draw_post_ids
from posts.models import Post

_PATIENCE_SECONDS = 120
REFERENCE_KEYS = 10_000
REFERENCE_DB = 1  # of the feed Redis: the same server, other keys
BATCH = 1000


class NotDelivered(Exception):
    """The worker did not finish in time."""


def write_posts(authors: Sequence[int], *, coalesce: bool) -> list[int]:
    """One post of each author, in PostgreSQL with its outbox row and not yet queued.

    Without `coalesce` each looks as if another worker had died on it: a job takes its own only.
    """
    ids = draw_post_ids(len(authors))
    today = date.today()
    Post.objects.bulk_create(
        Post(id=i, author_id=author, text="Soup", day=today) for i, author in zip(ids, authors, strict=True)
    )
    if not coalesce:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE feeds_outbox SET claimed_by = 'alone', claimed_until = clock_timestamp()"
                " - interval '1 minute' WHERE kind = 'published' AND subject_id = ANY(%s)",
                [ids],
            )
    return ids


def queue_all(posts: Sequence[int]) -> float:
    """Hand posts to the worker; the moment before the first, by the machine's clock."""
    started = time.time()
    for post in posts:
        enqueue_fan_out(post)
    return started


def wait_until_done(posts: Sequence[int]) -> float:
    """The moment at which the last of them was done, by the same clock. NotDelivered."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    rows = Outbox.objects.filter(kind="published", subject_id__in=posts)
    while rows.filter(done_at=None).exists():
        if time.monotonic() > deadline:
            raise NotDelivered(f"{rows.filter(done_at=None).count()} of {len(posts)} posts are not done")
        time.sleep(0.05)  # looking costs what is measured; the moment itself is in the row
    last = rows.order_by("-done_at").values_list("done_at", flat=True)[0]
    return last.timestamp()


def worker_seconds(posts: Sequence[int]) -> float:
    """From the first message to the last acknowledged insert."""
    started = queue_all(posts)
    return wait_until_done(posts) - started


# --- The reference's keys ----------------------------------------------------------------------------------


def reference_key(n: int) -> str:
    """As redis-benchmark spells `feed:__rand_int__`."""
    return f"feed:{n:012d}"


@contextmanager
def reference_client() -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(settings.FEED_REDIS_URL, db=REFERENCE_DB) as client:
        yield client


def fill_reference_keys() -> None:
    """REFERENCE_KEYS sorted sets of FEED_LENGTH ids, like the feeds; what was added is cut off again."""
    ids = draw_post_ids(settings.FEED_LENGTH)
    scored = {str(i): i for i in ids}
    with reference_client() as client:
        for first in range(0, REFERENCE_KEYS, BATCH):
            pipeline = client.pipeline(transaction=False)
            for n in range(first, min(first + BATCH, REFERENCE_KEYS)):
                pipeline.zcard(reference_key(n))
            for n, size in enumerate(pipeline.execute(), first):
                if size == 0:
                    pipeline.zadd(reference_key(n), scored)
                elif size > settings.FEED_LENGTH:
                    pipeline.zremrangebyrank(reference_key(n), 0, -settings.FEED_LENGTH - 1)
            pipeline.execute()


def pipelined_zadd(post: int, followers: int) -> None:
    """What one would write first: for each follower a ZADD and a trim, in pipelines of BATCH followers."""
    with reference_client() as client:
        for first in range(0, followers, BATCH):
            pipeline = client.pipeline(transaction=False)
            for n in range(first, min(first + BATCH, followers)):
                key = reference_key(n)
                pipeline.zadd(key, {str(post): post})
                pipeline.zremrangebyrank(key, 0, -settings.FEED_LENGTH - 1)
            pipeline.execute()
