"""The page in this process, without a web server: the whole WSGI application, or the read alone."""

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from io import BytesIO
from itertools import cycle
from statistics import median
from typing import Any

from benchmarks.bench import Bench, tokens
from benchmarks.checking import check_ids
from benchmarks.outcome import Goal, Outcome, Sample
from benchmarks.rounds import Side, interleave
from benchmarks.row import Row
from benchmarks.rows.over_http import EMPTY, FEED
from feeds.api import page_json
from feeds.reading import read_feed
from social.paging import DEFAULT_LIMIT

DEEP_PAGE = 20
_CHECKED = 10


# --- The whole application ---------------------------------------------------------------------------------


def against_empty(bench: Bench) -> Outcome:
    viewers = bench.zipf_viewers[: bench.scale.calls]
    known = tokens(set(viewers))
    check_ids("feed in process", list(known)[:_CHECKED], lambda v: _ids(read_feed(v)))
    return interleave_blocks(
        bench,
        block([_environ(FEED, known[viewer]) for viewer in viewers], call),
        block([_environ(EMPTY, known[viewer]) for viewer in viewers], call),
    )


def _environ(path: str, token: str) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost",
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.errors": BytesIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


@cache
def _application() -> Any:
    from benchmarks.wsgi import application

    return application


def refresh_like_a_server() -> None:
    """From now on this process, too, refreshes the overlay in the background."""
    _application()


def call(environ: dict[str, Any]) -> bytes:
    """One request through middleware and view, as a web server calls it."""
    statuses: list[str] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        statuses.append(status)

    response = _application()({**environ, "wsgi.input": BytesIO()}, start_response)
    body = b"".join(response)
    response.close()
    if statuses != ["200 OK"]:
        raise RuntimeError(f"{environ['PATH_INFO']}: {statuses} {body[:300]!r}")
    return body


# --- The read alone: read_feed and its JSON ----------------------------------------------------------------


def with_pulled_authors(bench: Bench) -> Outcome:
    return _reads(bench, bench.stage.pulled, bench.stage.plain)


def with_many_follows(bench: Bench) -> Outcome:
    return _reads(bench, bench.stage.many, bench.stage.few)


def with_most_follows(bench: Bench) -> Outcome:
    return _reads(bench, bench.stage.most, bench.stage.few)


def deep_page(bench: Bench) -> Outcome:
    """Page 20 of the same viewers whose page 1 is the reference."""
    viewers = bench.zipf_viewers[: bench.scale.calls]
    cursors = {viewer: _cursor_of_page(viewer, DEEP_PAGE) for viewer in set(viewers)}
    for viewer, cursor in cursors.items():
        read_feed(viewer, cursor=cursor)
    start = (DEEP_PAGE - 1) * DEFAULT_LIMIT
    check_ids(
        "page 20", list(cursors)[:_CHECKED], lambda v: _ids(read_feed(v, cursor=cursors[v])), start=start
    )
    return interleave_blocks(
        bench,
        block([(viewer, cursors[viewer]) for viewer in viewers], _read),
        block([(viewer, None) for viewer in viewers], _read),
    )


def _reads(bench: Bench, ours: Sequence[int], reference: Sequence[int]) -> Outcome:
    warm([*ours, *reference])
    for viewers in (ours, reference):
        check_ids("read", viewers[:_CHECKED], lambda v: _ids(read_feed(v)))
    return interleave_blocks(
        bench,
        block([(viewer, None) for viewer in ours], _read, calls=bench.scale.calls),
        block([(viewer, None) for viewer in reference], _read, calls=bench.scale.calls),
    )


def warm(viewers: Iterable[int]) -> None:
    """Read each page once: what is built on the way is there from then on."""
    for viewer in viewers:
        read_feed(viewer)


def _read(arguments: tuple[int, str | None]) -> bytes:
    viewer, cursor = arguments
    page = read_feed(viewer, version=1, cursor=cursor)
    if page.queries:
        raise RuntimeError(f"viewer {viewer}: {page.queries} queries, this read is not warm")
    return page_json(page)


def _cursor_of_page(viewer: int, number: int) -> str | None:
    cursor = None
    for _ in range(number - 1):
        cursor = read_feed(viewer, cursor=cursor).next_cursor
    return cursor


def _ids(page: Any) -> list[int]:
    return [item.post_id for item in page.items]


# --- Both --------------------------------------------------------------------------------------------------


def block(arguments: Sequence[Any], work: Callable[[Any], object], calls: int | None = None) -> Side:
    """Calls of `work` with each argument in turn; the value is their median time in microseconds."""
    calls = calls or len(arguments)

    def block() -> Sample:
        gc.collect()  # the other side's garbage is not ours to collect
        gc.freeze()  # and what the benchmark itself holds is nobody's: collections need not walk it
        times, turn = [], cycle(arguments)
        for _ in range(calls):
            argument = next(turn)
            started = time.perf_counter()
            work(argument)
            times.append(time.perf_counter() - started)
        return Sample(median(times) * 1e6, calls)

    return block


def interleave_blocks(bench: Bench, ours: Side, reference: Side) -> Outcome:
    rounds = bench.scale.rounds * 3  # a block is short
    refresh_like_a_server()
    return interleave(ours, reference, unit="us, median", rounds=rounds, processes=bench.servers)


ROWS = (
    Row("process-empty", "feed page of 20 in process, median time", "an empty Django view",
        Goal(2.2, 1.75, more=False), against_empty),
    Row("pulled", "page with 30 followed pulled authors", "with none",
        Goal(2.0, 1.3, more=False), with_pulled_authors),
    Row("follows-1000", "page at 1,000 follows", "at 30", Goal(1.2, 1.05, more=False), with_many_follows),
    Row("follows-5000", "page at 5,000 follows", "at 30", Goal(1.2, 1.05, more=False), with_most_follows),
    Row("deep-page", "page 20 of the stored range", "page 1", Goal(1.15, 1.05, more=False), deep_page),
)  # fmt: skip
