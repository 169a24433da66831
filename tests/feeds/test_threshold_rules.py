"""Which posts fan-out has to push: the interval as a table."""

import pytest

from feeds.threshold import Interval, is_pushed


@pytest.mark.parametrize(
    ("interval", "pushed"),
    [
        # post ids            99     100    149    150    151
        (None, [True, True, True, True, True]),
        (Interval(100, None, settled=True), [True, False, False, False, False]),
        # Some process may not know yet that it has to pull: it is pushed as well.
        (Interval(100, None, settled=False), [True, True, True, True, True]),
        (Interval(100, 150, settled=True), [True, False, False, True, True]),
        (Interval(100, 150, settled=False), [True, False, False, True, True]),
    ],
)
def test_is_pushed(interval: Interval | None, pushed: list[bool]) -> None:
    assert [is_pushed(post_id, interval) for post_id in (99, 100, 149, 150, 151)] == pushed
