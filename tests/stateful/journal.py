"""What was done: counts for the totals, and the last actions, to be read when something is wrong."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

LINES = 60


class Difference(AssertionError):
    """A promise was broken. `totals`: of the segment in which it was."""

    totals: "Totals"


@dataclass
class Totals:
    """Added up over segments; plain numbers, so that a state file can hold them."""

    actions: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    reads: int = 0
    degraded: int = 0
    differences: int = 0
    seconds: float = 0.0

    def add(self, other: "Totals") -> None:
        self.actions += other.actions
        self.accepted += other.accepted
        self.faults += other.faults
        self.reads += other.reads
        self.degraded += other.degraded
        self.differences += other.differences
        self.seconds += other.seconds

    @property
    def steps(self) -> int:
        return sum(self.actions.values()) + sum(self.faults.values())

    def lines(self) -> Iterator[str]:
        yield f"{self.steps} actions, {self.reads} reads compared, {self.differences} differences, " + (
            f"{self.degraded} degraded pages, {self.seconds:.0f} s"
        )
        yield "actions  " + ", ".join(f"{n} {c} ({self.accepted[n]})" for n, c in self.actions.most_common())
        yield "faults   " + ", ".join(f"{name} {count}" for name, count in self.faults.most_common())


@dataclass
class Journal:
    """The log of one segment."""

    totals: Totals = field(default_factory=Totals)
    _started: float = field(default_factory=time.monotonic)
    _lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))

    @property
    def now(self) -> str:
        return f"{time.monotonic() - self._started:9.3f} s"

    def note(self, text: str) -> None:
        self._lines.append(f"{self.now}  {text}")

    def amend(self, text: str) -> None:
        """What came of the action that was noted last."""
        self._lines[-1] += f"  {text}"

    def text(self) -> str:
        return "\n".join(self._lines)
