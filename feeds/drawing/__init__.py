"""Charts for staff pages and for files, as SVG.

    chart    what is drawn: axes, lines, marks, a band; and the same as a table
    scales   values to pixels, and where the ticks are
    svg      the picture

Ours, because the pages' content policy forbids the inline styles that plotting libraries write, and because a chart
follows the page's light, dark and print by classes alone (docs/decisions.md).
"""

from feeds.drawing.chart import Axis, Band, Chart, Line, Mark
from feeds.drawing.svg import draw, draw_file

__all__ = ["Axis", "Band", "Chart", "Line", "Mark", "draw", "draw_file"]
