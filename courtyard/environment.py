"""Read settings from the environment; what makes no sense is refused in one line that names it."""

import math
import re
import zoneinfo
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE = ("on", "true", "yes", "y", "ok", "1")
FALSE = ("off", "false", "no", "n", "0", "")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
POSTGRES_SCHEMES = ("postgresql", "postgres", "pgsql")
REDIS_SCHEMES = ("redis", "rediss", "unix")
# and the ports where such a server listens
MAIL_SCHEMES = {
    "smtp": 25,
    "smtps": 587,
    "smtp+tls": 587,
    "smtp+ssl": 465,
    "consolemail": None,
    "filemail": None,
}
BROKER_SCHEMES = ("redis", "rediss", "redis+socket")
# As Django's `check --deploy` wants it (security.W009), and no key that stands in some code.
KEY_LENGTH = 50
KEY_CHARACTERS = 5
KNOWN_KEYS = ("django-insecure-", "only-for-", "only-to-")
_NAME = r"(\*\.|\.)?[\w-]+(\.[\w-]+)*\.?|\[[0-9A-Fa-f:.]+\]"
_HOST = re.compile(rf"\*|{_NAME}")
_ORIGIN = re.compile(rf"https?://({_NAME})(:[0-9]+)?")


class Environment(environ.Env):
    """django-environ, strict: nonsense is neither a traceback nor quietly taken for False."""

    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> Any:
        return self._read(var, default, _truth, "neither on nor off")

    def int(self, var: str, default: Any = environ.Env.NOTSET, least: Any = None) -> Any:
        number = self._read(var, default, int, "not a whole number")
        if least is not None and number < least:
            raise ImproperlyConfigured(f"{var} is {number}, and the least is {least}")
        return number

    def float(self, var: str, default: Any = environ.Env.NOTSET) -> Any:
        return self._read(var, default, _finite, "not a number")

    def rate(self, var: str, default: str) -> Any:
        """(how many, in how many seconds)."""
        return self._read(var, default, _rate, "not of the form 120/60: so many, in so many seconds")

    def log_level(self, var: str, default: str) -> Any:
        return self._read(var, default, _log_level, f"none of {', '.join(LOG_LEVELS)}")

    def time_zone(self, var: str, default: str) -> Any:
        return self._read(var, default, _time_zone, "not a time zone, such as Europe/Lisbon")

    def address_part(self, var: str, default: str) -> Any:
        return self._read(var, default, _address_part, "not of letters, digits, dashes and underscores")

    def secret_key(self, var: str, *, strict: Any) -> str:
        """A key that nobody can guess, or without `strict` any. A wrong one is not shown."""
        # Not by `str`, for which a `$` in front means another variable.
        key: str = self.ENVIRON.get(var, "").strip()
        takes = f"it takes {KEY_LENGTH} random characters or more"
        if not key:
            raise ImproperlyConfigured(f"{var} is not set; {takes}")
        if strict and key.startswith(KNOWN_KEYS):
            raise ImproperlyConfigured(f"{var} is one of an example, which everybody can read; {takes}")
        if strict and (len(key) < KEY_LENGTH or len(set(key)) < KEY_CHARACTERS):
            raise ImproperlyConfigured(f"{var} can be guessed; {takes}")
        return key

    def hosts(self, var: str, default: list[str]) -> list[str]:
        """Names of this site, as the Host header has them without the port; an empty list counts as not given."""
        wanted = "a name such as menus.example.com, without scheme, port and path"
        return self._names(var, _HOST, wanted) or default

    def origins(self, var: str) -> list[str]:
        return self._names(var, _ORIGIN, "an origin such as https://menus.example.com, without a path")

    def _names(self, var: str, form: re.Pattern[str], wanted: str) -> list[str]:
        names = [name.strip() for name in self.str(var, default="").split(",") if name.strip()]
        for name in names:
            if not form.fullmatch(name):
                raise ImproperlyConfigured(f"{var} has {name!r}, which is not {wanted}")
        return names

    def url(self, var: str, schemes: tuple[str, ...]) -> Any:
        """A URL as it was given. It may hold a password, so a wrong one is not shown."""
        value = self.str(var)
        if urlsplit(value).scheme not in schemes:
            raise ImproperlyConfigured(f"{var} does not begin with {'://, '.join(schemes)}://")
        return value

    def database(self, var: str) -> dict[str, Any]:
        self.url(var, POSTGRES_SCHEMES)
        try:
            found: dict[str, Any] = self.db_url(var)
        except ValueError:
            found = {}
        if not found.get("NAME"):
            raise ImproperlyConfigured(f"{var} is not of the form postgresql://user:password@host:5432/name")
        return found

    def media_url(self, var: str, default: str) -> Any:
        wrong = "neither a path like /media/ nor an address like https://media.example.org/, with a slash at its end"
        return self._read(var, default, _media_url, wrong)

    def mail(self, var: str, folder: Path) -> dict[str, Any]:
        """Django's EMAIL_ settings; without a server, mails become files in `folder`. The URL may hold a password, so
        a wrong one is not shown."""
        given = self.str(var, default="")
        if not given:
            return {
                "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
                "EMAIL_FILE_PATH": folder,
            }
        parts = urlsplit(given)
        try:
            usable = parts.scheme in MAIL_SCHEMES and (not parts.scheme.startswith("smtp") or parts.hostname)
            found: dict[str, Any] = self.email_url_config(given) if usable else {}
        except (ValueError, ImproperlyConfigured):
            found = {}
        if not found:
            raise ImproperlyConfigured(f"{var} is not of the form smtp+tls://user:password@host:587")
        found["EMAIL_PORT"] = found["EMAIL_PORT"] or MAIL_SCHEMES[parts.scheme]
        return found

    def _read(self, var: str, default: Any, parse: Callable[[str], Any], wrong: str) -> Any:
        value = self.str(var, default=default)
        try:
            return parse(value) if isinstance(value, str) else value
        except ValueError:
            raise ImproperlyConfigured(f"{var} is {value!r}, which is {wrong}") from None


def _truth(text: str) -> bool:
    word = text.strip().lower()
    if word not in TRUE + FALSE:
        raise ValueError
    return word in TRUE


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _rate(text: str) -> tuple[int, int]:
    quota, _, seconds = text.partition("/")
    rate = int(quota), int(seconds)
    if min(rate) < 1:
        raise ValueError
    return rate


def _address_part(text: str) -> str:
    part = text.strip("/")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", part):
        raise ValueError
    return part


def _log_level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise ValueError
    return text.upper()


def _media_url(text: str) -> str:
    begins = text.startswith(("https://", "http://")) or (text.startswith("/") and not text.startswith("//"))
    if not begins or not text.endswith("/") or len(text) < 3:
        raise ValueError
    return text


def _time_zone(text: str) -> str:
    try:
        return zoneinfo.ZoneInfo(text).key
    except (zoneinfo.ZoneInfoNotFoundError, OSError):
        raise ValueError from None
