"""Switching accounts off and on: who may, what it ends, and that feeds show it in the next read."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from social.errors import Forbidden, NotFound, SelfTarget
from social.models import Account
from social.services import (
    deactivate_account,
    erase_account,
    reactivate_account,
    restore_account,
    suspend_account,
)
from tests.factories import PASSWORD, Cast, PostFactory
from tests.feeds.helpers import assert_exact, shown

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
CHANGES: dict[str, Callable[[Cast], object]] = {
    "deactivate": lambda cast: deactivate_account(cast.ana.pk),
    "reactivate": lambda cast: reactivate_account(cast.ana.pk),
    "suspend": lambda cast: suspend_account(cast.ana.pk, by=cast.stef),
    "restore": lambda cast: restore_account(cast.ana.pk),
    "erase": lambda cast: erase_account(cast.ana.pk),
}


def state(cast: Cast) -> str:
    account = Account.objects.get(pk=cast.ana.pk)
    assert account.is_active == (account.inactive_because == "")
    return account.inactive_because or "active"


@pytest.mark.parametrize(
    ("begin", "change", "end"),
    [
        (None, "deactivate", "deactivated"),
        (None, "reactivate", "active"),
        (None, "suspend", "suspended"),
        (None, "restore", "active"),
        (None, "erase", "erasing"),
        ("deactivate", "deactivate", "deactivated"),
        ("deactivate", "reactivate", "active"),
        ("deactivate", "suspend", "suspended"),
        ("deactivate", "restore", Forbidden),
        ("deactivate", "erase", "erasing"),
        ("suspend", "deactivate", "suspended"),
        ("suspend", "reactivate", Forbidden),
        ("suspend", "suspend", "suspended"),
        ("suspend", "restore", "active"),
        ("suspend", "erase", "erasing"),
        ("erase", "deactivate", "erasing"),
        ("erase", "reactivate", Forbidden),
        ("erase", "suspend", Forbidden),
        ("erase", "restore", Forbidden),
        ("erase", "erase", "erasing"),
    ],
)
def test_who_may_do_what(cast: Cast, begin: str | None, change: str, end: str | type[Exception]) -> None:
    if begin:
        CHANGES[begin](cast)
    before = state(cast)
    if isinstance(end, str):
        CHANGES[change](cast)
        assert state(cast) == end
    else:
        with pytest.raises(end):
            CHANGES[change](cast)
        assert state(cast) == before


@pytest.mark.parametrize("change", ["deactivate", "suspend", "erase"])
def test_it_ends_every_sign_in_at_once(cast: Cast, api: Api, browse: Browse, change: str) -> None:
    program, browser = api(cast.ana), browse(cast.ana)
    assert program.get("/api/v1/feed").status_code == 200
    assert "/@ana" in browser.get("/").content.decode()
    CHANGES[change](cast)
    for path in ("feed", "me", "blocks"):
        assert program.get(f"/api/v1/{path}").status_code == 401
    assert "/sign-up" in browser.get("/").content.decode()
    credentials = {"username": "ana", "password": PASSWORD}
    assert api(None).post("/api/v1/auth/token", credentials, format="json").status_code == 401


@pytest.mark.parametrize("change", ["deactivate", "suspend"])
def test_older_sign_ins_stay_ended_when_the_account_is_back(cast: Cast, api: Api, change: str) -> None:
    program = api(cast.ana)
    CHANGES[change](cast)
    CHANGES["reactivate" if change == "deactivate" else "restore"](cast)
    assert program.get("/api/v1/feed").status_code == 401
    assert api(Account.objects.get(pk=cast.ana.pk)).get("/api/v1/feed").status_code == 200


@pytest.mark.parametrize(
    ("off", "on"), [("deactivate", "reactivate"), ("suspend", "restore"), ("erase", None)]
)
def test_menus_go_and_come_back_in_the_next_read(
    cast: Cast, settle: Callable[[], None], off: str, on: str | None
) -> None:
    posts = [PostFactory(author=cast.ana).pk for _ in range(2)]
    settle()
    assert shown(cast.carla) == posts[::-1]
    CHANGES[off](cast)
    assert shown(cast.carla) == []
    assert_exact(cast.carla)
    settle()
    assert shown(cast.carla) == []
    if on:
        CHANGES[on](cast)
        assert shown(cast.carla) == posts[::-1]
        assert_exact(cast.carla)


def test_staff_do_not_suspend_themselves(cast: Cast) -> None:
    with pytest.raises(SelfTarget):
        suspend_account(cast.stef.pk, by=cast.stef)


@pytest.mark.parametrize("change", [deactivate_account, reactivate_account, restore_account, erase_account])
def test_nobody_is_not_found(cast: Cast, change: Callable[[int], object]) -> None:
    with pytest.raises(NotFound):
        change(2**40)
