"""PATCH /posts/{id}."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from posts.models import Dish, Post
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, PhotoFactory, PostFactory

Api = Callable[[Account | None], APIClient]
NEW = {"name": "Açorda", "price": "7.20"}


@pytest.fixture
def ana(cast: Cast, api: Api) -> APIClient:
    return api(cast.ana)


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana, photos=[PhotoFactory()])


def address(post: Post | int | str) -> str:
    return f"/api/v1/posts/{post.pk if isinstance(post, Post) else post}"


def edit(client: APIClient, post: Post, body: Any) -> Any:
    return client.patch(address(post), body, format="json")


def names(body: dict[str, Any]) -> list[str]:
    return [dish["name"] for dish in body["dishes"]]


class TestFields:
    def test_what_is_left_out_stays(self, ana: APIClient, post: Post) -> None:
        before = ana.get(address(post)).json()
        response = edit(ana, post, {"text": " Sold by the door. \n"})
        assert response.status_code == 200
        assert response["Cache-Control"] == "private, no-store"
        after = response.json()
        assert after["edited_at"] > before["created_at"]
        assert after == before | {"text": "Sold by the door.", "edited_at": after["edited_at"]}
        assert ana.get(address(post)).json() == after

    def test_another_day(self, ana: APIClient, post: Post) -> None:
        assert edit(ana, post, {"day": "2030-05-01"}).json()["day"] == "2030-05-01"
        assert edit(ana, post, {"day": None}).json()["day"] == "2030-05-01"

    def test_the_next_read_of_the_feed_shows_it(
        self, cast: Cast, ana: APIClient, api: Api, post: Post
    ) -> None:
        carla = api(cast.carla)
        carla.get("/api/v1/feed")
        edit(ana, post, {"text": "Stew instead."})
        assert carla.get("/api/v1/feed").json()["posts"][0]["text"] == "Stew instead."

    @pytest.mark.parametrize(
        "body", [{}, {"nonsense": 1, "author": 5, "created_at": "2020-01-01", "photos": []}]
    )
    def test_an_edit_that_changes_nothing_is_no_edit(self, ana: APIClient, post: Post, body: Any) -> None:
        before = ana.get(address(post)).json()
        again = body | {"text": f"  {before['text']} ", "day": before["day"], "dishes": before["dishes"]}
        assert edit(ana, post, body).json() == before
        assert edit(ana, post, again).json() == before
        assert before["edited_at"] is None


class TestDishes:
    def test_the_list_is_replaced_and_an_id_keeps_its_dish(self, ana: APIClient, post: Post) -> None:
        first, second = ana.get(address(post)).json()["dishes"]
        body = edit(ana, post, {"dishes": [second | {"price": "1.10"}, NEW]}).json()
        assert names(body) == [second["name"], "Açorda"]
        assert body["dishes"][0] == second | {"price": "1.10"}
        added = body["dishes"][1]
        assert (added["currency"], added["tags"], added["sold_out"]) == ("EUR", [], False)
        assert not Dish.objects.filter(pk=first["id"]).exists()

    def test_with_an_id_alone_the_dish_stays_as_it_is(self, ana: APIClient, post: Post) -> None:
        first, second = ana.get(address(post)).json()["dishes"]
        edit(ana, post, {"dishes": [first | {"tags": ["vegan"]}, second]})
        body = edit(
            ana, post, {"dishes": [{"id": second["id"]}, {"id": first["id"], "sold_out": True}]}
        ).json()
        assert body["dishes"] == [second, first | {"tags": ["vegan"], "sold_out": True}]

    def test_none_at_all(self, ana: APIClient, post: Post) -> None:
        assert edit(ana, post, {"dishes": []}).json()["dishes"] == []

    def test_fifty(self, ana: APIClient, post: Post) -> None:
        fifty = [{"name": f"dish {n}", "price": "1"} for n in range(50)]
        assert names(edit(ana, post, {"dishes": fifty}).json()) == [dish["name"] for dish in fifty]

    @pytest.mark.parametrize("dish_id", [0, -1, 2**63, 10**30, "x", None, True, [1], {"a": 1}])
    def test_an_id_of_no_dish_is_refused(self, ana: APIClient, post: Post, dish_id: Any) -> None:
        before = ana.get(address(post)).json()
        answer = problem(edit(ana, post, {"dishes": [NEW | {"id": dish_id}]}), 400, "invalid")
        assert list(answer["errors"]) == ["dishes"]
        assert ana.get(address(post)).json() == before

    def test_a_dish_of_another_menu_is_refused(self, cast: Cast, ana: APIClient, post: Post) -> None:
        other = Dish.objects.get(post=PostFactory(author=cast.ana, dishes=[NEW]))
        answer = problem(edit(ana, post, {"dishes": [{"id": other.pk}]}), 400, "invalid")
        assert list(answer["errors"]) == ["dishes"]
        assert Dish.objects.filter(post=other.post).exists()

    def test_a_dish_named_twice_is_refused(self, ana: APIClient, post: Post) -> None:
        [first, _] = ana.get(address(post)).json()["dishes"]
        problem(edit(ana, post, {"dishes": [first, first]}), 400, "invalid")


class TestRefused:
    """Nothing changes, and the answer says which field."""

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"text": "", "dishes": []}, "text"),
            ({"text": "\u200b", "dishes": []}, "text"),
            ({"text": None}, "text"),
            ({"text": "a\x00b"}, "text"),
            ({"text": "x" * 2001}, "text"),
            ({"day": "2026-02-30"}, "day"),
            ({"day": "1999-12-31"}, "day"),
            ({"dishes": None}, "dishes"),
            ({"dishes": [NEW] * 51}, "dishes"),
            ({"dishes": ["soup"]}, "dishes"),
            ({"dishes": [{"name": "Soup"}]}, "dishes"),
            ({"dishes": [{"price": "3"}]}, "dishes"),
            ({"dishes": [NEW | {"price": "0"}]}, "dishes"),
            ({"dishes": [NEW | {"name": "\u200b"}]}, "dishes"),
            ({"text": "Kept?", "dishes": [NEW | {"currency": "euro"}]}, "dishes"),
        ],
    )
    def test_a_field(self, ana: APIClient, post: Post, body: dict[str, Any], field: str) -> None:
        before = ana.get(address(post)).json()
        answer = problem(edit(ana, post, body), 400, "invalid")
        assert list(answer["errors"]) == [field]
        assert ana.get(address(post)).json() == before

    def test_the_text_of_a_menu_without_dishes_cannot_go(self, cast: Cast, ana: APIClient) -> None:
        post = PostFactory(author=cast.ana, dishes=[])
        problem(edit(ana, post, {"text": ""}), 400, "invalid")

    @pytest.mark.parametrize("body", [b"[]", b"null", b"{", b'{"text": "\\ud800"}', b"7"])
    def test_a_body_that_is_no_edit(self, ana: APIClient, post: Post, body: bytes) -> None:
        problem(ana.patch(address(post), body, content_type="application/json"), 400, "invalid")


class TestWhose:
    def test_not_somebody_elses(self, cast: Cast, api: Api, post: Post) -> None:
        for account in (cast.carla, cast.maria, cast.stef):
            problem(edit(api(account), post, {"text": "Mine now."}), 403, "forbidden")
        problem(edit(api(None), post, {"text": "Mine now."}), 401, "not_authenticated")
        assert Post.objects.get().text == post.text

    def test_not_what_may_not_be_seen(self, cast: Cast, api: Api) -> None:
        post = PostFactory(author=AccountFactory(cook=True, private=True))
        problem(edit(api(cast.maria), post, {"text": "Mine now."}), 404, "not_found")

    def test_not_what_is_deleted(self, ana: APIClient, post: Post) -> None:
        ana.delete(address(post))
        problem(edit(ana, post, {"text": "Back?"}), 404, "not_found")

    @pytest.mark.parametrize("post_id", ["0", "1", str(2**53), str(2**63), "9" * 40])
    def test_no_such_menu(self, ana: APIClient, post_id: str) -> None:
        problem(ana.patch(address(post_id), {"text": "soup"}, format="json"), 404, "not_found")
