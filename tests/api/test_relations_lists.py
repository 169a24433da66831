"""Pages of accounts and requests: their shape, order, end, cost and what they leave out."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from social.models import Account, Block, Follow, FollowRequest, Mute
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, FollowFactory

Api = Callable[[Account | None], APIClient]
BASE = "/api/v1"
# Of a list: its address, and how an account gets into it.
LISTS: dict[str, tuple[str, Callable[[Account, Account], Any]]] = {
    "followers": ("accounts/{own}/followers", lambda own, other: FollowFactory(follower=other, followee=own)),
    "following": ("accounts/{own}/following", lambda own, other: FollowFactory(follower=own, followee=other)),
    "blocks": ("blocks", lambda own, other: Block.objects.create(blocker=own, blocked=other)),
    "mutes": ("mutes", lambda own, other: Mute.objects.create(muter=own, muted=other)),
    "follow-requests": (
        "follow-requests",
        lambda own, other: FollowRequest.objects.create(follower=other, followee=own),
    ),
}


def address_of(name: str, own: Account) -> str:
    return f"{BASE}/{LISTS[name][0].format(own=own.pk)}"


def fill(name: str, own: Account, count: int) -> list[int]:
    """Ids in the order they should be listed."""
    others = Account.objects.bulk_create(AccountFactory.build_batch(count))
    for other in others:
        LISTS[name][1](own, other)
    return [other.pk for other in reversed(others)]


def items_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    [items] = [value for key, value in body.items() if key != "next_cursor"]
    return items


def walk(client: APIClient, address: str, limit: int) -> Iterator[int]:
    sign = "&" if "?" in address else "?"
    body = client.get(f"{address}{sign}limit={limit}").json()
    for _ in range(1000):
        yield from (item["id"] for item in items_of(body))
        if body["next_cursor"] is None:
            return
        body = client.get(f"{address}{sign}limit={limit}&cursor={body['next_cursor']}").json()
    pytest.fail("the list has no end")


@pytest.mark.parametrize("name", LISTS)
class TestEach:
    @pytest.mark.parametrize("count", [0, 1, 4, 5, 8])
    def test_it_is_paged_to_the_end_newest_first(self, cast: Cast, api: Api, name: str, count: int) -> None:
        wanted = fill(name, cast.sam, count)
        for limit in (1, 4, 100):
            assert list(walk(api(cast.sam), address_of(name, cast.sam), limit)) == wanted

    def test_its_shape(self, cast: Cast, api: Api, name: str) -> None:
        fill(name, cast.sam, 2)
        response = api(cast.sam).get(f"{address_of(name, cast.sam)}?limit=1")
        body = response.json()
        key = "requests" if name == "follow-requests" else "accounts"
        assert list(body) == [key, "next_cursor"]
        assert response["Cache-Control"] == "private, no-store"
        assert body["next_cursor"] in response["Link"]
        [item] = body[key]
        if key == "requests":
            assert list(item) == ["id", "account", "created_at"]
            assert item["id"] == item["account"]["id"]
            item = item["account"]
        assert item == api(cast.sam).get(f"{BASE}/accounts/{item['id']}").json()

    def test_it_leaves_out_who_is_gone_or_blocks_the_viewer(self, cast: Cast, api: Api, name: str) -> None:
        kept, gone, blocking = fill(name, cast.sam, 3)
        Account.objects.filter(pk=gone).update(is_active=False)
        Block.objects.create(blocker_id=blocking, blocked=cast.sam)
        assert list(walk(api(cast.sam), address_of(name, cast.sam), 1)) == [kept]

    def test_it_costs_the_same_for_3_and_for_300(self, cast: Cast, api: Api, name: str) -> None:
        counts = []
        for more in (3, 297):
            fill(name, cast.sam, more)
            client = api(cast.sam)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"{address_of(name, cast.sam)}?limit=100").status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1]
        assert counts[0] <= 5

    @pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "", "1.5", "9" * 30, "١"])
    def test_a_limit_that_is_not_right(self, cast: Cast, api: Api, name: str, limit: str) -> None:
        body = problem(api(cast.sam).get(f"{address_of(name, cast.sam)}?limit={limit}"), 400, "invalid")
        assert list(body["errors"]) == ["limit"]

    def test_a_cursor_of_another_list_or_reader(self, cast: Cast, api: Api, name: str) -> None:
        fill(name, cast.sam, 2)
        fill(name, cast.carla, 2)
        address = address_of(name, cast.sam)
        cursor = api(cast.sam).get(f"{address}?limit=1").json()["next_cursor"]
        wrong = [cursor[:-1], cursor + "A", "", "x", "%00", "%ED%A0%80", "!!!!"]
        wrong.append(api(cast.carla).get(f"{address_of(name, cast.carla)}?limit=1").json()["next_cursor"])
        for other in wrong:
            problem(api(cast.sam).get(f"{address}?cursor={other}"), 400, "invalid_cursor")
        problem(api(cast.sam).get(f"{BASE}/feed?cursor={cursor}"), 400, "invalid_cursor")

    def test_a_cursor_outlives_the_row_it_stands_on(self, cast: Cast, api: Api, name: str) -> None:
        wanted = fill(name, cast.sam, 3)
        address = address_of(name, cast.sam)
        cursor = api(cast.sam).get(f"{address}?limit=1").json()["next_cursor"]
        for table in (Follow, Block, Mute, FollowRequest):
            table.objects.order_by("-pk")[:1].get().delete() if table.objects.exists() else None
        rest = items_of(api(cast.sam).get(f"{address}?cursor={cursor}").json())
        assert [item["id"] for item in rest if item["id"] in wanted] == wanted[1:]


class TestFollowersOfOthers:
    def test_those_of_a_private_account_are_for_its_followers(self, cast: Cast, api: Api) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
        for path in ("followers", "following"):
            address = f"{BASE}/accounts/{cast.ana.pk}/{path}"
            problem(api(cast.sam).get(address), 404, "not_found")
            assert api(cast.carla).get(address).status_code == 200
            assert api(cast.ana).get(address).status_code == 200

    def test_whom_the_viewer_blocks_is_left_out(self, cast: Cast, api: Api) -> None:
        Block.objects.create(blocker=cast.sam, blocked=cast.carla)
        address = f"{BASE}/accounts/{cast.ana.pk}/followers"
        assert list(walk(api(cast.sam), address, 20)) == []
        assert list(walk(api(cast.stef), address, 20)) == [cast.carla.pk]


class TestSearch:
    def found(self, client: APIClient, query: str) -> set[str]:
        names = {account.pk: account.username for account in Account.objects.all()}
        return {names[pk] for pk in walk(client, f"{BASE}/accounts?{query}", 3)}

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("username=ana", {"ana"}),
            ("username=ANA", {"ana"}),
            ("username=an", set()),
            ("username=", set()),
            ("q=ari", {"maria"}),
            ("q=porto+ana", {"ana"}),
            ("q=@ana", {"ana"}),
            ("q=%25", set()),
            ("city=porto", {"ana", "maria"}),
            ("city=port", set()),
            ("cuisine=Portuguese&q=mar", {"maria"}),
            ("cuisine=portuguese&city=Lisboa", set()),
        ],
    )
    def test_by_name_city_and_cuisine(self, cast: Cast, api: Api, query: str, names: set[str]) -> None:
        Account.objects.filter(username__startswith="guest").update(is_cook=False, city="", cuisine="")
        assert self.found(api(cast.sam), query) == names

    def test_without_words_everybody_newest_first(self, cast: Cast, api: Api) -> None:
        wanted = list(Account.objects.order_by("-pk").values_list("pk", flat=True))
        assert list(walk(api(cast.sam), f"{BASE}/accounts", 2)) == wanted

    @pytest.mark.parametrize("name", ["username", "q", "city", "cuisine"])
    @pytest.mark.parametrize("value", ["a%00b", "x" * 200])
    def test_what_is_not_right(self, cast: Cast, api: Api, name: str, value: str) -> None:
        body = problem(api(cast.sam).get(f"{BASE}/accounts?{name}={value}"), 400, "invalid")
        assert list(body["errors"]) == [name]

    def test_bytes_that_are_no_text_are_no_error(self, cast: Cast, api: Api) -> None:
        assert api(cast.sam).get(f"{BASE}/accounts?q=%FF%ED%A0%80").status_code in (200, 400)

    def test_it_costs_the_same_for_3_and_for_300(self, cast: Cast, api: Api) -> None:
        counts = []
        for more in (3, 297):
            AccountFactory.create_batch(more)
            with CaptureQueriesContext(connection) as queries:
                api(cast.sam).get(f"{BASE}/accounts?limit=100&q=guest")
            counts.append(len(queries))
        assert counts[0] == counts[1] <= 3
