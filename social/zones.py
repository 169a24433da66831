"""Time zones of accounts."""

from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils import timezone


def validate_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError("Use a name like Europe/Lisbon.")


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name; the server's own where there is none, since a menu in its time beats no menu."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo(timezone.get_default_timezone_name())
