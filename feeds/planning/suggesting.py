"""Which threshold fits: the deadline from above, the read budget from below, the cheapest in between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from feeds.planning.ladder import Ladder

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured, and the two budgets. Rates a second of one worker, costs in seconds.

    `active`: share of followers who are pushed to. `opens`: a day; None: not counted. `processes`: of the web, each
    of which keeps the timelines of pulled authors for `keeps` seconds.
    """

    pushes: float
    merge: float
    refresh: float
    read: float
    active: float
    opens: float | None
    processes: int
    keeps: float
    freshness: float
    budget: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one threshold: seconds of the largest job, of a read on average and at the 99th percentile, and of processor
    time a day for pushes, pulls and refreshes together (None: without opens nobody knows)."""

    threshold: int | None
    job: float
    read: float
    read_p99: float
    a_day: float | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`lowest` keeps the read budget, `highest` the deadline (None: any does). `threshold` None: none fits."""

    threshold: int | None
    lowest: int | None
    highest: int | None

    @property
    def fits(self) -> bool:
        return self.threshold is not None


Pulls = Callable[[int | None], tuple[float, int]]


def estimate(ladder: Ladder, pulls: Pulls, costs: Costs, threshold: int | None) -> Estimate:
    rung = ladder.rung(threshold)
    mean, p99 = pulls(threshold)
    return Estimate(
        threshold,
        job=rung.largest * costs.active / costs.pushes,
        read=costs.read + mean * costs.merge,
        read_p99=costs.read + p99 * costs.merge,
        a_day=None if costs.opens is None else _a_day(ladder, costs, threshold, mean, costs.opens),
    )


def _a_day(ladder: Ladder, costs: Costs, threshold: int | None, pulls: float, opens: float) -> float:
    pushing = ladder.rung(threshold).pushes * costs.active / costs.pushes
    return pushing + opens * pulls * costs.merge + _refreshing(ladder, costs, threshold, opens)


def _refreshing(ladder: Ladder, costs: Costs, threshold: int | None, opens: float) -> float:
    """Seconds a day: each web process fetches the timeline of a pulled author anew when it is too old and somebody
    reads it, so at most once in `keeps` seconds and at most once a read of a follower."""
    if threshold is None or not ladder.viewers:
        return 0.0
    most = costs.processes * DAY / costs.keeps
    pulled = ladder.followers[len(ladder.followers) - ladder.rung(threshold).pulled :]
    return costs.refresh * sum(min(most, opens * count / ladder.viewers) for count in pulled)


def suggest(ladder: Ladder, pulls: Pulls, costs: Costs, candidates: Sequence[int]) -> Suggestion:
    """Of `candidates`, rising, the cheapest that keeps both budgets; of equally cheap ones the highest, which pulls
    the fewest, and also where nobody knows what is cheap."""
    estimates = [estimate(ladder, pulls, costs, candidate) for candidate in candidates]
    in_time = [e for e in estimates if e.job <= costs.freshness]
    within = [e for e in estimates if e.read_p99 <= costs.budget]
    lowest = within[0].threshold if within else None
    highest = in_time[-1].threshold if in_time else None
    both = [e for e in in_time if e.read_p99 <= costs.budget]
    best = min(both, key=lambda e: (e.a_day or 0.0, -(e.threshold or 0)), default=None)
    return Suggestion(best.threshold if best else None, lowest, highest)
