"""What this process counts about feeds, for Prometheus (`/metrics`)."""

from collections.abc import Iterator

from prometheus_client import REGISTRY, Counter
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from feeds.memory import LocalMemory
from feeds.page import Page
from feeds.stats import count

reads = Counter("courtyard_feed_reads", "Pages of feeds, by what they needed", ["outcome"])
OUTCOMES = ("stored", "built", "ranked", "degraded")
_by_outcome = {outcome: (reads.labels(outcome), f"reads:{outcome}") for outcome in OUTCOMES}


def count_read(page: Page, *, first: bool, ranked: bool = False) -> None:
    """`stored`: without SQL of its own; `built`: something was read from PostgreSQL; `ranked`: a list was ranked
    anew, which asks PostgreSQL in any case; `degraded`: made of what there was. A `first` page is somebody who opens
    the feed."""
    if page.degraded:
        outcome = "degraded"
    elif ranked and first:
        outcome = "ranked"
    else:
        outcome = "built" if page.queries else "stored"
    counter, name = _by_outcome[outcome]
    counter.inc()
    count(name)
    if first:
        count("opens")


class MemoryCollector(Collector):
    """Hits, misses and sizes of process memory, as they are when somebody asks."""

    def collect(self) -> Iterator[Metric]:
        lookups = CounterMetricFamily(
            "courtyard_memory_lookups", "Look-ups in process memory", labels=["kind", "outcome"]
        )
        entries = GaugeMetricFamily("courtyard_memory_entries", "Values in process memory", labels=["kind"])
        for kind, memory in LocalMemory.named.items():
            lookups.add_metric([kind, "hit"], memory.hits)
            lookups.add_metric([kind, "miss"], memory.misses)
            entries.add_metric([kind], len(memory))
        yield lookups
        yield entries


REGISTRY.register(MemoryCollector())
