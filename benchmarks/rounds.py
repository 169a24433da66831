"""Interleaved rounds: both sides of a row in turn, processor time beside wall time."""

import time
from collections.abc import Callable, Mapping

from benchmarks.cpu import cpu_seconds
from benchmarks.outcome import Cost, Outcome, Sample

Side = Callable[[], Sample]


def by_value(ours: Sample, reference: Sample) -> float:
    return ours.value / reference.value


def by_inverse(ours: Sample, reference: Sample) -> float:
    """How many times less ours is."""
    return reference.value / max(ours.value, 1e-12)


def interleave(
    ours: Side,
    reference: Side,
    *,
    unit: str,
    rounds: int,
    processes: Mapping[str, int],
    ratio: Callable[[Sample, Sample], float] = by_value,
) -> Outcome:
    """Ours, reference, reference, ours, …; one of each beforehand, to warm up. `processes`: pids by name."""
    outcome = Outcome(unit, costs={"ours": Cost(), "reference": Cost()})
    ours(), reference()
    for n in range(rounds):
        samples: dict[str, Sample] = {}
        for name, side in _in_order({"ours": ours, "reference": reference}, reverse=n % 2 == 1):
            samples[name] = _measured(side, outcome.costs[name], processes)
        outcome.ours.append(samples["ours"].value)
        outcome.reference.append(samples["reference"].value)
        outcome.ratios.append(ratio(samples["ours"], samples["reference"]))
    return outcome


def _in_order(sides: dict[str, Side], *, reverse: bool) -> list[tuple[str, Side]]:
    return list(reversed(sides.items())) if reverse else list(sides.items())


def _measured(side: Side, cost: Cost, processes: Mapping[str, int]) -> Sample:
    before, started = _cpu(processes), time.perf_counter()
    sample = side()
    wall, after = time.perf_counter() - started, _cpu(processes)
    cost.add(sample.operations, wall, {name: after[name] - before[name] for name in after})
    return sample


def _cpu(processes: Mapping[str, int]) -> dict[str, float]:
    own = time.process_time()  # of this process alone: the servers are its children
    return {"client": own, **{name: cpu_seconds(pid) for name, pid in processes.items()}}
