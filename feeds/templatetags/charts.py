"""Drawings on staff's pages."""

from django import template
from django.utils.safestring import SafeString

from feeds.drawing import Chart, draw

register = template.Library()


@register.simple_tag
def draw_chart(chart: Chart, width: int = 720, height: int = 320) -> SafeString:
    return draw(chart, width=width, height=height)


@register.filter
def table_of(chart: Chart) -> tuple[list[str], list[list[str]]]:
    """Header and rows."""
    return chart.table()
