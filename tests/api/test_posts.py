"""POST /posts, GET and DELETE /posts/{id}."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from rest_framework.test import APIClient

from posts.models import Dish, Post
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory

Api = Callable[[Account | None], APIClient]
POSTS = "/api/v1/posts"
DISH = {"name": "Caldo verde", "price": "6.50"}


@pytest.fixture
def ana(cast: Cast, api: Api) -> APIClient:
    return api(cast.ana)


def send(client: APIClient, body: Any) -> Any:
    return client.post(POSTS, body, format="json")


def send_raw(client: APIClient, body: bytes, content_type: str = "application/json") -> Any:
    return client.post(POSTS, body, content_type=content_type)


class TestPublishing:
    def test_it_answers_with_the_post(self, cast: Cast, ana: APIClient) -> None:
        response = send(ana, {"text": "Soup", "dishes": [DISH | {"tags": ["vegan"], "currency": "GBP"}]})
        assert response.status_code == 201
        assert response["Cache-Control"] == "private, no-store"
        body = response.json()
        post = Post.objects.get()
        assert body["post_id"] == body["id"] == post.pk
        assert body["text"] == "Soup"
        [dish] = body["dishes"]
        assert dish == {
            "id": Dish.objects.get().pk,
            "name": "Caldo verde",
            "price": "6.50",
            "currency": "GBP",
            "tags": ["vegan"],
            "sold_out": False,
        }
        assert body["author"]["id"] == cast.ana.pk
        assert body["edited_at"] is None
        assert ana.get(f"{POSTS}/{post.pk}").json() == {k: v for k, v in body.items() if k != "post_id"}

    def test_dishes_keep_their_order(self, ana: APIClient) -> None:
        names = [f"dish {n}" for n in range(50)]
        body = send(ana, {"dishes": [{"name": name, "price": "1"} for name in names]}).json()
        assert [dish["name"] for dish in body["dishes"]] == names

    def test_the_day_is_todays_where_the_cook_lives(self, cast: Cast, ana: APIClient) -> None:
        assert send(ana, {"text": "soup"}).json()["day"]
        assert send(ana, {"text": "soup", "day": "2026-05-01"}).json()["day"] == "2026-05-01"

    def test_a_clients_own_time_and_author_are_ignored(self, cast: Cast, ana: APIClient) -> None:
        body = send(
            ana,
            {
                "text": "soup",
                "id": 5,
                "author": cast.sam.pk,
                "created_at": "2020-01-01T00:00:00Z",
                "like_count": 9,
                "nonsense": {"a": [1]},
            },
        ).json()
        assert body["author"]["id"] == cast.ana.pk
        assert body["id"] != 5
        assert body["created_at"] > "2026"
        assert body["like_count"] == 0

    def test_lines_stay_and_the_ends_are_trimmed(self, ana: APIClient) -> None:
        assert send(ana, {"text": "  soup\r\nstew\rbread \n"}).json()["text"] == "soup\nstew\nbread"

    def test_who_is_no_cook_may_not(self, cast: Cast, api: Api) -> None:
        problem(send(api(cast.carla), {"text": "soup"}), 403, "not_a_cook")
        assert not Post.objects.exists()

    def test_nobody_may_not(self, cast: Cast, api: Api) -> None:
        problem(send(api(None), {"text": "soup"}), 401, "not_authenticated")


class TestRefused:
    """Nothing is saved, and the answer says which field."""

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "text"),
            ({"text": ""}, "text"),
            ({"text": " \n\t"}, "text"),
            ({"text": "\u200b\u2060\ufeff"}, "text"),
            ({"text": "\u202e\u00ad"}, "text"),
            ({"text": "a\x00b"}, "text"),
            ({"text": "x" * 2001}, "text"),
            ({"text": 10**2500}, "text"),
            ({"text": ["soup"]}, "text"),
            ({"text": {"a": 1}}, "text"),
            ({"text": None}, "text"),
            ({"text": True}, "text"),
            ({"dishes": [DISH] * 51}, "dishes"),
            ({"dishes": "soup"}, "dishes"),
            ({"dishes": ["soup"]}, "dishes"),
            ({"dishes": [{"price": "1"}]}, "dishes"),
            ({"dishes": [{"name": "soup"}]}, "dishes"),
            ({"dishes": [DISH | {"name": ""}]}, "dishes"),
            ({"dishes": [DISH | {"name": "\u200b"}]}, "dishes"),
            ({"dishes": [DISH | {"name": "x" * 121}]}, "dishes"),
            ({"dishes": [DISH | {"name": 10**150}]}, "dishes"),
            ({"dishes": [DISH | {"name": "a\x00b"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "-1"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "0"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "0.001"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "1000000"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "NaN"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "Infinity"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "1e400"}]}, "dishes"),
            ({"dishes": [DISH | {"price": "free"}]}, "dishes"),
            ({"dishes": [DISH | {"price": True}]}, "dishes"),
            ({"dishes": [DISH | {"price": None}]}, "dishes"),
            ({"dishes": [DISH | {"currency": "euro"}]}, "dishes"),
            ({"dishes": [DISH | {"tags": ["tasty"]}]}, "dishes"),
            ({"dishes": [DISH | {"tags": ["vegan"] * 9}]}, "dishes"),
            ({"dishes": [DISH | {"sold_out": "perhaps"}]}, "dishes"),
            ({"text": "soup", "day": "yesterday"}, "day"),
            ({"text": "soup", "day": "2026-02-30"}, "day"),
        ],
    )
    def test_a_field(self, ana: APIClient, body: dict[str, Any], field: str) -> None:
        answer = problem(send(ana, body), 400, "invalid")
        assert list(answer["errors"]) == [field]
        assert not Post.objects.exists()

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"soup",
            b"[]",
            b"[1]",
            b'"soup"',
            b"null",
            b"7",
            b'{"text": "soup"',
            b'{"text": NaN}',
            b'{"text": "soup", "dishes": [{"name": "a", "price": NaN}]}',
            b'{"text": "\xff\xfe"}',
            b'{"text": "\\ud800"}',
            b'{"dishes": [{"name": "\\udfff", "price": "1"}]}',
            b"\x00",
            b"[" * 50_000,
            b'{"text":' * 50_000,
            b'{"dishes": [{"name": "a", "price": 1e999}]}',
            b'{"dishes": [{"name": "a", "price": ' + b"9" * 5000 + b"}]}",
        ],
        ids=lambda body: repr(body[:40]),
    )
    def test_a_body_that_is_no_object_or_no_text(self, ana: APIClient, body: bytes) -> None:
        problem(send_raw(ana, body), 400, "invalid")
        assert not Post.objects.exists()

    @pytest.mark.parametrize(
        "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/xml"]
    )
    def test_another_media_type(self, ana: APIClient, content_type: str) -> None:
        problem(send_raw(ana, b"text=soup", content_type), 415, "unsupported_media_type")

    @pytest.mark.parametrize("charset", ["hex", "zlib", "utf-16", "idna", "nonsense"])
    def test_a_strange_charset_is_no_bug(self, ana: APIClient, charset: str) -> None:
        response = send_raw(ana, b'{"text": "soup"}', f"application/json; charset={charset}")
        assert response.status_code in (201, 400, 415)

    def test_too_large(self, ana: APIClient, settings: Any) -> None:
        response = send_raw(
            ana, json.dumps({"text": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}).encode()
        )
        problem(response, 413, "too_large")


class TestReading:
    def test_anybody_signed_in_may_see_it(self, cast: Cast, api: Api) -> None:
        post = PostFactory(author=cast.ana)
        for account in (cast.ana, cast.carla, cast.sam):
            response = api(account).get(f"{POSTS}/{post.pk}")
            assert response.status_code == 200
            assert response["Cache-Control"] == "private, no-store"
        problem(api(None).get(f"{POSTS}/{post.pk}"), 401, "not_authenticated")

    def test_what_may_not_be_seen_is_not_there(self, cast: Cast, api: Api) -> None:
        shy = AccountFactory(cook=True, private=True)
        post = PostFactory(author=shy)
        problem(api(cast.sam).get(f"{POSTS}/{post.pk}"), 404, "not_found")
        FollowFactory(follower=cast.sam, followee=shy)
        assert api(cast.sam).get(f"{POSTS}/{post.pk}").status_code == 200
        Account.objects.filter(pk=shy.pk).update(is_active=False)
        problem(api(cast.sam).get(f"{POSTS}/{post.pk}"), 404, "not_found")

    @pytest.mark.parametrize(
        "post_id", ["0", "1", str(2**53), str(2**63), "9" * 40, "00000000000000000000000001", "-1", "x", "1.0", "%00",
                    "%ff", "٣"]
    )  # fmt: skip
    def test_no_such_menu(self, ana: APIClient, post_id: str) -> None:
        for method in ("get", "delete"):
            problem(getattr(ana, method)(f"{POSTS}/{post_id}"), 404, "not_found")

    def test_a_look_at_an_id_of_the_future_does_not_hide_the_post_to_come(self, cast: Cast, api: Api) -> None:
        client = api(cast.carla)
        ahead = PostFactory(author=cast.ana).pk + 4096 * 1000
        problem(client.get(f"{POSTS}/{ahead}"), 404, "not_found")
        Post.objects.create(pk=ahead, author=cast.ana, text="soup")
        assert client.get("/api/v1/feed").json()["posts"][0]["id"] == ahead


class TestDeleting:
    def test_ones_own(self, cast: Cast, ana: APIClient) -> None:
        post = PostFactory(author=cast.ana)
        assert ana.delete(f"{POSTS}/{post.pk}").status_code == 204
        problem(ana.delete(f"{POSTS}/{post.pk}"), 404, "not_found")
        problem(ana.get(f"{POSTS}/{post.pk}"), 404, "not_found")
        assert ana.get("/api/v1/feed").json()["posts"] == []

    def test_not_somebody_elses(self, cast: Cast, api: Api) -> None:
        post = PostFactory(author=cast.ana)
        problem(api(cast.maria).delete(f"{POSTS}/{post.pk}"), 403, "forbidden")
        assert Post.objects.exists()

    def test_not_what_may_not_be_seen(self, cast: Cast, api: Api) -> None:
        post = PostFactory(author=AccountFactory(cook=True, private=True))
        problem(api(cast.maria).delete(f"{POSTS}/{post.pk}"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "address"),
    [("get", POSTS), ("put", POSTS), ("delete", POSTS), ("post", f"{POSTS}/1"), ("put", f"{POSTS}/1")],
)
def test_wrong_methods(ana: APIClient, method: str, address: str) -> None:
    problem(getattr(ana, method)(address), 405, "method_not_allowed")


def test_the_day_of_the_cook(cast: Cast, api: Api) -> None:
    far = AccountFactory(cook=True, time_zone="Pacific/Kiritimati")
    near = AccountFactory(cook=True, time_zone="Pacific/Pago_Pago")
    days = [date.fromisoformat(send(api(cook), {"text": "soup"}).json()["day"]) for cook in (far, near)]
    assert (days[0] - days[1]).days in (1, 2)


def test_half_a_character_in_a_tag_is_refused_in_words(
    cast: Cast, api: Callable[[Account | None], APIClient]
) -> None:
    """The refusal names what was sent, which cannot be encoded."""
    dish = r'{"name": "Soup", "price": "5.00", "tags": ["\ud800"]}'
    response = api(cast.ana).post(
        "/api/v1/posts", f'{{"text": "Soup", "dishes": [{dish}]}}', content_type="application/json"
    )
    assert response.status_code == 400
    assert "tags" in response.json()["errors"]["dishes"]["0"]
