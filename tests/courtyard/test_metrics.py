"""/metrics: what this process has counted."""

import re
from collections.abc import Callable

from django.test import Client

from feeds.reading import read_feed
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import warm


def value(text: str, name: str) -> float:
    match = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert match, f"{name} is not among the metrics"
    return float(match[1])


def metrics() -> str:
    response = Client().get("/metrics")
    assert response["Content-Type"].startswith("text/plain")
    return response.content.decode()


def test_hits_and_misses_of_process_memory(cast: Cast, settle: Callable[[], None]) -> None:
    PostFactory(author=cast.ana)
    settle()
    hit, miss = (f'courtyard_memory_lookups_total{{kind="posts",outcome="{o}"}}' for o in ("hit", "miss"))
    before = metrics()
    warm(cast.carla)
    after = metrics()
    assert value(after, miss) == value(before, miss) + 1
    assert value(after, hit) == value(before, hit) + 1
    assert value(after, 'courtyard_memory_entries{kind="posts"}') == 1


def test_pages_by_what_they_needed(cast: Cast, settle: Callable[[], None]) -> None:
    settle()
    stored, built = (f'courtyard_feed_reads_total{{outcome="{o}"}}' for o in ("stored", "built"))
    before = metrics()
    warm(cast.carla)
    read_feed(cast.carla.pk)
    after = metrics()
    assert value(after, built) == value(before, built) + 1
    assert value(after, stored) == value(before, stored) + 2
