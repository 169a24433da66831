"""Times on pages, in the zone of whoever reads the page."""

from datetime import datetime

from django import template
from django.utils import timezone

from social import times

register = template.Library()

register.filter("clock", times.clock, expects_localtime=True)
register.filter("exact_time", times.exact_time, expects_localtime=True)


@register.filter(expects_localtime=True)
def until(end: datetime) -> str:
    return times.until(end, timezone.localdate())
