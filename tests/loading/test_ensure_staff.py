import io
import sys
from collections.abc import Callable, Iterator

import pytest
from django.core.management.base import CommandError

from feeds.management.commands import ensure_staff
from social.models import Account
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.delenv("STAFF_USERNAME", raising=False)
    monkeypatch.delenv("STAFF_PASSWORD", raising=False)


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make standard input a terminal at which these lines are typed."""

    def answer(*lines: str) -> None:
        typed: Iterator[str] = iter(lines)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
        monkeypatch.setattr(ensure_staff, "getpass", lambda prompt: next(typed))

    return answer


def test_a_generated_password_is_shown_once_and_works(run: Run) -> None:
    password = run("ensure_staff").split()[-1]
    staff = Account.objects.get(username="staff")
    assert staff.check_password(password)
    assert staff.is_staff
    assert staff.is_superuser
    assert run("ensure_staff") == ""
    assert Account.objects.count() == 1


def test_the_environment_names_the_account(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAFF_USERNAME", "Stef")
    monkeypatch.setenv("STAFF_PASSWORD", "stew-for-seven")
    assert "stew-for-seven" not in run("ensure_staff")
    assert Account.objects.get(username="stef").check_password("stew-for-seven")


def test_at_a_terminal_it_asks_until_the_password_is_good(run: Run, type_in: Callable[..., None]) -> None:
    type_in("stef", "short", "stew-for-seven", "stew-for-eight", "stew-for-seven", "stew-for-seven")
    run("ensure_staff")
    assert Account.objects.get(username="stef").check_password("stew-for-seven")


def test_a_customer_is_never_promoted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    AccountFactory(username="carla")
    monkeypatch.setenv("STAFF_USERNAME", "carla")
    monkeypatch.setenv("STAFF_PASSWORD", "stew-for-seven")
    with pytest.raises(CommandError, match="taken by an account that is no staff"):
        run("ensure_staff")
    assert not Account.objects.get(username="carla").is_staff


def test_a_bad_username_is_refused_in_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAFF_USERNAME", "head of staff")
    with pytest.raises(CommandError, match="small letters"):
        run("ensure_staff")
