"""What each threshold would cost: pushes on writing, pulls on reading."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Rung:
    """A threshold (None: nobody is pulled) and what follows from it.

    `pulled`: accounts at or above it. `pushes`: inserts a day into followers' feeds; `share` of those without any
    threshold. `largest`: followers of the most followed account that is still pushed, its one job. `pulls`: pulled
    accounts that a viewer follows, on average, each merged at a read.
    """

    threshold: int | None
    pulled: int
    pushes: float
    share: float
    largest: int
    pulls: float


class Ladder:
    """Any threshold by two look-ups; the accounts are sorted once.

    `accounts`: (followers, posts a day) of each. `viewers`: how many read.
    """

    def __init__(self, accounts: Iterable[tuple[int, float]], *, viewers: int) -> None:
        rising = sorted(accounts)
        self.followers = [followers for followers, _ in rising]
        self.viewers = viewers
        self._pushes = [0.0, *accumulate(followers * posts for followers, posts in rising)]
        self._follows = [0, *accumulate(self.followers)]

    def rung(self, threshold: int | None) -> Rung:
        pushed = len(self.followers) if threshold is None else bisect_left(self.followers, threshold)
        everything = self._pushes[-1]
        return Rung(
            threshold,
            pulled=len(self.followers) - pushed,
            pushes=self._pushes[pushed],
            share=self._pushes[pushed] / everything if everything else 0.0,
            largest=self.followers[pushed - 1] if pushed else 0,
            pulls=(self._follows[-1] - self._follows[pushed]) / self.viewers if self.viewers else 0.0,
        )

    def rungs(self, thresholds: Sequence[int | None]) -> list[Rung]:
        return [self.rung(threshold) for threshold in thresholds]
