"""Every variant that the benchmarks compare returns the same pages. No timings here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings

from benchmarks import bursts, checking, views
from benchmarks.checking import WrongPage, check_equal, check_ids
from benchmarks.filling import fill
from benchmarks.rows import ROWS
from benchmarks.rows import stores as pull
from benchmarks.rows.fan_out import whole_feed
from benchmarks.scale import Scale
from benchmarks.stage import Stage, make_stage
from feeds import fanout
from feeds.epoch import current_epoch
from feeds.lists import keys_at
from feeds.reading import read_feed
from feeds.reference import reference_feed_ids

TINY = Scale(
    customers=20, cooks=8, days=4, crowd=60, busy=20, group=2, few=6, many=20, most=50, pulled=4, coalesced=2
)  # fmt: skip


@pytest.fixture
def stage(stores: None, settings: Any) -> Iterator[Stage]:
    settings.FEED_LENGTH = 30
    settings.FANOUT_THRESHOLD = 1_000_000
    settings.ROOT_URLCONF = "benchmarks.urls"
    stage = make_stage(TINY)
    fill(stage.viewers, processes=1)
    yield stage
    views.constant_page.cache_clear()


def ids_of(viewer: int) -> list[int]:
    return [item.post_id for item in read_feed(viewer).items]


def test_warm_reads_and_pull_queries_find_the_reference_feed(stage: Stage) -> None:
    check_ids("read", stage.viewers, ids_of)
    assert {page.queries for page in map(read_feed, stage.viewers)} == {0}
    for viewer in (stage.customers[0], stage.many[0], stage.dormant[0]):
        for query in (pull.LATERAL, pull.BY_TIME):
            assert pull.pulled_ids(query, viewer) == reference_feed_ids(viewer)[:21]


def test_the_constant_view_answers_the_page_of_the_feed(
    stage: Stage, api: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from social.models import Account

    client = api(Account.objects.get(pk=stage.customers[0]))
    feed = client.get("/api/v1/feed")
    (tmp_path / "page.json").write_bytes(feed.content)
    monkeypatch.setenv(views.PAGE_FILE, str(tmp_path / "page.json"))
    assert client.get("/benchmark/constant").json()["posts"] == json.loads(feed.content)["posts"]
    assert client.get("/benchmark/empty").status_code == 200
    assert api(None).get("/benchmark/empty").status_code == 401


@pytest.mark.parametrize("coalesce", [False, True])
def test_bursts_reach_every_customer(stage: Stage, coalesce: bool) -> None:
    posts = bursts.write_posts(stage.reach, coalesce=coalesce)
    taken = [fanout.fan_out(post, "test", lambda post: None) for post in posts]
    everybody = len(stage.customers)
    assert taken == ([everybody, 0] if coalesce else [everybody, everybody])
    check_ids("feed after fan-out", stage.customers, whole_feed, limit=10**6)


def test_plain_zadd_leaves_the_same_ids_as_a_push(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bursts, "REFERENCE_KEYS", 3)
    bursts.fill_reference_keys()
    [post] = bursts.write_posts(stage.reach[:1], coalesce=False)
    bursts.pipelined_zadd(post, 3)
    fanout.fan_out(post, "test", lambda post: None)
    feed = keys_at(current_epoch()).feed(stage.customers[0])
    with bursts.reference_client() as reference, redis.Redis.from_url(django_settings.FEED_REDIS_URL) as ours:
        assert reference.zscore(bursts.reference_key(2), str(post)) == ours.zscore(feed, str(post)) == post
        assert reference.zcard(bursts.reference_key(2)) == 30


def test_a_wrong_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "reference_feed_ids", lambda viewer: [3, 2, 1])
    check_ids("read", [7], lambda viewer: [2], start=1, limit=1)
    with pytest.raises(WrongPage, match="viewer 7"):
        check_ids("read", [7], lambda viewer: [3, 1])
    with pytest.raises(WrongPage):
        check_equal("page", [1], [2])


def test_rows_have_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
