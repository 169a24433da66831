"""The picture of a chart: plain SVG with classes; templates/static/css/charts.css has its colours."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path

from django.conf import settings
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from feeds.drawing.chart import Chart, Line, Mark
from feeds.drawing.scales import Scale

LETTER = 6.4  # pixels of one at 12 px, on average, and a little more
ROW = 15
TOP, BOTTOM, LEFT, RIGHT = 12, 46, 66, 16
LONGEST_LABEL = 26
COLOURS = 4  # as many .line-… as the style sheet has

_numbers = count(1)  # a page has several, each with ids of its own


@dataclass(slots=True)
class Canvas:
    """Where things are, and what is drawn so far."""

    chart: Chart
    x: Scale
    y: Scale
    parts: list[str]

    def add(self, part: str) -> None:
        self.parts.append(part)


def draw(chart: Chart, *, width: int = 720, height: int = 320) -> SafeString:
    """An <svg> element for a page; every word in it is escaped."""
    return mark_safe(_svg(chart, width, height, f"chart-{next(_numbers)}"))


def draw_file(chart: Chart, *, width: int = 720, height: int = 320) -> str:
    """A whole SVG file, with its colours inside, by day and by night."""
    style = Path(settings.BASE_DIR, "templates/static/css/charts.css").read_text()
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_svg(chart, width, height, "chart", style)}\n'


def _svg(chart: Chart, width: int, height: int, name: str, style: str = "") -> str:
    rows = _mark_rows(chart, width)
    top = TOP + ROW * (max(rows.values(), default=-1) + 1)
    right = RIGHT + max(
        (_label_width(line.name) for line in chart.lines if _is_labelled(chart, line)), default=0
    )
    x = Scale.over(chart.extent_x(), LEFT, width - right, log=chart.x.log)
    y = Scale.over(chart.extent_y(), height - BOTTOM, top, log=chart.y.log)
    canvas = Canvas(chart, x, y, [])
    canvas.add(
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(chart.title)}</title>'
        f'<desc id="{name}-desc">{escape(chart.summary)}</desc>'
    )
    if style:
        canvas.add(f'<style>{style}</style><rect class="ground" width="{width}" height="{height}"/>')
    _draw_bands(canvas)
    _draw_axes(canvas, height)
    for n, line in enumerate(chart.lines):
        _draw_line(canvas, line, f"line-{n % COLOURS + 1}")
    for mark in chart.marks:
        _draw_mark(canvas, mark, TOP + ROW * rows.get(id(mark), 0))
    _label_lines(canvas)
    _label_bands(canvas)
    canvas.add("</svg>")
    return "".join(canvas.parts)


def _text(words: str, x: float, y: float, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _shortened(words: str) -> str:
    return words if len(words) <= LONGEST_LABEL else f"{words[: LONGEST_LABEL - 1]}…"


def _label_width(words: str) -> float:
    return len(_shortened(words)) * LETTER + 8


def _is_labelled(chart: Chart, line: Line) -> bool:
    """One line needs no name: the y axis says what it is."""
    return len(chart.lines) > 1 and bool(chart.drawn(line))


# --- Axes and ranges ----------------------------------------------------------------------------------------


def _draw_axes(canvas: Canvas, height: int) -> None:
    chart, x, y = canvas.chart, canvas.x, canvas.y
    empty = not any(chart.drawn(line) for line in chart.lines)
    for tick in [] if empty else y.ticks():
        at = y.at(tick)
        canvas.add(f'<path class="grid" d="M{x.start:.1f} {at:.1f}H{x.end:.1f}"/>')
        canvas.add(_text(chart.y.words(tick), x.start - 8, at + 4, "tick", "end"))
    last = float("-inf")
    for tick in [] if empty else x.ticks(times=chart.x.times):
        at, words = x.at(tick), chart.x.words(tick)
        canvas.add(f'<path class="axis" d="M{at:.1f} {y.start:.1f}v4"/>')
        if at - len(words) * LETTER / 2 > last + 6:
            canvas.add(_text(words, at, y.start + 17, "tick", "middle"))
            last = at + len(words) * LETTER / 2
    canvas.add(f'<path class="axis" d="M{x.start:.1f} {y.start:.1f}H{x.end:.1f}"/>')
    canvas.add(_text(chart.x.caption, (x.start + x.end) / 2, height - 8, "caption", "middle"))
    middle = (y.start + y.end) / 2
    canvas.add(
        f'<text class="caption" text-anchor="middle" transform="translate(13 {middle:.1f}) rotate(-90)">'
        f"{escape(chart.y.caption)}</text>"
    )
    if empty:
        canvas.add(_text("Nothing to draw yet", (x.start + x.end) / 2, middle, "caption", "middle"))


def _draw_bands(canvas: Canvas) -> None:
    x, y = canvas.x, canvas.y
    for band in canvas.chart.bands:
        low, high = x.at(max(band.low, x.low)), x.at(min(band.high, x.high))
        canvas.add(
            f'<rect class="band" x="{low:.1f}" y="{y.end:.1f}" width="{max(high - low, 0):.1f}"'
            f' height="{y.start - y.end:.1f}"/>'
        )


def _label_bands(canvas: Canvas) -> None:
    """Last, so that no mark runs through the words; a range that is too narrow for them has none."""
    x, y = canvas.x, canvas.y
    for band in canvas.chart.bands:
        low, high = x.at(max(band.low, x.low)), x.at(min(band.high, x.high))
        words = _shortened(band.label)
        if high - low > len(words) * LETTER:
            canvas.add(_text(words, (low + high) / 2, y.start - 8, "band-label", "middle"))


# --- Lines --------------------------------------------------------------------------------------------------


def _draw_line(canvas: Canvas, line: Line, colour: str) -> None:
    x, y = canvas.x, canvas.y
    places = [(x.at(px), y.at(py)) for px, py in canvas.chart.drawn(line)]
    if not places:
        return
    if line.kind == "bars":
        breadth = max(2.0, min(24.0, 0.7 * (x.end - x.start) / len(places)))
        for px, py in places:
            left = min(max(px - breadth / 2, x.start), x.end - breadth)
            canvas.add(
                f'<rect class="bar {colour}" x="{left:.1f}" y="{py:.1f}" width="{breadth:.1f}"'
                f' height="{max(y.start - py, 0):.1f}"/>'
            )
    elif line.kind == "dots" or len(places) == 1:
        for px, py in places:
            canvas.add(f'<circle class="dot {colour}" cx="{px:.1f}" cy="{py:.1f}" r="3"/>')
    else:
        path = _path(places, steps=line.kind == "steps")
        if line.kind == "area":
            base = f"L{places[-1][0]:.1f} {y.start:.1f}L{places[0][0]:.1f} {y.start:.1f}Z"
            canvas.add(f'<path class="area {colour}" d="{path}{base}"/>')
        canvas.add(f'<path class="line {colour}" d="{path}"/>')


def _path(places: list[tuple[float, float]], *, steps: bool) -> str:
    head, *rest = places
    path = [f"M{head[0]:.1f} {head[1]:.1f}"]
    for px, py in rest:
        path.append(f"H{px:.1f}V{py:.1f}" if steps else f"L{px:.1f} {py:.1f}")
    return "".join(path)


def _label_lines(canvas: Canvas) -> None:
    """At their right ends, moved apart where they would lie on one another."""
    chart, x, y = canvas.chart, canvas.x, canvas.y
    named = [(n, line) for n, line in enumerate(chart.lines) if _is_labelled(chart, line)]
    named.sort(key=lambda pair: y.at(chart.drawn(pair[1])[-1][1]))
    heights = [y.at(chart.drawn(line)[-1][1]) + 4 for _, line in named]
    for n in range(1, len(heights)):
        heights[n] = max(heights[n], heights[n - 1] + ROW)
    beyond = max(max(heights, default=0) - y.start, 0)
    for (n, line), height in zip(named, heights, strict=True):
        canvas.add(_text(_shortened(line.name), x.end + 8, height - beyond, f"label line-{n % COLOURS + 1}"))


# --- Marks --------------------------------------------------------------------------------------------------


def _mark_rows(chart: Chart, width: int) -> dict[int, int]:
    """Above the chart: in which row a vertical mark's label has room; by the mark's own identity."""
    scale = Scale.over(chart.extent_x(), LEFT, width - RIGHT, log=chart.x.log)
    ends: list[float] = []
    rows: dict[int, int] = {}
    marks = [mark for mark in chart.marks if mark.axis == "x" and chart.x.takes(mark.at)]
    for mark in sorted(marks, key=lambda mark: mark.at):
        half = (
            len(mark.label) * LETTER / 2 + 60
        )  # the lines' labels, which narrow the chart, may move it a little
        start = scale.at(mark.at) - half
        row = next((n for n, end in enumerate(ends) if start > end), len(ends))
        ends[row : row + 1] = [start + 2 * half]
        rows[id(mark)] = row
    return rows


def _draw_mark(canvas: Canvas, mark: Mark, label_at: float) -> None:
    x, y = canvas.x, canvas.y
    if mark.axis == "y":
        if canvas.chart.y.takes(mark.at):
            at = y.at(mark.at)
            canvas.add(f'<path class="mark {mark.kind}" d="M{x.start:.1f} {at:.1f}H{x.end:.1f}"/>')
            canvas.add(_text(mark.label, x.start + 6, at - 5, f"mark-label {mark.kind}"))
        return
    if not canvas.chart.x.takes(mark.at):
        return
    at, half = x.at(mark.at), len(mark.label) * LETTER / 2
    canvas.add(f'<path class="mark {mark.kind}" d="M{at:.1f} {y.end - 4:.1f}V{y.start:.1f}"/>')
    middle = min(max(at, x.start - LEFT + half + 4), x.end - half)
    canvas.add(_text(mark.label, middle, label_at, f"mark-label {mark.kind}", "middle"))
