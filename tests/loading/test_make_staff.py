"""`make_staff` makes viewers and operators."""

import io
import sys
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import CommandError

from courtyard.roles import OPERATORS, VIEWERS
from feeds.management import staff_accounts
from social.models import Account
from tests.factories import AccountFactory

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def roles(stores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    call_command("migrate", verbosity=0)
    monkeypatch.setattr(sys, "stdin", io.StringIO())


def groups_of(username: str) -> list[str]:
    return list(Group.objects.filter(user__username=username).values_list("name", flat=True))


@pytest.mark.parametrize(("role", "group"), [("viewer", VIEWERS), ("operator", OPERATORS)])
def test_a_password_is_made_up_and_shown_once(run: Run, role: str, group: str) -> None:
    said = run("make_staff", "@Vera", "--role", role)
    vera = Account.objects.get(username="vera")
    assert vera.check_password(said.split()[-1])
    assert (vera.is_staff, vera.is_superuser) == (True, False)
    assert groups_of("vera") == [group]


def test_another_role_replaces_the_first_and_the_password_stays(run: Run) -> None:
    password = run("make_staff", "vera", "--role", "viewer").split()[-1]
    cooks = Group.objects.create(name="Cooks of the house")
    cooks.user_set.add(Account.objects.get(username="vera"))  # type: ignore[attr-defined]
    assert run("make_staff", "vera", "--role", "operator") == f"vera is now one of the {OPERATORS}.\n"
    assert sorted(groups_of("vera")) == [cooks.name, OPERATORS]
    assert Account.objects.get(username="vera").check_password(password)


def test_at_a_terminal_the_password_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    typed: Iterator[str] = iter(["short", "stew-for-seven", "stew-for-seven"])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(staff_accounts, "getpass", lambda prompt: next(typed))
    assert "shown only now" not in run("make_staff", "vera", "--role", "viewer")
    assert Account.objects.get(username="vera").check_password("stew-for-seven")


def test_ctrl_c_makes_nobody(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(staff_accounts, "getpass", interrupt)
    with pytest.raises(CommandError, match="No staff account was made"):
        run("make_staff", "vera", "--role", "viewer")
    assert not Account.objects.exists()


@pytest.mark.parametrize(
    ("username", "words"),
    [
        ("carla", "carla is taken by an account that is no staff"),
        ("stef", "is a superuser, who may do everything already"),
        ("head of staff", "small letters"),
        ("a\x00b", "small letters"),
    ],
)
def test_who_is_refused(run: Run, username: str, words: str) -> None:
    AccountFactory(username="carla")
    AccountFactory(username="stef", staff=True)
    with pytest.raises(CommandError, match=words):
        run("make_staff", username, "--role", "operator")
    assert Account.objects.filter(is_staff=True).count() == 1


def test_a_group_that_is_gone_is_named(run: Run) -> None:
    Group.objects.all().delete()
    with pytest.raises(CommandError, match="There is no group 'Staff viewers'"):
        run("make_staff", "vera", "--role", "viewer")
