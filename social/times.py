"""Days and times as people say them. Values in, values out: moments are in the reader's zone already."""

from datetime import date, datetime

from django.utils.formats import date_format, time_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Languages that write days and months with a small letter, where Django has a capital.
SMALL_DAYS = ("pt-br",)


def day_name(day: date, today: date) -> str:
    """A day as people say it, seen from `today`; it begins with a capital letter."""
    near = {-1: _("Yesterday"), 0: _("Today"), 1: _("Tomorrow")}
    return near.get((day - today).days) or capfirst(date_in_words(day, today))


def date_in_words(day: date, today: date) -> str:
    """ "Tuesday, 1 December", with the year where it is not that of `today`; for the middle of a sentence."""
    return _written(day, _("l, j F") if day.year == today.year else _("l, j F Y"))


def _written(day: date, form: str) -> str:
    words = date_format(day, form)
    return words.lower() if get_language() in SMALL_DAYS else words


def clock(moment: datetime) -> str:
    """ "9:42" """
    return time_format(moment, _("G:i"))


def exact_time(moment: datetime) -> str:
    """For hovering and for screen readers: day, time and zone."""
    return f"{capfirst(_written(moment, _('l, j F Y')))}, {clock(moment)} ({moment:%Z})"


def until(end: datetime, today: date) -> str:
    """ "until 23:49", "until tomorrow, 9:42", else with the date."""
    if end.date() == today:
        return _("until %(time)s") % {"time": clock(end)}
    if (end.date() - today).days == 1:
        return _("until tomorrow, %(time)s") % {"time": clock(end)}
    return _("until %(day)s, %(time)s") % {"day": date_in_words(end.date(), today), "time": clock(end)}


def staff_time(moment: datetime) -> str:
    """ "1 Dec 2026, 12:05 UTC", in the zone of admin's pages, whatever the reader's language."""
    moment = localtime(moment)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment:%Y, %H:%M %Z}"
