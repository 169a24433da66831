import io
import sys
from collections.abc import Callable, Iterator

import pytest
from django.core.management.base import CommandError

from feeds.management import staff_accounts
from feeds.management.commands import ensure_staff
from social.models import Account
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]
CTRL_C, CTRL_D = "\x03", "\x04"


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

        def next_line(prompt: str) -> str:
            line = next(typed)
            if line == CTRL_D:
                raise EOFError
            if line == CTRL_C:
                raise KeyboardInterrupt
            return line

        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr("builtins.input", next_line)
        monkeypatch.setattr(staff_accounts, "getpass", next_line)

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


@pytest.mark.parametrize("key", ["", CTRL_D])
def test_at_a_terminal_enter_or_the_end_of_input_makes_a_password_up(
    run: Run, type_in: Callable[..., None], key: str
) -> None:
    type_in(key, key)
    said = run("ensure_staff")
    assert said.startswith("There is no staff account yet. Staff look after")
    assert "/admin/" in said.splitlines()[0]
    assert Account.objects.get(username="staff").check_password(said.split()[-1])


def test_at_a_terminal_a_name_that_cannot_be_is_asked_for_again(
    run: Run, type_in: Callable[..., None]
) -> None:
    type_in("head of staff", "stef", "stew-for-seven", "stew-for-seven")
    run("ensure_staff")
    assert Account.objects.get().username == "stef"


def test_ctrl_c_at_the_prompt_makes_nothing(run: Run, type_in: Callable[..., None]) -> None:
    type_in("stef", CTRL_C)
    with pytest.raises(CommandError, match="No staff account was made"):
        run("ensure_staff")
    assert not Account.objects.exists()


def test_a_made_up_password_of_bin_run_is_shown_by_login_while_it_holds(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("ensure_staff", "--login") == ""
    monkeypatch.setenv(ensure_staff.MADE_UP, "stew-for-seven")
    assert "stew-for-seven" not in run("ensure_staff")
    said = run("ensure_staff", "--login")
    assert said == "username staff      password stew-for-seven   made up, shown only now\n"
    staff = Account.objects.get()
    staff.set_password("stew-for-eight")
    staff.save()
    assert run("ensure_staff", "--login") == "username staff      password as it was set\n"


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
