"""A row of the table."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.bench import Bench
from benchmarks.outcome import Goal, Outcome


class Skipped(Exception):
    """This row cannot be measured here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    what: str
    against: str
    goal: Goal
    measure: Callable[[Bench], Outcome]
