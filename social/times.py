"""Days and times as people say them. Values in, values out: moments are in the reader's zone already."""

from datetime import date, datetime

from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _


def day_name(day: date, today: date) -> str:
    """A day as people say it, seen from `today`."""
    near = {-1: _("Yesterday"), 0: _("Today"), 1: _("Tomorrow")}
    if name := near.get((day - today).days):
        return name
    return date_format(day, _("l, j F") if day.year == today.year else _("l, j F Y"))


def clock(moment: datetime) -> str:
    """ "9:42" """
    return time_format(moment, _("G:i"))


def exact_time(moment: datetime) -> str:
    """For hovering and for screen readers: day, time and zone."""
    return f"{date_format(moment, _('l, j F Y'))}, {clock(moment)} ({moment:%Z})"


def until(end: datetime, today: date) -> str:
    """ "until 23:49", "until tomorrow, 9:42", else with the date."""
    if end.date() == today:
        return _("until %(time)s") % {"time": clock(end)}
    if (end.date() - today).days == 1:
        return _("until tomorrow, %(time)s") % {"time": clock(end)}
    return _("until %(day)s, %(time)s") % {"day": day_name(end.date(), today), "time": clock(end)}
