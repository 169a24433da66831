"""What a task costs, and how long the last follower waits."""

import random
import time
from statistics import median, quantiles

from django.conf import settings

from benchmarks import bursts
from benchmarks.bench import Bench
from benchmarks.outcome import Goal, Outcome, Sample
from benchmarks.rounds import interleave
from benchmarks.row import Row
from feeds import fanout
from feeds.epoch import current_epoch
from feeds.lists import commands, execute, keys_at
from posts.ids import draw_post_ids
from posts.services import publish_post
from social.models import Account

_EMPTY_TASKS = 100


# --- Celery's share ----------------------------------------------------------------------------------------


def share_of_celery(bench: Bench) -> Outcome:
    """Celery's own time a task: tasks that find their post done, less the same calls without Celery."""
    done = bursts.write_posts([bench.stage.quiet], coalesce=False)
    bench.worker, bursts.worker_seconds(done)
    outcome = interleave(
        lambda: Sample(_celery_seconds(bench, done[0]) * 1000, _EMPTY_TASKS),
        lambda: Sample(_fan_out_seconds(bench) * 1000, bench.scale.posts),
        unit="ms a task",
        rounds=bench.scale.rounds,
        processes={"worker": bench.worker, **bench.servers},
        ratio=lambda ours, reference: ours.value / reference.value * 100,
    )
    followers = Account.objects.get(pk=bench.stage.half).follower_count
    outcome.notes.append(f"a fan-out of {followers:,} followers")
    return outcome


def _celery_seconds(bench: Bench, done: int) -> float:
    last = bursts.write_posts([bench.stage.quiet], coalesce=False)
    started = bursts.queue_all([done] * _EMPTY_TASKS)
    bursts.queue_all(last)
    through_celery = bursts.wait_until_done(last) - started
    started = time.perf_counter()
    for _ in range(_EMPTY_TASKS):
        fanout.fan_out(done, "benchmark", lambda post: None)
    return (through_celery - (time.perf_counter() - started)) / _EMPTY_TASKS


def _fan_out_seconds(bench: Bench) -> float:
    posts = bursts.write_posts([bench.stage.half] * bench.scale.posts, coalesce=False)
    return bursts.worker_seconds(posts) / len(posts)


# --- Publish to last insert --------------------------------------------------------------------------------


def publish_to_last_insert(bench: Bench) -> Outcome:
    cook = Account.objects.get(pk=bench.stage.reach[0])
    count = bench.scale.publishes
    bench.worker, _delays_ms(cook, 3)
    outcome = interleave(
        lambda: Sample(_percentile(_delays_ms(cook, count), 99), count),
        lambda: Sample(median(_inserts_ms(bench, count)), count),
        unit="ms (p99; alone: median)",
        rounds=bench.scale.rounds,
        processes={"worker": bench.worker, **bench.servers},
    )
    outcome.notes.append(f"{len(bench.stage.customers):,} followers, {count} publishes a round")
    return outcome


def _delays_ms(cook: Account, count: int) -> list[float]:
    """From the publish's return to the row's `done_at`, which the worker writes after the last insert."""
    delays = []
    for _ in range(count):
        post = publish_post(author=cook, text="Soup")
        acknowledged = time.time()
        delays.append((bursts.wait_until_done([post.pk]) - acknowledged) * 1000)
    return delays


def _inserts_ms(bench: Bench, count: int) -> list[float]:
    """The inserts of such a fan-out alone: known followers, the same pushes and batches, one after the other."""
    keys, size, customers = keys_at(current_epoch()), settings.FANOUT_BATCH_SIZE, bench.stage.customers
    names = [keys.feeds(customers[n : n + size]) for n in range(0, len(customers), size)]
    times = []
    for post in draw_post_ids(count):
        started = time.perf_counter()
        for batch in names:
            trim = random.random() < fanout.TRIM_SHARE
            execute(keys, [commands.push_command(batch, [post], length=settings.FEED_LENGTH, trim=trim)])
        times.append((time.perf_counter() - started) * 1000)
    return times


def _percentile(values: list[float], share: int) -> float:
    return quantiles(values, n=100, method="inclusive")[share - 1]


ROWS = (
    Row("celery", "share of Celery in a fan-out of 5,000", "the whole",
        Goal(5, 2, more=False, sign="%"), share_of_celery),
    Row("publish", "publish acknowledged to last insert, 10,000 followers, 99th percentile",
        "the same inserts alone in one run", Goal(2, 1.5, more=False), publish_to_last_insert),
)  # fmt: skip
