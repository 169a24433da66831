"""GET /accounts/{id}/posts."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from posts.ids import draw_post_ids
from posts.models import Post
from posts.services import delete_post, like_post
from social.models import Account, Block
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, FollowFactory, PhotoFactory, PostFactory
from tests.feeds.helpers import query_count

Api = Callable[[Account | None], APIClient]


@pytest.fixture
def carla(cast: Cast, api: Api) -> APIClient:
    return api(cast.carla)


def address(account: Account | int | str, query: str = "") -> str:
    return f"/api/v1/accounts/{account.pk if isinstance(account, Account) else account}/posts{query}"


def write(author: Account, count: int) -> list[int]:
    """Ids of so many menus, newest first."""
    ids = draw_post_ids(count)
    Post.objects.bulk_create(Post(pk=i, author=author, text=f"menu {i}") for i in ids)
    return ids[::-1]


def pages(client: APIClient, account: Account, limit: int) -> Iterator[Any]:
    following: str | None = address(account, f"?limit={limit}")
    while following:
        response = client.get(following)
        assert response.status_code == 200
        yield response.json()
        cursor = response.json()["next_cursor"]
        following = address(account, f"?limit={limit}&cursor={cursor}") if cursor else None


def walk(client: APIClient, account: Account, limit: int) -> list[int]:
    return [post["id"] for page in pages(client, account, limit) for post in page["posts"]]


class TestPaging:
    @pytest.mark.parametrize("count", [0, 1, 3, 4, 6])
    @pytest.mark.parametrize("limit", [1, 3, 100])
    def test_following_the_cursor_gives_every_menu_once_newest_first(
        self, cast: Cast, carla: APIClient, count: int, limit: int
    ) -> None:
        wanted = write(cast.ana, count)
        write(cast.maria, 2)
        assert walk(carla, cast.ana, limit) == wanted

    def test_twenty_at_a_time_unless_said(self, cast: Cast, carla: APIClient) -> None:
        wanted = write(cast.ana, 21)
        response = carla.get(address(cast.ana))
        assert [post["id"] for post in response.json()["posts"]] == wanted[:20]
        assert response["Cache-Control"] == "private, no-store"
        [link, rel] = response["Link"].split("; ")
        assert rel == 'rel="next"'
        last = carla.get(link.strip("<>"))
        assert [post["id"] for post in last.json()["posts"]] == wanted[20:]
        assert last.json()["next_cursor"] is None
        assert "Link" not in last

    def test_the_menu_a_cursor_stands_on_may_go(self, cast: Cast, carla: APIClient) -> None:
        wanted = write(cast.ana, 4)
        cursor = carla.get(address(cast.ana, "?limit=2")).json()["next_cursor"]
        delete_post(actor=cast.ana, post_id=wanted[1])
        write(cast.ana, 2)
        body = carla.get(address(cast.ana, f"?limit=2&cursor={cursor}")).json()
        assert [post["id"] for post in body["posts"]] == wanted[2:]

    @pytest.mark.parametrize("limit", ["0", "-1", "101", "x", "1.5", "", "%00", "9" * 30])
    def test_a_limit_that_is_not_right(self, cast: Cast, carla: APIClient, limit: str) -> None:
        answer = problem(carla.get(address(cast.ana, f"?limit={limit}")), 400, "invalid")
        assert list(answer["errors"]) == ["limit"]

    @pytest.mark.parametrize("cursor", ["", "x", "!!!!", "AAAA", "%00", "%ff", "٣", "A" * 500])
    def test_a_damaged_cursor(self, cast: Cast, carla: APIClient, cursor: str) -> None:
        problem(carla.get(address(cast.ana, f"?cursor={cursor}")), 400, "invalid_cursor")

    def test_a_cursor_of_another_reader_account_or_list(self, cast: Cast, carla: APIClient, api: Api) -> None:
        write(cast.ana, 2)
        write(cast.maria, 2)
        cursor = carla.get(address(cast.ana, "?limit=1")).json()["next_cursor"]
        of_feed = carla.get("/api/v1/feed?limit=1").json()["next_cursor"]
        problem(api(cast.sam).get(address(cast.ana, f"?cursor={cursor}")), 400, "invalid_cursor")
        problem(carla.get(address(cast.maria, f"?cursor={cursor}")), 400, "invalid_cursor")
        problem(carla.get(f"/api/v1/feed?cursor={cursor}"), 400, "invalid_cursor")
        problem(carla.get(address(cast.ana, f"?cursor={of_feed}")), 400, "invalid_cursor")


class TestPosts:
    def test_they_are_as_on_their_own_with_ones_own_likes(self, cast: Cast, carla: APIClient) -> None:
        liked, other = PostFactory(author=cast.ana, photos=[PhotoFactory()]), PostFactory(author=cast.ana)
        like_post(account=cast.carla, post_id=liked.pk)
        like_post(account=cast.sam, post_id=other.pk)
        posts = carla.get(address(cast.ana)).json()["posts"]
        assert [post["liked"] for post in posts] == [False, True]
        assert posts == [carla.get(f"/api/v1/posts/{post.pk}").json() for post in (other, liked)]

    def test_twenty_cost_what_one_costs(self, cast: Cast, carla: APIClient) -> None:
        PostFactory(author=cast.ana, photos=[PhotoFactory()])
        one = query_count(lambda: carla.get(address(cast.ana)))
        for _ in range(19):
            PostFactory(author=cast.ana, photos=[PhotoFactory()])
        assert query_count(lambda: carla.get(address(cast.ana))) == one <= 6


class TestWhose:
    def test_of_a_private_account_only_its_followers_see_any(self, cast: Cast, carla: APIClient) -> None:
        shy = AccountFactory(cook=True, private=True)
        wanted = write(shy, 2)
        assert carla.get(address(shy)).json() == {"posts": [], "next_cursor": None}
        FollowFactory(follower=cast.carla, followee=shy)
        assert walk(carla, shy, 1) == wanted

    def test_of_an_account_that_one_blocks_there_are_none(self, cast: Cast, carla: APIClient) -> None:
        write(cast.ana, 1)
        Block.objects.create(blocker=cast.carla, blocked=cast.ana)
        assert walk(carla, cast.ana, 1) == []

    def test_an_account_that_may_not_be_known_is_not_there(self, cast: Cast, carla: APIClient) -> None:
        Block.objects.create(blocker=cast.ana, blocked=cast.carla)
        Account.objects.filter(pk=cast.maria.pk).update(is_active=False)
        for account in (cast.ana, cast.maria):
            problem(carla.get(address(account)), 404, "not_found")

    @pytest.mark.parametrize("account_id", ["0", "999999999", str(2**63), "9" * 40, "x", "-1"])
    def test_no_such_account(self, carla: APIClient, account_id: str) -> None:
        problem(carla.get(address(account_id)), 404, "not_found")

    def test_nobody_signed_out(self, cast: Cast, api: Api) -> None:
        problem(api(None).get(address(cast.ana)), 401, "not_authenticated")
