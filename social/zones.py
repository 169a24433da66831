"""Time zones of accounts."""

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

# Other names are older spellings of the same zones ("US/Pacific"), or no places ("localtime", "Etc/GMT+3").
REGIONS = frozenset(
    [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    ]
)


@cache
def zone_names() -> list[str]:
    """The zones that people choose from: UTC and those named after a place. All others are valid too."""
    return sorted(name for name in available_timezones() if name == "UTC" or name.split("/")[0] in REGIONS)


def validate_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(_("Use a name like Europe/Lisbon."))


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name; the server's own where there is none, since a menu in its time beats no menu."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo(timezone.get_default_timezone_name())
