"""What a chart shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from feeds.drawing.scales import moment, number

Point = tuple[float, float]
MOST_ROWS = 200  # of a chart's table


@dataclass(frozen=True, slots=True)
class Axis:
    """`log`: what is not above zero is left out, and said. `low`, `high`: ends that are drawn in any case. `times`:
    values are POSIX seconds, shown in the current time zone.
    """

    title: str
    unit: str = ""
    log: bool = False
    low: float | None = None
    high: float | None = None
    times: bool = False

    @property
    def caption(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def words(self, value: float) -> str:
        return moment(value) if self.times else number(value)

    def takes(self, value: float) -> bool:
        return not self.log or value > 0


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right, labelled directly. `kind`: line, steps, dots, bars, area."""

    name: str
    points: Sequence[Point]
    kind: str = "line"


@dataclass(frozen=True, slots=True)
class Mark:
    """A straight line across the chart, at a value of the x or the y axis. `kind`: current, suggested, budget."""

    at: float
    label: str
    axis: str = "x"
    kind: str = "budget"


@dataclass(frozen=True, slots=True)
class Band:
    """A range of the x axis that stands out."""

    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    marks: Sequence[Mark] = ()
    bands: Sequence[Band] = ()
    description: str = ""

    def drawn(self, line: Line) -> list[Point]:
        return [(x, y) for x, y in line.points if self.x.takes(x) and self.y.takes(y)]

    @property
    def left_out(self) -> int:
        """Points that a logarithmic axis has no place for."""
        return sum(len(line.points) - len(self.drawn(line)) for line in self.lines)

    @property
    def summary(self) -> str:
        """The description, and what is not in the picture."""
        lost = (
            f" Not drawn, since it is not above zero: {self.left_out:,} of the values."
            if self.left_out
            else ""
        )
        return f"{self.description}{lost}".strip()

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, a row for each x; at most MOST_ROWS of them, evenly chosen when there are more."""
        values = [dict(line.points) for line in self.lines]
        every = sorted(set(chain.from_iterable(values)))
        header = [self.x.caption, *(f"{line.name}: {self.y.caption}" for line in self.lines)]
        return header, [
            [self.x.words(x), *(self.y.words(by_x[x]) if x in by_x else "" for by_x in values)]
            for x in evenly(every, MOST_ROWS)
        ]

    def extent_x(self) -> Iterator[float]:
        """Everything that the x axis has to reach."""
        yield from (x for line in self.lines for x, _ in self.drawn(line))
        yield from (mark.at for mark in self.marks if mark.axis == "x" and self.x.takes(mark.at))
        yield from (end for end in (self.x.low, self.x.high) if end is not None)
        if self.x.times:  # around a single moment, not back to 1970
            yield from (
                x + 30 * side for line in self.lines for x, _ in self.drawn(line)[:1] for side in (-1, 1)
            )

    def extent_y(self) -> Iterator[float]:
        yield from (y for line in self.lines for _, y in self.drawn(line))
        yield from (mark.at for mark in self.marks if mark.axis == "y" and self.y.takes(mark.at))
        yield from (end for end in (self.y.low, self.y.high) if end is not None)
        if not self.y.log and any(line.kind in ("bars", "area") for line in self.lines):
            yield 0  # a length that does not begin at zero lies


def evenly(values: Sequence[float], most: int) -> Sequence[float]:
    if len(values) <= most:
        return values
    return [values[round(n * (len(values) - 1) / (most - 1))] for n in range(most)]
