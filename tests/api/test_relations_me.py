"""One's own account: read, changed, deleted."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from social.erasing import erase_marked_accounts
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import PASSWORD, Cast, PostFactory

Api = Callable[[Account | None], APIClient]
ME = "/api/v1/me"
PROFILE = {
    "display_name": "Ana dos Pães",
    "bio": "Bread.\nAnd soup.",
    "city": "Braga",
    "cuisine": "Minho",
    "order_url": "https://example.org/ana",
    "time_zone": "Europe/Lisbon",
    "is_cook": True,
    "is_private": True,
}


def test_it_is_the_account_with_what_nobody_else_sees(cast: Cast, api: Api) -> None:
    body = api(cast.ana).get(ME).json()
    own = api(cast.ana).get(f"/api/v1/accounts/{cast.ana.pk}").json()
    assert body == own | {"email": "", "time_zone": "UTC", "language": "en"}
    assert not any(body["relation"].values())


def test_what_is_given_changes_and_the_rest_stays(cast: Cast, api: Api) -> None:
    client = api(cast.ana)
    before = client.get(ME).json()
    for name, value in PROFILE.items():
        response = client.patch(ME, {name: value}, format="json")
        before[name] = value
        assert (response.status_code, response.json()) == (200, before)
        assert response["Cache-Control"] == "private, no-store"
    assert client.get(ME).json() == before
    assert client.patch(ME, {}, format="json").json() == before


def test_what_was_read_may_be_written_back(cast: Cast, api: Api) -> None:
    client = api(cast.ana)
    before = client.get(ME).json()
    assert before["order_url"] is None
    assert client.patch(ME, before, format="json").json() == before


def test_a_new_name_stands_on_the_menus_in_the_next_read(
    cast: Cast, api: Api, settle: Callable[[], None]
) -> None:
    PostFactory(author=cast.ana)
    settle()
    carla = api(cast.carla)
    carla.get("/api/v1/feed")
    api(cast.ana).patch(ME, {"display_name": "Ana Banana"}, format="json")
    assert carla.get("/api/v1/feed").json()["posts"][0]["author"]["display_name"] == "Ana Banana"


def test_nobody_promotes_or_renames_themselves(cast: Cast, api: Api) -> None:
    wishes = {"is_staff": True, "is_superuser": True, "id": 1, "username": "maria", "follower_count": 9}
    assert api(cast.sam).patch(ME, wishes, format="json").status_code == 200
    sam = Account.objects.get(pk=cast.sam.pk)
    assert (sam.is_staff, sam.is_superuser, sam.username, sam.follower_count) == (False, False, "sam", 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("display_name", ""),
        ("display_name", "\u200b"),
        ("display_name", None),
        ("display_name", "x" * 61),
        ("bio", "x" * 501),
        ("bio", "a\x00b"),
        ("city", "\ud800"),
        ("city", ["Porto"]),
        ("cuisine", "x" * 61),
        ("order_url", "javascript:alert(1)"),
        ("order_url", "x"),
        ("order_url", "https://example.org/" + "x" * 300),
        ("order_url", "https://example.org/\x00"),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", ""),
        ("time_zone", None),
        ("is_cook", "perhaps"),
        ("is_private", None),
    ],
)
def test_what_is_not_right_is_said_by_field_and_changes_nothing(
    cast: Cast, api: Api, name: str, value: Any
) -> None:
    client = api(cast.ana)
    before = client.get(ME).json()
    # The test client's own encoder refuses lone surrogates; the wire does not.
    body = json.dumps({"bio": "New.", name: value}).encode()
    answer = problem(client.patch(ME, body, content_type="application/json"), 400, "invalid")
    assert list(answer["errors"]) == [name]
    assert client.get(ME).json() == before


def test_deleting_ends_it_at_once_and_erases_it_later(cast: Cast, api: Api) -> None:
    client, post_id = api(cast.ana), PostFactory(author=cast.ana).pk
    assert client.delete(ME).status_code == 204
    problem(client.get(ME), 401, "not_authenticated")
    problem(client.delete(ME), 401, "not_authenticated")
    problem(api(cast.carla).get(f"/api/v1/posts/{post_id}"), 404, "not_found")
    credentials = {"username": "ana", "password": PASSWORD}
    problem(api(None).post("/api/v1/auth/token", credentials, format="json"), 401, "not_authenticated")
    erase_marked_accounts()
    again = credentials | {"display_name": "Another Ana"}
    assert api(None).post("/api/v1/accounts", again, format="json").status_code == 201


def test_wrong_methods(cast: Cast, api: Api) -> None:
    for method in ("put", "post"):
        problem(getattr(api(cast.ana), method)(ME), 405, "method_not_allowed")
