from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import pytest

from feeds.loading.shape import EVENING, NOON, follower_counts, menu_moments


@pytest.mark.parametrize(
    ("cooks", "total", "top"),
    [(2000, 2_000_000, 80_000), (50, 1000, 150), (10, 100, 10), (3, 7, 7), (1, 5, 5), (400, 401, 400)],
)
def test_counts_fall_from_exactly_the_top_and_add_up(cooks: int, total: int, top: int) -> None:
    counts = follower_counts(cooks=cooks, total=total, top=top)
    assert (len(counts), counts[0], sum(counts)) == (cooks, top, total)
    assert all(0 <= lower <= higher for higher, lower in pairwise(counts))


def test_the_platform_has_one_giant_and_many_of_a_few_hundred() -> None:
    counts = follower_counts(cooks=2000, total=2_000_000, top=80_000)
    assert 300 < counts[1000] < 800
    assert sum(count >= 10_000 for count in counts) < 30


@pytest.mark.parametrize(("total", "top"), [(99, 100), (1001, 100)])
def test_impossible_counts_are_refused(total: int, top: int) -> None:
    with pytest.raises(ValueError, match="cannot have a top cook"):
        follower_counts(cooks=10, total=total, top=top)


@pytest.mark.parametrize("hour", [0, 8, 9, 10, 12, 17, 18, 23])
@pytest.mark.parametrize("zone", ["UTC", "America/Sao_Paulo", "Pacific/Auckland"])
def test_menus_lie_in_their_hours_and_never_in_the_future(hour: int, zone: str) -> None:
    now = datetime(2026, 3, 4, hour, 45, tzinfo=UTC)
    moments = menu_moments(Random(1), now=now, days=3, zone=ZoneInfo(zone))
    assert len(moments) == 6
    assert len({(moment.date(), evening) for moment, evening in moments}) == 6
    for moment, evening in moments:
        start, end = EVENING if evening else NOON
        assert start <= moment.time() < end
        assert now - timedelta(days=4) < moment < now


def test_the_clock_does_not_change_what_a_seed_means() -> None:
    used = []
    for hour in (3, 20):
        random = Random(5)
        menu_moments(random, now=datetime(2026, 3, 4, hour, tzinfo=UTC), days=2, zone=ZoneInfo("UTC"))
        used.append(random.random())
    assert used[0] == used[1]
