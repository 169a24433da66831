"""Ratios and verdicts, purely."""

import os

import pytest

from benchmarks.cpu import cpu_seconds
from benchmarks.outcome import Cost, Goal, Outcome, Sample
from benchmarks.rounds import by_inverse, interleave

FASTER = Goal(at_least=1.0, aim=1.5, more=True)
SHORTER = Goal(at_least=2.0, aim=1.5, more=False)


def outcome(ratios: list[float], reference: list[float] | None = None) -> Outcome:
    return Outcome("x", ours=ratios, reference=reference or [1.0] * len(ratios), ratios=ratios)


@pytest.mark.parametrize(
    ("goal", "ratios", "verdict"),
    [
        (FASTER, [0.2, 1.6, 9.0], "aim reached"),
        (FASTER, [1.0, 1.2, 1.4], "reached"),
        (FASTER, [0.7, 0.9, 2.0], "below"),
        (SHORTER, [1.4, 1.5, 3.0], "aim reached"),
        (SHORTER, [1.9, 2.0, 2.1], "reached"),
        (SHORTER, [1.0, 2.1, 2.2], "below"),
    ],
)
def test_the_median_ratio_decides(goal: Goal, ratios: list[float], verdict: str) -> None:
    assert outcome(ratios).verdict(goal) == verdict


def test_a_reference_that_moved_by_more_than_half_gives_no_verdict() -> None:
    assert outcome([2.0, 2.0], [100.0, 149.0]).verdict(FASTER) == "aim reached"
    assert outcome([2.0, 2.0], [100.0, 151.0]).verdict(FASTER).startswith("no verdict")


def test_rounds_alternate_which_side_goes_first() -> None:
    order: list[str] = []

    def side(name: str, value: float) -> Sample:
        order.append(name)
        return Sample(value, 1)

    result = interleave(
        lambda: side("A", 2.0), lambda: side("B", 8.0), unit="x", rounds=2, processes={}, ratio=by_inverse
    )
    assert "".join(order) == "AB" + "AB" + "BA"
    assert result.ratios == [4.0, 4.0]


def test_costs_are_shared_by_the_operations() -> None:
    cost = Cost()
    cost.add(10, 1.0, {"web": 0.5})
    cost.add(10, 1.0, {"web": 0.1})
    assert cost.per_operation_us() == {"wall": 100_000, "web": pytest.approx(30_000)}


def test_processor_time_includes_the_process_itself() -> None:
    assert cpu_seconds(os.getpid()) > 0
