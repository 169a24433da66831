"""What other apps have to say on the page of an account in admin; they register it (social must not know of them)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from social.models import Account


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a panel: what it says, where that leads (empty: nowhere), and a quiet note behind it."""

    text: str
    address: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A few lines, newest first; `empty`: said instead where there are none. `more`: words and address."""

    title: str
    lines: Sequence[Line]
    empty: str
    more: tuple[str, str] | None = None


# Panels of an account for who asks; those that one may not see are left out. Each is bounded.
Teller = Callable[[HttpRequest, Account], list[Panel]]
_tellers: list[Teller] = []


def tell_of_accounts_by(teller: Teller) -> None:
    """`teller` is asked whenever the page of an account is shown."""
    if teller not in _tellers:
        _tellers.append(teller)


def panels_of(request: HttpRequest, account: Account) -> list[Panel]:
    return [panel for teller in _tellers for panel in teller(request, account)]
