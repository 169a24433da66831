"""The table as text, and everything as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.outcome import Goal, Outcome
from benchmarks.row import Row


@dataclass(frozen=True, slots=True)
class Result:
    """A row and what came of it; `skipped` says why nothing did."""

    row: Row
    outcome: Outcome | None
    skipped: str = ""


def heading(machine: Mapping[str, str]) -> str:
    return "\n".join(f"{name:<20} {value}" for name, value in machine.items())


def row_text(result: Result) -> str:
    """A row's lines: goal and ratio, both sides, processor time, notes."""
    row, outcome = result.row, result.outcome
    lines = [f"{row.name}: {row.what}", f"    against         {row.against}"]
    if outcome is None:
        return "\n".join([*lines, f"    skipped         {result.skipped}"])
    lines += [f"    ratio           {_ratio(outcome, row.goal)}  [{_bounds(row.goal)}]  {_verdict(result)}"]
    lines += [f"    {name:<15} {_values(values, outcome.unit)}" for name, values in _sides(outcome)]
    lines += [f"    {name:<15} {_cost(outcome, name)}" for name in outcome.costs]
    if by_cpu := outcome.by_processor_time():
        lines.append(f"    processor time  {by_cpu:.2f} operations of ours for one of the reference")
    return "\n".join([*lines, *(f"    note            {note}" for note in outcome.notes)])


def table(results: list[Result]) -> str:
    """One line a row."""
    lines = [f"{'row':<17} {'at least':>9} {'aim':>6}   reached (min to max)"]
    for result in results:
        goal, outcome = result.row.goal, result.outcome
        reached = f"{_ratio(outcome, goal)}  {_verdict(result)}" if outcome else f"skipped: {result.skipped}"
        lines.append(f"{result.row.name:<17} {goal.at_least:>9g} {goal.aim:>6g}   {reached}")
    return "\n".join(lines)


def as_json(machine: Mapping[str, str], scale: str, results: list[Result]) -> dict[str, Any]:
    return {"machine": dict(machine), "scale": scale, "rows": [_row_json(result) for result in results]}


def _row_json(result: Result) -> dict[str, Any]:
    row, outcome = result.row, result.outcome
    known: dict[str, Any] = {"name": row.name, "what": row.what, "against": row.against, **asdict(row.goal)}
    if outcome is None:
        return {**known, "skipped": result.skipped}
    costs = {name: cost.per_operation_us() for name, cost in outcome.costs.items()}
    derived = {"costs": costs, "by_processor_time": outcome.by_processor_time(), "verdict": _verdict(result)}
    return {**known, **asdict(outcome), **derived}


def _verdict(result: Result) -> str:
    assert result.outcome is not None
    return result.outcome.verdict(result.row.goal)


def _ratio(outcome: Outcome, goal: Goal) -> str:
    ratios, unit = outcome.ratios, goal.sign
    return f"{median(ratios):.2f}{unit} ({min(ratios):.2f} to {max(ratios):.2f})"


def _bounds(goal: Goal) -> str:
    sign = ">=" if goal.more else "<="
    return f"at least {sign} {goal.at_least:g}{goal.sign}, aim {sign} {goal.aim:g}{goal.sign}"


def _sides(outcome: Outcome) -> list[tuple[str, list[float]]]:
    return [("ours", outcome.ours), ("reference", outcome.reference)]


def _values(values: list[float], unit: str) -> str:
    return f"{median(values):,.1f} {unit} ({min(values):,.1f} to {max(values):,.1f})"


def _cost(outcome: Outcome, name: str) -> str:
    times = outcome.costs[name].per_operation_us()
    return "us an operation: " + ", ".join(f"{part} {us:,.1f}" for part, us in times.items())
