"""How followers are spread over accounts."""

from collections.abc import Iterable
from functools import cached_property

POINTS = 120  # of a plot


class Followers:
    """Follower counts, one for each account, from the largest."""

    def __init__(self, counts: Iterable[int]) -> None:
        self.counts = sorted(counts, reverse=True)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def most(self) -> int:
        return self.counts[0] if self.counts else 0

    @property
    def mean(self) -> float:
        return self.total / len(self.counts) if self.counts else 0.0

    def percentile(self, share: float) -> int:
        """The count at index int(n × (1 - share)) from the largest: 0.5 is the median, 0.99 what one in a hundred
        reaches."""
        if not self.counts:
            return 0
        return self.counts[min(int(len(self.counts) * (1 - share)), len(self.counts) - 1)]

    def share_of_top(self, part: float) -> float:
        """Which share of all follows the most followed `part` of accounts hold; of few accounts at least one."""
        top = self.counts[: max(int(len(self.counts) * part), 1)]
        return sum(top) / self.total if self.total else 0.0

    def at_least(self) -> list[tuple[int, int]]:
        """(followers, how many accounts have at least as many), rising: straight on two logarithmic axes when the
        spread is a power law. Evenly chosen ranks on a logarithmic scale, at most POINTS."""
        known = [count for count in self.counts if count > 0]
        ranks = sorted({round(len(known) ** (n / (POINTS - 1))) for n in range(POINTS)}) if known else []
        # Of equal counts the last rank is how many have at least as many.
        last = {known[rank - 1]: rank for rank in ranks}
        return sorted(last.items())
