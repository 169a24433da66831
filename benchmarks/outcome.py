"""What a row came to: the rounds, their ratios, and a verdict. Pure."""

from dataclasses import dataclass, field
from statistics import median

MOVED = 1.5  # a reference whose rounds differ by more says nothing


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement. `operations` share `wall` seconds and the processor time that they took."""

    value: float
    operations: int


@dataclass(slots=True)
class Cost:
    """Wall and processor time of all rounds of one side, to be divided by its operations."""

    operations: int = 0
    wall: float = 0.0
    cpu: dict[str, float] = field(default_factory=dict)

    def add(self, operations: int, wall: float, cpu: dict[str, float]) -> None:
        self.operations += operations
        self.wall += wall
        for name, seconds in cpu.items():
            self.cpu[name] = self.cpu.get(name, 0.0) + seconds

    def per_operation_us(self) -> dict[str, float]:
        times = {"wall": self.wall, **self.cpu}
        return {name: seconds / max(self.operations, 1) * 1e6 for name, seconds in times.items()}


@dataclass(frozen=True, slots=True)
class Goal:
    """`at_least` and `aim` of a ratio; `more`: a greater one is better."""

    at_least: float
    aim: float
    more: bool
    sign: str = "x"

    def met(self, ratio: float, bound: float) -> bool:
        return ratio >= bound if self.more else ratio <= bound


@dataclass(slots=True)
class Outcome:
    """The rounds of a row: what was measured of each side, in `unit`, and the ratios."""

    unit: str
    ours: list[float] = field(default_factory=list)
    reference: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    costs: dict[str, Cost] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def by_processor_time(self) -> float | None:
        """The reference's processor time an operation over ours, all processes together; None: not measured.

        Steadier than wall time on a machine that does other work too, but it says nothing of waiting.
        """
        spent = {name: sum(cost.cpu.values()) / max(cost.operations, 1) for name, cost in self.costs.items()}
        return spent["reference"] / spent["ours"] if spent.get("ours") else None

    def moved(self) -> float:
        """By what factor the reference itself moved between the rounds."""
        return max(self.reference) / max(min(self.reference), 1e-12)

    def verdict(self, goal: Goal) -> str:
        if self.moved() > MOVED:
            return f"no verdict: the reference moved {self.moved():.1f} times between rounds; run it again"
        reached = median(self.ratios)
        if goal.met(reached, goal.aim):
            return "aim reached"
        return "reached" if goal.met(reached, goal.at_least) else "below"
