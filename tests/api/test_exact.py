"""What has another type than it should, or another spelling, is refused and changes nothing."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.validators import URLValidator, validate_email
from rest_framework.test import APIClient

from posts.models import Post
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast, PostFactory, uploaded

Api = Callable[[Account | None], APIClient]
DISH = {"name": "Soup", "price": "6.50"}


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"text": 5}, "text"),
        ({"text": True}, "text"),
        ({"text": None}, "text"),
        ({"text": "soup" + " " * 2000}, "text"),
        ({"day": "20260531"}, "day"),
        ({"day": "2026-5-31"}, "day"),
        ({"day": "2026-W22-7"}, "day"),
        ({"day": "2026-02-29"}, "day"),
        ({"day": "2026-05-31\n"}, "day"),
        ({"day": "2026-05-31T12:00:00Z"}, "day"),
        ({"day": "1999-12-31"}, "day"),
        ({"day": "3000-01-01"}, "day"),
        ({"day": 20260531}, "day"),
        ({"dishes": {}}, "dishes"),
        ({"dishes": "soup"}, "dishes"),
        ({"dishes": None}, "dishes"),
        ({"dishes": [DISH | {"name": 5}]}, "dishes"),
        ({"dishes": [DISH | {"name": "\u200b"}]}, "dishes"),
        ({"dishes": [DISH | {"price": 6.5}]}, "dishes"),
        ({"dishes": [DISH | {"price": 6}]}, "dishes"),
        ({"dishes": [DISH | {"price": "6.505"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "6,50"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "6.50\n"}]}, "dishes"),
        ({"dishes": [DISH | {"price": " 6.50"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "65e-1"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "٦"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "0.00"}]}, "dishes"),
        ({"dishes": [DISH | {"price": "1000000"}]}, "dishes"),
        ({"dishes": [DISH | {"currency": "eur"}]}, "dishes"),
        ({"dishes": [DISH | {"currency": 978}]}, "dishes"),
        ({"dishes": [DISH | {"tags": ["Vegan"]}]}, "dishes"),
        ({"dishes": [DISH | {"tags": [1]}]}, "dishes"),
        ({"dishes": [DISH | {"sold_out": 1}]}, "dishes"),
        ({"dishes": [DISH | {"sold_out": "true"}]}, "dishes"),
        ({"dishes": [DISH | {"sold_out": None}]}, "dishes"),
    ],
)
def test_a_menu(cast: Cast, api: Api, fields: dict[str, Any], wrong: str) -> None:
    answer = problem(
        api(cast.ana).post("/api/v1/posts", {"text": "Soup"} | fields, format="json"), 400, "invalid"
    )
    assert list(answer["errors"]) == [wrong]
    assert not Post.objects.exists()


@pytest.mark.parametrize("dish_id", ["7", True, 7.5, 0, -1, 2**53, None, [7]])
def test_the_id_of_a_dish_in_an_edit(cast: Cast, api: Api, dish_id: Any) -> None:
    post = PostFactory(author=cast.ana)
    body = {"dishes": [DISH | {"id": dish_id}]}
    answer = problem(api(cast.ana).patch(f"/api/v1/posts/{post.pk}", body, format="json"), 400, "invalid")
    assert list(answer["errors"]) == ["dishes"]


def test_a_whole_number_is_one_however_it_is_written(cast: Cast, api: Api) -> None:
    post = PostFactory(author=cast.ana)
    kept = post.dishes.first()
    body = f'{{"dishes": [{{"id": {kept.pk}.0, "sold_out": true}}]}}'.encode()
    answer = api(cast.ana).patch(f"/api/v1/posts/{post.pk}", body, content_type="application/json").json()
    assert [(dish["id"], dish["sold_out"]) for dish in answer["dishes"]] == [(kept.pk, True)]


@pytest.mark.parametrize(
    "fields",
    [
        {"display_name": 5},
        {"display_name": "\u200b\ufe0f\U000e0020"},
        {"bio": "x" * 500 + " "},
        {"city": ["Porto"]},
        {"time_zone": "Nowhere/Else"},
        {"time_zone": " UTC"},
        {"time_zone": 1},
        {"is_cook": "yes"},
        {"is_cook": 1},
        {"is_private": "false"},
        {"is_private": None},
        {"order_url": "example.org"},
        {"order_url": "ftp://example.org/"},
        {"order_url": "javascript:alert(1)"},
        {"order_url": "https://example.org/a b"},
        {"order_url": "https://example.org/\n"},
        {"order_url": "https://ana:secret@example.org/"},
        {"order_url": " https://example.org/"},
        {"order_url": "https://" + "a." * 130 + "org"},
    ],
)
def test_a_profile(cast: Cast, api: Api, fields: dict[str, Any]) -> None:
    client = api(cast.ana)
    before = client.get("/api/v1/me").json()
    answer = problem(client.patch("/api/v1/me", fields, format="json"), 400, "invalid")
    assert list(answer["errors"]) == list(fields)
    assert client.get("/api/v1/me").json() == before


@pytest.mark.parametrize("name", ["五", "🫨", "\U0001fae9", "ـ", "٥"])
def test_a_name_of_one_visible_character(cast: Cast, api: Api, name: str) -> None:
    answer = api(cast.ana).patch("/api/v1/me", {"display_name": name}, format="json")
    assert answer.json()["display_name"] == name


@pytest.mark.parametrize("expires_in", ["60", True, 0, -1, 1.5, 10**9, "", [60]])
def test_the_end_of_a_mute(cast: Cast, api: Api, expires_in: Any) -> None:
    answer = api(cast.sam).put(f"/api/v1/mutes/{cast.ana.pk}", {"expires_in": expires_in}, format="json")
    assert list(problem(answer, 400, "invalid")["errors"]) == ["expires_in"]


@pytest.mark.parametrize("body", [[], "soup", 5, None, True])
@pytest.mark.parametrize(("method", "path"), [("post", "posts"), ("patch", "me"), ("post", "accounts")])
def test_a_body_that_is_no_object(cast: Cast, api: Api, method: str, path: str, body: Any) -> None:
    call = getattr(api(cast.ana), method)
    answer = call(f"/api/v1/{path}", json.dumps(body).encode(), content_type="application/json")
    problem(answer, 400, "invalid")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org",
        "http://EXAMPLE.org:8080/order?for=2#soup",
        "https://www.kitchen.ana.example.co.uk/ordér/🍲",
        "https://café.example.org/",
        "https://cozinha.xn--p1ai/",
    ],
)
def test_an_address_to_order_at(cast: Cast, api: Api, address: str) -> None:
    URLValidator(schemes=["http", "https"])(address)
    answer = api(cast.ana).patch("/api/v1/me", {"order_url": address}, format="json")
    assert answer.json()["order_url"] == address


def test_what_the_api_takes_the_models_take_too() -> None:
    """A sample of what the patterns allow at their edges."""
    for address in ("a@b.cc", "A.b+c=d@x-y.example.ORG", "'{|}~@" + "a" * 63 + ".org"):
        validate_email(address)


def test_every_day_that_pages_can_show_is_a_day(cast: Cast) -> None:
    from posts.api.fields import DayField

    field, day = DayField(), date(2000, 1, 1)
    while day < date(2008, 1, 1):
        assert field.run_validation(day.isoformat()) == day
        day += timedelta(days=1)
    assert field.run_validation("2400-02-29") == date(2400, 2, 29)
    assert field.run_validation("2999-12-31") == date(2999, 12, 31)


@pytest.mark.parametrize("twice", ["file", "alt"])
def test_a_form_that_names_a_field_twice(cast: Cast, api: Api, twice: str) -> None:
    form: dict[str, Any] = {"file": uploaded(), "alt": "Soup"}
    form[twice] = [form[twice], uploaded() if twice == "file" else "Bread"]
    answer = api(cast.ana).post("/api/v1/media", form, format="multipart")
    assert list(problem(answer, 400, "invalid")["errors"]) == [twice]


def test_an_edit_without_a_body_changes_nothing(cast: Cast, api: Api) -> None:
    post, client = PostFactory(author=cast.ana), api(cast.ana)
    for path in ("me", f"posts/{post.pk}"):
        before = client.get(f"/api/v1/{path}").json()
        assert client.patch(f"/api/v1/{path}").json() == before
