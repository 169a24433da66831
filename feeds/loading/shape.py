"""The shape of the seed platform, purely: who has how many followers, when menus are written."""

from datetime import date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

NOON = (time(9, 0), time(10, 30))
EVENING = (time(17, 0), time(18, 30))


def follower_counts(*, cooks: int, total: int, top: int) -> list[int]:
    """Followers of each cook, most followed first: a power law with exactly `top` at its head.

    The rank's exponent is the one with which the counts add up to `total`; ValueError when none does.
    """
    if not top <= total <= cooks * top:
        raise ValueError(
            f"{total:,} follows of {cooks:,} cooks cannot have a top cook with {top:,} followers."
        )
    exponent = _exponent(cooks, total / top)
    exact = [top * rank**-exponent for rank in range(1, cooks + 1)]
    counts = [int(count) for count in exact]
    counts[0] = top
    # What rounding down left over goes to those who lost most by it, below the top.
    losses = sorted(range(1, cooks), key=lambda n: counts[n] - exact[n])
    while (missing := total - sum(counts)) != 0:
        step = 1 if missing > 0 else -1
        movable = [n for n in losses if 0 <= counts[n] + step <= top]
        for n in movable[: abs(missing)]:
            counts[n] += step
    return counts


def _exponent(cooks: int, wanted: float) -> float:
    """The s for which the sum of rank^-s over all ranks is `wanted`, by bisection."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        if sum(rank**-middle for rank in range(1, cooks + 1)) > wanted:
            low = middle
        else:
            high = middle
    return high


def menu_moments(random: Random, *, now: datetime, days: int, zone: ZoneInfo) -> list[tuple[datetime, bool]]:
    """The last `days` mornings and evenings up to `now`: (moment, whether it is an evening).

    How much randomness is used does not depend on the clock, so that a seed means the same at any hour.
    """
    moments = []
    for slot in (NOON, EVENING) if days else ():
        times = [_time_within(random, slot) for _ in range(days)]
        last = now.astimezone(zone).date()
        if datetime.combine(last, times[0], zone) >= now - timedelta(milliseconds=1):
            last -= timedelta(days=1)
        moments += [(_on(last, n, times[n], zone), slot is EVENING) for n in range(days)]
    return moments


def _on(last: date, days_before: int, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(last - timedelta(days=days_before), at, zone)


def _time_within(random: Random, slot: tuple[time, time]) -> time:
    start = datetime.combine(date.min, slot[0])
    length = (datetime.combine(date.min, slot[1]) - start) // timedelta(milliseconds=1)
    return (start + timedelta(milliseconds=random.randrange(length))).time()
