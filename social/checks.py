"""Limits that make no sense are refused at start, in words."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from social.limits import LIMITS

LONGEST_WINDOW = 86400  # seconds
MOST_PROXIES = 10
# the narrow limit and the wide one: an address has many accounts, and an account many addresses
WITHIN = [
    ("LIMIT_WRITES", "LIMIT_WRITES_ADDRESS"),
    ("LIMIT_UPLOADS", "LIMIT_UPLOADS_ADDRESS"),
    ("LIMIT_GUESSES", "LIMIT_GUESSES_ACCOUNT"),
    ("LIMIT_GUESSES", "LIMIT_GUESSES_ADDRESS"),
    ("LIMIT_PASSWORD_MAILS", "LIMIT_PASSWORD_MAILS_ADDRESS"),
]


def _error(message: str, hint: str) -> Error:
    return Error(message, hint=hint, id="social.E001")


@register()
def check_limits(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    errors: list[CheckMessage] = []
    for name in LIMITS.values():
        quota, seconds = getattr(settings, name)
        if quota < 1 or not 1 <= seconds <= LONGEST_WINDOW:
            message = f"{name} is {quota}/{seconds}: at least 1, in 1 to {LONGEST_WINDOW} seconds."
            errors.append(_error(message, "Nobody could do anything, or a mistake would last for days."))
    for narrow, wide in WITHIN:
        if _pace(narrow) > _pace(wide):
            errors.append(_error(f"{wide} is stricter than {narrow}.", "Then the narrow one limits nobody."))
    if not 0 <= settings.TRUSTED_PROXIES <= MOST_PROXIES:
        message = f"TRUSTED_PROXIES is {settings.TRUSTED_PROXIES}, and must be from 0 to {MOST_PROXIES}."
        errors.append(_error(message, "It is how many proxies stand in front."))
    return errors


def _pace(name: str) -> float:
    """How many a second, if at least one."""
    quota, seconds = getattr(settings, name)
    return quota / max(1, seconds)
