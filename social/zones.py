"""Time zones of accounts."""

from functools import cache
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

# In the order in which they are offered. Other names are older spellings of the same zones ("US/Pacific"), or no
# places ("localtime", "Etc/GMT+3").
REGIONS = (
    "Europe",
    "America",
    "Africa",
    "Asia",
    "Australia",
    "Pacific",
    "Atlantic",
    "Indian",
    "Arctic",
    "Antarctica",
)


@cache
def zone_names() -> list[str]:
    """The zones that people choose from: UTC and those named after a place, by region. All others are valid too.

    Where the system says which names are in use (zone.tab), the older spellings of a place ("Asia/Calcutta") are left
    out.
    """
    in_use = _countries().keys() & available_timezones() or available_timezones()
    regional = [name for name in in_use if name.split("/")[0] in REGIONS]
    return ["UTC", *sorted(regional, key=lambda name: (REGIONS.index(name.split("/")[0]), name))]


def country_of(zone: str) -> str:
    """The country (ISO 3166, two letters) in which a zone's place lies; empty where that is not known."""
    return _countries().get(zone, "")


@cache
def _countries() -> dict[str, str]:
    """Zone -> country, from the time zone database's table of places; empty where the system has none."""
    for folder in TZPATH:
        table = Path(folder, "zone.tab")
        if table.is_file():
            lines = table.read_text("utf-8").splitlines()
            columns = [line.split("\t") for line in lines if line.count("\t") >= 2 and line[0] != "#"]
            return {column[2]: column[0] for column in columns}
    return {}


def validate_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(_("Use a name like Europe/Lisbon."))


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name; the server's own where there is none, since a menu in its time beats no menu."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo(timezone.get_default_timezone_name())
