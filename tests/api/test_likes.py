"""PUT and DELETE /posts/{id}/like, and what of it a menu shows."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from posts.models import Like, Post
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory

Api = Callable[[Account | None], APIClient]


@pytest.fixture
def carla(cast: Cast, api: Api) -> APIClient:
    return api(cast.carla)


def menu(post: Post | int | str) -> str:
    return f"/api/v1/posts/{post.pk if isinstance(post, Post) else post}"


def like(post: Post | int | str) -> str:
    return f"{menu(post)}/like"


def test_a_like_shows_in_ones_own_next_read_and_in_nobody_elses(
    cast: Cast, carla: APIClient, api: Api
) -> None:
    post = PostFactory(author=cast.ana)
    assert carla.get(menu(post)).json()["liked"] is False
    assert carla.put(like(post)).status_code == 204
    assert carla.get(menu(post)).json()["liked"] is True
    assert api(cast.ana).get(menu(post)).json()["liked"] is False
    assert carla.delete(like(post)).status_code == 204
    assert carla.get(menu(post)).json()["liked"] is False


def test_repeats_are_harmless(cast: Cast, carla: APIClient) -> None:
    post = PostFactory(author=cast.ana)
    for _ in range(3):
        assert carla.put(like(post)).status_code == 204
        assert Like.objects.count() == 1
    for _ in range(3):
        assert carla.delete(like(post)).status_code == 204
        assert Like.objects.count() == 0


def test_a_cook_may_like_her_own_and_an_edit_answers_so(cast: Cast, api: Api) -> None:
    post, ana = PostFactory(author=cast.ana), api(cast.ana)
    ana.put(like(post))
    assert ana.patch(menu(post), {"text": "Still warm."}, format="json").json()["liked"] is True


def test_what_may_not_be_seen_is_not_there(cast: Cast, carla: APIClient) -> None:
    post = PostFactory(author=AccountFactory(cook=True, private=True))
    problem(carla.put(like(post)), 404, "not_found")
    problem(carla.delete(like(post)), 404, "not_found")
    assert not Like.objects.exists()


def test_a_like_may_be_taken_back_from_a_menu_that_is_out_of_sight(cast: Cast, carla: APIClient) -> None:
    shy = AccountFactory(cook=True, private=True)
    follow = FollowFactory(follower=cast.carla, followee=shy)
    post = PostFactory(author=shy)
    assert carla.put(like(post)).status_code == 204
    follow.delete()
    problem(carla.put(like(post)), 404, "not_found")
    assert carla.delete(like(post)).status_code == 204
    problem(carla.delete(like(post)), 404, "not_found")


def test_a_deleted_menu_takes_its_likes_along(cast: Cast, carla: APIClient, api: Api) -> None:
    post = PostFactory(author=cast.ana)
    carla.put(like(post))
    assert api(cast.ana).delete(menu(post)).status_code == 204
    problem(carla.put(like(post)), 404, "not_found")
    problem(carla.delete(like(post)), 404, "not_found")
    assert not Like.objects.exists()


@pytest.mark.parametrize("post_id", ["0", "1", str(2**53), str(2**63), "9" * 40, "-1", "x", "%00"])
def test_no_such_menu(carla: APIClient, post_id: str) -> None:
    for method in ("put", "delete"):
        problem(getattr(carla, method)(like(post_id)), 404, "not_found")


def test_nobody_signed_out_likes(cast: Cast, api: Api) -> None:
    post = PostFactory(author=cast.ana)
    for method in ("put", "delete"):
        problem(getattr(api(None), method)(like(post)), 401, "not_authenticated")


@pytest.mark.parametrize("method", ["get", "post", "patch"])
def test_wrong_methods(carla: APIClient, method: str) -> None:
    problem(getattr(carla, method)(like(1)), 405, "method_not_allowed")
