"""The feed page over HTTP: granian as the Procfile starts it, viewers as they come, over keep-alive sockets."""

import json
import os
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.checking import check_equal, check_ids
from benchmarks.load import fetch, request_bytes, requests_per_second
from benchmarks.outcome import Goal, Outcome, Sample
from benchmarks.rounds import Side, interleave
from benchmarks.row import Row
from benchmarks.views import PAGE_FILE
from posts.rendering import post_dict
from posts.selectors import get_visible_post

FEED, EMPTY, CONSTANT = "/api/v1/feed", "/benchmark/empty", "/benchmark/constant"
_CHECKED = 20


def against_empty(bench: Bench) -> Outcome:
    return _against(bench, EMPTY)


def against_constant(bench: Bench) -> Outcome:
    return _against(bench, CONSTANT)


def _against(bench: Bench, path: str) -> Outcome:
    page_file = bench.folder / "page.json"
    os.environ[PAGE_FILE] = str(page_file)
    pid, port = bench.web
    check_pages(bench, port, page_file)
    outcome = interleave(
        _load(bench, port, FEED),
        _load(bench, port, path),
        unit="requests/s",
        rounds=bench.scale.rounds,
        processes={"web": pid, **bench.servers},
    )
    share = outcome.costs["ours"].cpu["client"] / outcome.costs["ours"].wall
    outcome.notes.append(f"the load's own process was busy for {share:.0%} of the time at our side")
    return outcome


def _load(bench: Bench, port: int, path: str) -> Side:
    requests, seconds = bench.requests(path), bench.scale.seconds

    def load() -> Sample:
        return requests_per_second(port, requests, seconds)

    return load


def check_pages(bench: Bench, port: int, page_file: Path) -> None:
    """The feed answers the reference feed; the constant is one such page, and is answered as it is."""
    viewers = list(dict.fromkeys(bench.zipf_viewers))[:_CHECKED]
    bodies = {v: fetch(port, request_bytes(FEED, bench.tokens[v])) for v in viewers}
    check_ids("feed over HTTP", viewers, lambda v: [post["id"] for post in json.loads(bodies[v])["posts"]])
    viewer = viewers[0]
    posts = json.loads(bodies[viewer])["posts"]
    truth = [post_dict(get_visible_post(viewer_id=viewer, post_id=post["id"])) for post in posts]
    check_equal("posts over HTTP", posts, json.loads(json.dumps(truth)))
    if not page_file.exists():
        page_file.write_bytes(bodies[viewer])
    constant = json.loads(fetch(port, request_bytes(CONSTANT, bench.tokens[viewer])))
    check_equal("constant page", constant["posts"], posts)


ROWS = (
    Row("http-empty", "feed page of 20 over HTTP, warm, requests a second",
        "an empty Django view, same middleware and authentication", Goal(0.3, 0.5, more=True), against_empty),
    Row("http-constant", "feed page of 20 over HTTP, warm, requests a second",
        "a DRF view with the same 20 posts as a constant", Goal(1.0, 1.5, more=True), against_constant),
)  # fmt: skip
