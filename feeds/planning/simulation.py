"""Follower counts of a platform that does not exist: drawn from a power law, the same for the same seed."""

import random
from collections import Counter
from collections.abc import Callable, Iterable

from feeds.drawing import Axis, Chart, Line, Mark
from feeds.planning.distribution import Followers
from feeds.planning.ladder import Ladder, Rung

RUNGS: tuple[int | None, ...] = (None, 1_000_000, 100_000, 10_000, 5_000, 1_000)
Watch = Callable[[Iterable[int]], Iterable[int]]


def draw_followers(users: int, *, alpha: float, minimum: int, seed: int, watch: Watch = iter) -> Followers:
    """One Pareto variate an account (Python's Mersenne Twister), times `minimum`, cut off to whole numbers; nobody
    has more followers than there are others. `watch` is handed the accounts while they are drawn."""
    draw = random.Random(seed).paretovariate
    most = users - 1
    return Followers(min(int(draw(alpha) * minimum), most) for _ in watch(range(users)))


def followers_of_edges(edges: Iterable[tuple[int, int]]) -> Followers:
    """Of a follow graph: everybody named in it is an account; a follow that is stated twice is one."""
    known = set(edges)
    counts = Counter(followee for _, followee in known)
    accounts = counts.keys() | {follower for follower, _ in known}
    return Followers(counts[account] for account in accounts)


def ladder_of(followers: Followers) -> Ladder:
    """Everybody posts once a day, and everybody reads."""
    return Ladder(((count, 1.0) for count in followers.counts), viewers=len(followers))


def spread_chart(followers: Followers) -> Chart:
    return Chart(
        "How followers are spread",
        Axis("Followers", log=True),
        Axis("Accounts with at least as many", log=True),
        [Line("accounts", [(float(count), float(n)) for count, n in followers.at_least()])],
    )


def cost_chart(ladder: Ladder, marked: list[Rung], most: int) -> Chart:
    """Both costs over every threshold from 10 up to the most followed account."""
    thresholds = sorted({round(10 * (max(most, 20) / 10) ** (n / 80)) for n in range(81)})
    rungs = ladder.rungs(thresholds)
    top = max((rung.pulls for rung in rungs), default=0) or 1.0
    return Chart(
        "What a threshold saves on writing and costs on reading",
        Axis("Threshold", "followers", log=True),
        Axis("Share of the greatest", "%", low=0, high=100),
        [
            Line("push writes", [(float(r.threshold or 0), 100 * r.share) for r in rungs]),
            Line("pulls a read", [(float(r.threshold or 0), 100 * r.pulls / top) for r in rungs]),
        ],
        [
            Mark(float(rung.threshold), f"{rung.threshold:,}")
            for rung in marked
            if rung.threshold is not None and 10 <= rung.threshold <= most
        ],
        description=f"100 % are {ladder.rung(None).pushes:,.0f} push writes a day, and {top:,.2f} pulls a read.",
    )
