"""How often one may: write, upload, sign up, guess at a password, ask for a new one. Reads are never counted.

A limit is a number of calls in a fixed window; windows of all limits begin at multiples of their length. So a window
never lets through more than its quota, and any stretch of its length never more than twice that. Each subject (an
account, an address, a username at an address) has one counter a window, which ends with it. docs/settings.md names
the limits, docs/decisions.md says why guesses are counted thrice.
"""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from social import counters
from social.addresses import address_of
from social.errors import TooManyRequests
from social.models import Account

# name -> the setting that says how many in how many seconds
LIMITS = {
    "writes": "LIMIT_WRITES",
    "writes-address": "LIMIT_WRITES_ADDRESS",
    "seen": "LIMIT_SEEN",
    "seen-address": "LIMIT_SEEN_ADDRESS",
    "uploads": "LIMIT_UPLOADS",
    "uploads-address": "LIMIT_UPLOADS_ADDRESS",
    "sign-ups-address": "LIMIT_SIGN_UPS_ADDRESS",
    "guesses": "LIMIT_GUESSES",
    "guesses-account": "LIMIT_GUESSES_ACCOUNT",
    "guesses-address": "LIMIT_GUESSES_ADDRESS",
    "password-mails": "LIMIT_PASSWORD_MAILS",
    "password-mails-address": "LIMIT_PASSWORD_MAILS_ADDRESS",
}
KNOWN_SECONDS = 30 * 86400  # an address from which somebody has signed in is known as hers for so long


@dataclass(frozen=True, slots=True)
class Standing:
    """How one limit stands after a call was counted."""

    name: str
    quota: int
    seconds: int
    used: int
    resets_in: int  # seconds until the window ends, at least 1

    @property
    def remaining(self) -> int:
        return max(0, self.quota - self.used)

    @property
    def exceeded(self) -> bool:
        return self.used > self.quota


def count(name: str, subject: object, *, number: int = 1) -> Standing:
    """Counts a call of `subject` (any number of characters) and says how the limit stands."""
    quota, seconds = rate_of(name)
    now = time.time()
    resets_in = max(1, ceil(seconds - now % seconds))
    used = counters.add(_key(name, subject, now), number, seconds=resets_in + 1)
    return Standing(name, quota, seconds, used, resets_in)


def rate_of(name: str) -> tuple[int, int]:
    """The limit: how many, in how many seconds."""
    quota, seconds = getattr(settings, LIMITS[name])
    return quota, seconds


def _key(name: str, subject: object, now: float) -> str:
    return f"{name}:{int(now // rate_of(name)[1])}:{_digest(subject)}"


def _digest(subject: object) -> str:
    """Of one length, whatever was typed; and no key tells who it is about."""
    return hashlib.sha256(repr(subject).encode(errors="surrogatepass")).hexdigest()[:32]


def refuse_exceeded(standings: Iterable[Standing], advice: str = "") -> None:
    """TooManyRequests if any limit is exceeded, until the last of them that are begins anew."""
    exceeded = [standing for standing in standings if standing.exceeded]
    if exceeded:
        wait = max(standing.resets_in for standing in exceeded)
        words = _("That was a lot at once. Try again in %(wait)s.") % {"wait": wait_in_words(wait)}
        raise TooManyRequests(f"{words} {advice}".strip(), retry_after=wait)


def wait_in_words(seconds: int) -> str:
    """Seconds up to two minutes, minutes up to two hours, then hours; rounded up, so that it is never too soon."""
    if seconds <= 120:
        return ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds}
    minutes, hours = ceil(seconds / 60), ceil(seconds / 3600)
    if minutes <= 120:
        return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}


# --- Calls that write --------------------------------------------------------------------------------------


def count_write(request: HttpRequest, scope: str, account_id: int | None) -> list[Standing]:
    """Counts a call of `scope` (writes, uploads, sign-ups) for its account, if there is one, and for its address."""
    standings = [count(scope, account_id)] if account_id is not None and scope in LIMITS else []
    return [*standings, count(f"{scope}-address", address_of(request))]


def limit_upload(request: HttpRequest, account_id: int) -> None:
    """Counts a photo that a page's form brings. TooManyRequests."""
    if settings.RATE_LIMITS:
        refuse_exceeded(count_write(request, "uploads", account_id))


def limit_seen(request: HttpRequest, account_id: int) -> None:
    """Counts a report of what was in sight. TooManyRequests."""
    if settings.RATE_LIMITS:
        refuse_exceeded(count_write(request, "seen", account_id))


def limit_sign_up(request: HttpRequest) -> None:
    """TooManyRequests when this address has signed up too often."""
    if settings.RATE_LIMITS:
        refuse_exceeded(count_write(request, "sign-ups", None))


def limit_password_mail(request: HttpRequest, email: str) -> None:
    """TooManyRequests when this address has asked for too many, or this e-mail was asked for too often; whether
    anybody has that e-mail makes no difference."""
    if settings.RATE_LIMITS:
        refuse_exceeded([count("password-mails-address", address_of(request))])
        refuse_exceeded([count("password-mails", email.lower())])


# --- Guesses at a password ---------------------------------------------------------------------------------
# Counted before the password is looked at, so that many at once do not all pass, and taken back when it was right.


def count_guess(request: HttpRequest | None, username: str) -> None:
    """Counts a guess at the password of `username`. TooManyRequests.

    How the limits stand is then in `request.guesses`, for the headers of the answer.

    1  for this username at this address. Beyond it nothing else is counted, so that one address alone can neither
       use up an account's limit nor keep its owner out.
    2  for the address, whatever the username, and 3 for the username, whatever the address: not where that username
       has signed in from that address before. So the owner's own places stay open while others guess.
    """
    if not settings.RATE_LIMITS or request is None:
        return
    name, address = Account.normalize_username(username), address_of(request)
    standings = [count("guesses", (name, address))]
    request.guesses = standings  # type: ignore[attr-defined]
    advice = _("Or have a new password sent to you by e-mail.")
    refuse_exceeded(standings, advice)
    wide = [count("guesses-address", address)]
    if not wide[0].exceeded:
        wide.append(count("guesses-account", name))
    if any(limit.exceeded for limit in wide) and not counters.is_marked(_known(name, address)):
        standings += [limit for limit in wide if limit.exceeded]
        refuse_exceeded(wide, advice)


def take_back_guess(request: HttpRequest | None, username: str) -> None:
    """It was right: it does not count, and this address is known for this username from now on."""
    if not settings.RATE_LIMITS or request is None:
        return
    name, address = Account.normalize_username(username), address_of(request)
    for limit, subject in _counted(name, address):
        count(limit, subject, number=-1)
    counters.mark(_known(name, address), seconds=KNOWN_SECONDS)


def forget_guesses(request: HttpRequest, username: str) -> None:
    """Whoever has set a new password by e-mail has proved enough to try again at once."""
    name, now = Account.normalize_username(username), time.time()
    mine = [
        (limit, subject) for limit, subject in _counted(name, address_of(request)) if "address" not in limit
    ]
    counters.forget(*(_key(limit, subject, now) for limit, subject in mine))


def _counted(name: str, address: str) -> list[tuple[str, Any]]:
    return [("guesses", (name, address)), ("guesses-address", address), ("guesses-account", name)]


def _known(name: str, address: str) -> str:
    return f"known:{_digest((name, address))}"
