"""The latest measurements, kept for a while: a page opens without taking them each time.

They are in Django's cache, where they may vanish; then they are taken again. Two at once are harmless: the scratch
lists are written over, and both figures are a little worse.
"""

from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache

from feeds.measuring.graph import Graph, measure_graph
from feeds.measuring.memory import ListMemory, measure_memory
from feeds.measuring.rates import Rates, measure_rates
from feeds.measuring.sampling import sample_accounts

KEPT_SECONDS = 300
LOOKED_FOR = 2_000  # accounts whose stored feeds are measured
GRAPH, SPEED = "measured:graph", "measured:speed"


@dataclass(frozen=True, slots=True)
class Speed:
    """Of this installation's stores: rates, and what stored feeds take, or a list as long as one may get."""

    rates: Rates
    memory: list[ListMemory]


def get_graph(*, inactive_after: int, again: bool = False) -> Graph:
    """At most KEPT_SECONDS old. DatabaseError."""
    kept: Graph | None = None if again else cache.get(GRAPH)
    if kept is None:
        kept = measure_graph(inactive_after=inactive_after)
        cache.set(GRAPH, kept, KEPT_SECONDS)
    return kept


def get_speed(*, again: bool = False) -> Speed:
    """At most KEPT_SECONDS old. ListsUnavailable, DatabaseError."""
    kept: Speed | None = None if again else cache.get(SPEED)
    if kept is None:
        viewers = sample_accounts(LOOKED_FOR)
        found = measure_memory(entries=settings.FEED_LENGTH)
        memory = [m for m in found if m.real] or [m for m in found if m.entries == settings.FEED_LENGTH]
        kept = Speed(measure_rates(viewers), memory)
        cache.set(SPEED, kept, KEPT_SECONDS)
    return kept
