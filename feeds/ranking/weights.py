"""Weights of a ranker: what staff may turn, each within a range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weight:
    """`low` to `high`, both included; `unit` and `help` are for staff."""

    name: str
    default: float
    low: float
    high: float
    unit: str
    help: str

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()

    def problem_with(self, value: float) -> str | None:
        """What is wrong with a value, in words."""
        if isfinite(value) and self.low <= value <= self.high:
            return None
        return f"{self.name} must be from {self.low:g} to {self.high:g}."


def complete(weights: Sequence[Weight], given: Values) -> dict[str, float]:
    """Every weight: as given where that is in its range, else its default. So values that were stored for another
    ranker, or by another version, do no harm."""
    return {
        weight.name: float(value)
        if isinstance(value := given.get(weight.name), int | float) and weight.problem_with(value) is None
        else weight.default
        for weight in weights
    }
