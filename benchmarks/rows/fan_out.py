"""Fan-out end to end: a worker of one process takes tasks from the queue until the last insert is acknowledged.

The value is ids inserted a second, by the machine's clock from before the first message to the last row's
`done_at`. The posts' rows are in PostgreSQL beforehand.
"""

import shutil
import subprocess
import time
from itertools import cycle, islice
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

from benchmarks import bursts
from benchmarks.bench import Bench
from benchmarks.checking import check_ids
from benchmarks.outcome import Goal, Outcome, Sample
from benchmarks.rounds import Side, interleave
from benchmarks.row import Row, Skipped
from feeds.reading import read_feed
from posts.ids import draw_post_ids

_PROBE = ["ZADD", "feed:__rand_int__", "__rand_int__", "__rand_int__"]


def one_by_one(bench: Bench) -> Outcome:
    return _against(bench, _burst(bench, coalesce=False), _redis_benchmark(bench))


def under_backlog(bench: Bench) -> Outcome:
    outcome = _against(bench, _burst(bench, coalesce=True), _redis_benchmark(bench))
    outcome.notes.append(f"{bench.scale.coalesced} cooks with the same followers: up to 8 posts an insert")
    return outcome


def against_redis_py(bench: Bench) -> Outcome:
    return _against(bench, _burst(bench, coalesce=False), _redis_py(bench))


def _against(bench: Bench, ours: Side, reference: Side) -> Outcome:
    bursts.fill_reference_keys()
    outcome = interleave(
        ours,
        reference,
        unit="ids/s",
        rounds=bench.scale.rounds,
        processes={"worker": bench.worker, **bench.servers},
    )
    check_ids("feed after fan-out", bench.stage.customers[:3], whole_feed, limit=10**6)
    return outcome


def whole_feed(viewer: int) -> list[int]:
    ids: list[int] = []
    page = read_feed(viewer, limit=100)
    while True:
        ids += [item.post_id for item in page.items]
        if page.next_cursor is None:
            return ids
        page = read_feed(viewer, limit=100, cursor=page.next_cursor)


def _burst(bench: Bench, *, coalesce: bool) -> Side:
    authors = list(islice(cycle(bench.stage.reach), bench.scale.posts))

    def burst() -> Sample:
        posts = bursts.write_posts(authors, coalesce=coalesce)
        inserted = len(posts) * len(bench.stage.customers)
        return Sample(inserted / bursts.worker_seconds(posts), inserted)

    return burst


def _redis_py(bench: Bench) -> Side:
    followers = min(len(bench.stage.customers), bursts.REFERENCE_KEYS)

    def insert() -> Sample:
        posts = draw_post_ids(4)
        started = time.perf_counter()
        for post in posts:
            bursts.pipelined_zadd(post, followers)
        inserted = len(posts) * followers
        return Sample(inserted / (time.perf_counter() - started), inserted)

    return insert


def _redis_benchmark(bench: Bench) -> Side:
    binary = shutil.which("redis-benchmark") or shutil.which("valkey-benchmark")
    if binary is None:
        raise Skipped("redis-benchmark is missing; on Debian: apt install redis-tools")
    command = [binary, *_server_options(), "-c", "1", "-P", "1000", "-r", str(bursts.REFERENCE_KEYS)]
    command += ["-n", str(bench.scale.inserts), "--csv", *_PROBE]

    def run() -> Sample:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rate = float(output.strip().splitlines()[-1].split('","')[1].strip('"'))
        bursts.fill_reference_keys()
        return Sample(rate, bench.scale.inserts)

    return run


def _server_options() -> list[str]:
    """Where the feed Redis listens, as redis-benchmark takes it."""
    url = urlsplit(settings.FEED_REDIS_URL)
    database = ["--dbnum", str(bursts.REFERENCE_DB)]
    if url.scheme == "unix":
        return ["-s", url.path, *database]
    if parse_qs(url.query) or url.scheme not in ("redis", "valkey"):
        raise Skipped(f"redis-benchmark cannot be pointed at a {url.scheme} URL")
    login = ["-a", url.password] if url.password else []
    return ["-h", url.hostname or "localhost", "-p", str(url.port or 6379), *login, *database]


_BENCHMARK = "redis-benchmark, ZADD on 10,000 keys of 500 ids"
ROWS = (
    Row("fan-out", "fan-out end to end, one worker process, ids a second", _BENCHMARK,
        Goal(0.85, 1.0, more=True), one_by_one),
    Row("fan-out-backlog", "the same under backlog, posts coalesced by follower", _BENCHMARK,
        Goal(1.5, 2.0, more=True), under_backlog),
    Row("fan-out-redis-py", "fan-out end to end, one worker process, ids a second",
        "redis-py, pipelined ZADD and trim of each", Goal(2.0, 4.0, more=True), against_redis_py),
)  # fmt: skip
