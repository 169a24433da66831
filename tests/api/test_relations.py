"""Following, asking, blocking, muting by the API: what each answers, and what is seen before and after."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from social.models import Account, Block, Follow, FollowRequest, Mute
from social.services.mutes import LONGEST_MUTE
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import raw_sql

Api = Callable[[Account | None], APIClient]
BASE = "/api/v1"
RELATIONS = ["follows", "blocks", "mutes", "follow-requests", "followers"]


def answer(client: APIClient, method: str, path: str, body: Any = None) -> int:
    return getattr(client, method)(f"{BASE}/{path}", body, format="json").status_code


def make_private(account: Account) -> None:
    Account.objects.filter(pk=account.pk).update(is_private=True)


def relation(client: APIClient, account: Account) -> set[str]:
    """What holds between the two, as the account's page says it."""
    body = client.get(f"{BASE}/accounts/{account.pk}").json()
    return {name for name, holds in body["relation"].items() if holds}


def sees(client: APIClient, account: Account, post_id: int) -> dict[str, bool]:
    """On which surfaces something of the account is seen."""
    feed = client.get(f"{BASE}/feed").json()["posts"]
    return {
        "feed": post_id in [post["id"] for post in feed],
        "menu": client.get(f"{BASE}/posts/{post_id}").status_code == 200,
        "account": client.get(f"{BASE}/accounts/{account.pk}").status_code == 200,
        "search": bool(client.get(f"{BASE}/accounts?username={account.username}").json()["accounts"]),
        "followers": client.get(f"{BASE}/accounts/{account.pk}/followers").status_code == 200,
    }


EVERYWHERE = {"feed": True, "menu": True, "account": True, "search": True, "followers": True}
NOWHERE = dict.fromkeys(EVERYWHERE, False)
NOT_IN_THE_FEED = EVERYWHERE | {"feed": False}
ONLY_THE_ACCOUNT = NOWHERE | {"account": True, "search": True}


class TestWhoSeesWhat:
    """carla follows ana, sam does not; each change shows in the very next read of both."""

    @pytest.mark.parametrize(
        ("who", "method", "path", "carla_before", "carla_after", "sam_before", "sam_after"),
        [
            ("carla", "delete", "follows/{ana}", EVERYWHERE, NOT_IN_THE_FEED, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("sam", "put", "follows/{ana}", EVERYWHERE, EVERYWHERE, NOT_IN_THE_FEED, EVERYWHERE),
            ("carla", "put", "mutes/{ana}", EVERYWHERE, NOT_IN_THE_FEED, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("carla", "put", "blocks/{ana}", EVERYWHERE, ONLY_THE_ACCOUNT, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("ana", "put", "blocks/{carla}", EVERYWHERE, NOWHERE, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("ana", "put", "mutes/{carla}", EVERYWHERE, EVERYWHERE, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("ana", "put", "blocks/{sam}", EVERYWHERE, EVERYWHERE, NOT_IN_THE_FEED, NOWHERE),
            ("ana", "delete", "followers/{carla}", EVERYWHERE, NOT_IN_THE_FEED, NOT_IN_THE_FEED, NOT_IN_THE_FEED),
            ("ana", "patch private", "me", EVERYWHERE, EVERYWHERE, NOT_IN_THE_FEED, ONLY_THE_ACCOUNT),
            ("ana", "delete", "me", EVERYWHERE, NOWHERE, NOT_IN_THE_FEED, NOWHERE),
        ],
    )  # fmt: skip
    def test_before_and_after(
        self, cast: Cast, api: Api, settle: Callable[[], None], who: str, method: str, path: str,
        carla_before: dict[str, bool], carla_after: dict[str, bool],
        sam_before: dict[str, bool], sam_after: dict[str, bool],
    ) -> None:  # fmt: skip
        post_id = PostFactory(author=cast.ana).pk
        carla, sam = api(cast.carla), api(cast.sam)
        settle()
        for _ in range(2):  # the second is served from what the first has stored
            assert sees(carla, cast.ana, post_id) == carla_before
            assert sees(sam, cast.ana, post_id) == sam_before
        method, *private = method.split()
        path = path.format(ana=cast.ana.pk, carla=cast.carla.pk, sam=cast.sam.pk)
        status = answer(api(getattr(cast, who)), method, path, {"is_private": True} if private else None)
        assert status in (200, 204)
        for _ in range(2):
            assert sees(carla, cast.ana, post_id) == carla_after
            assert sees(sam, cast.ana, post_id) == sam_after
        settle()
        assert sees(carla, cast.ana, post_id) == carla_after

    def test_signed_out_nobody_is_told_anything(self, cast: Cast, api: Api) -> None:
        for path in ("me", "accounts", "blocks", "mutes", "follow-requests", f"accounts/{cast.ana.pk}"):
            problem(api(None).get(f"{BASE}/{path}"), 401, "not_authenticated")
        for name in RELATIONS:
            problem(api(None).delete(f"{BASE}/{name}/{cast.ana.pk}"), 401, "not_authenticated")

    def test_the_account_says_what_is_between_the_two(self, cast: Cast, api: Api) -> None:
        carla, ana = api(cast.carla), api(cast.ana)
        assert (relation(carla, cast.ana), relation(ana, cast.carla)) == ({"following"}, {"followed_by"})
        answer(carla, "put", f"mutes/{cast.ana.pk}")
        assert relation(carla, cast.ana) == {"following", "muting"}
        answer(carla, "put", f"blocks/{cast.ana.pk}")
        assert relation(carla, cast.ana) == {"blocking", "muting"}
        make_private(cast.maria)
        answer(api(cast.sam), "put", f"follows/{cast.maria.pk}")
        assert relation(api(cast.sam), cast.maria) == {"requested"}
        assert relation(api(cast.sam), cast.carla) == set()

    def test_counts_are_true(self, cast: Cast, api: Api) -> None:
        body = api(cast.sam).get(f"{BASE}/accounts/{cast.carla.pk}").json()
        assert (body["following_count"], body["follower_count"]) == (2, 0)


class TestRepeats:
    @pytest.mark.parametrize("name", ["follows", "blocks", "mutes"])
    def test_all_are_204_and_one_row(self, cast: Cast, api: Api, name: str) -> None:
        client, table = api(cast.sam), {"follows": Follow, "blocks": Block, "mutes": Mute}[name]
        before = table.objects.count()  # type: ignore[attr-defined]
        for method, rows in (("put", 1), ("put", 1), ("delete", 0), ("delete", 0)):
            response = getattr(client, method)(f"{BASE}/{name}/{cast.ana.pk}")
            assert (response.status_code, response.content) == (204, b"")
            assert table.objects.count() == before + rows  # type: ignore[attr-defined]

    def test_asking_twice_is_202_and_one_request(self, cast: Cast, api: Api) -> None:
        make_private(cast.ana)
        for _ in range(2):
            response = api(cast.sam).put(f"{BASE}/follows/{cast.ana.pk}")
            assert (response.status_code, response.json()) == (202, {"status": "requested"})
        assert FollowRequest.objects.count() == 1
        assert answer(api(cast.carla), "put", f"follows/{cast.ana.pk}") == 204  # follows already
        for _ in range(2):
            assert answer(api(cast.sam), "delete", f"follows/{cast.ana.pk}") == 204
        assert not FollowRequest.objects.exists()

    def test_accepting_and_rejecting_twice(self, cast: Cast, api: Api) -> None:
        make_private(cast.ana)
        answer(api(cast.sam), "put", f"follows/{cast.ana.pk}")
        for _ in range(2):
            assert answer(api(cast.ana), "put", f"follow-requests/{cast.sam.pk}") == 204
        assert Follow.objects.filter(follower=cast.sam, followee=cast.ana).count() == 1
        for _ in range(2):
            assert answer(api(cast.ana), "delete", f"followers/{cast.sam.pk}") == 204
        assert answer(api(cast.ana), "put", f"follow-requests/{cast.sam.pk}") == 404
        answer(api(cast.sam), "put", f"follows/{cast.ana.pk}")
        for _ in range(2):
            assert answer(api(cast.ana), "delete", f"follow-requests/{cast.sam.pk}") == 204
        assert not Follow.objects.filter(follower=cast.sam).exists()


class TestTargets:
    @pytest.mark.parametrize("name", RELATIONS)
    def test_oneself_is_no_target(self, cast: Cast, api: Api, name: str) -> None:
        for method in ("put", "delete") if name != "followers" else ("delete",):
            problem(getattr(api(cast.sam), method)(f"{BASE}/{name}/{cast.sam.pk}"), 400, "self_target")

    @pytest.mark.parametrize("name", RELATIONS)
    @pytest.mark.parametrize("account_id", ["0", str(2**31), str(2**63), "9" * 30, "x", "-1"])
    def test_nobody_is_404(self, cast: Cast, api: Api, name: str, account_id: str) -> None:
        for method in ("put", "delete") if name != "followers" else ("delete",):
            problem(getattr(api(cast.sam), method)(f"{BASE}/{name}/{account_id}"), 404, "not_found")

    @pytest.mark.parametrize("hidden", ["inactive", "blocking"])
    def test_who_is_not_to_be_seen_is_404_for_writes_too(self, cast: Cast, api: Api, hidden: str) -> None:
        if hidden == "inactive":
            Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
        else:
            Block.objects.create(blocker=cast.ana, blocked=cast.sam)
        client = api(cast.sam)
        for name in RELATIONS:
            for method in ("put", "delete") if name != "followers" else ("delete",):
                problem(getattr(client, method)(f"{BASE}/{name}/{cast.ana.pk}"), 404, "not_found")
        for path in ("", "/followers", "/following"):
            problem(client.get(f"{BASE}/accounts/{cast.ana.pk}{path}"), 404, "not_found")

    def test_what_was_there_can_be_cleaned_up_though_the_account_is_gone(self, cast: Cast, api: Api) -> None:
        client = api(cast.carla)
        Block.objects.create(blocker=cast.carla, blocked=cast.sam)
        Mute.objects.create(muter=cast.carla, muted=cast.ana)
        Follow.objects.create(follower=cast.maria, followee=cast.carla)
        Account.objects.filter(pk__in=[cast.ana.pk, cast.sam.pk, cast.maria.pk]).update(is_active=False)
        gone = (
            f"blocks/{cast.sam.pk}", f"mutes/{cast.ana.pk}", f"follows/{cast.ana.pk}",
            f"followers/{cast.maria.pk}", f"follows/{cast.maria.pk}",
        )  # fmt: skip
        for path in gone:
            assert answer(client, "delete", path) == 204, path
            assert answer(client, "delete", path) == 404, path

    def test_following_whom_one_blocks_asks_to_unblock_first(self, cast: Cast, api: Api) -> None:
        answer(api(cast.carla), "put", f"blocks/{cast.ana.pk}")
        body = problem(api(cast.carla).put(f"{BASE}/follows/{cast.ana.pk}"), 403, "forbidden")
        assert "Unblock first" in body["detail"]
        assert answer(api(cast.carla), "delete", f"blocks/{cast.ana.pk}") == 204
        assert relation(api(cast.carla), cast.ana) == set()  # unblocking restores nothing
        assert answer(api(cast.carla), "put", f"follows/{cast.ana.pk}") == 204

    def test_a_block_back_does_not_spoil_a_repeat(self, cast: Cast, api: Api) -> None:
        Block.objects.create(blocker=cast.ana, blocked=cast.sam)
        Block.objects.create(blocker=cast.sam, blocked=cast.ana)
        assert answer(api(cast.sam), "put", f"blocks/{cast.ana.pk}") == 204
        assert answer(api(cast.sam), "delete", f"blocks/{cast.ana.pk}") == 204
        assert answer(api(cast.sam), "put", f"blocks/{cast.ana.pk}") == 404

    def test_a_block_ends_requests_both_ways(self, cast: Cast, api: Api) -> None:
        make_private(cast.ana)
        make_private(cast.sam)
        assert answer(api(cast.sam), "put", f"follows/{cast.ana.pk}") == 202
        assert answer(api(cast.ana), "put", f"follows/{cast.sam.pk}") == 202
        answer(api(cast.ana), "put", f"blocks/{cast.sam.pk}")
        assert not FollowRequest.objects.exists()
        assert answer(api(cast.ana), "put", f"follow-requests/{cast.sam.pk}") == 404


class TestMutes:
    @pytest.mark.parametrize(
        "body", [None, {}, {"expires_in": None}, {"expires_in": 1}, {"expires_in": LONGEST_MUTE}]
    )
    def test_a_body_is_optional(self, cast: Cast, api: Api, body: Any) -> None:
        assert answer(api(cast.carla), "put", f"mutes/{cast.ana.pk}", body) == 204
        seconds = (body or {}).get("expires_in")
        [[left]] = raw_sql("SELECT extract(epoch FROM expires_at - created_at) FROM social_mute")
        assert (left is None) if seconds is None else abs(float(left) - seconds) < 1

    def test_repeating_replaces_the_end(self, cast: Cast, api: Api) -> None:
        for body in ({"expires_in": 60}, {"expires_in": 3600}, {}, {"expires_in": 1}):
            answer(api(cast.carla), "put", f"mutes/{cast.ana.pk}", body)
        raw_sql("SELECT pg_sleep(1.1)")
        assert relation(api(cast.carla), cast.ana) == {"following"}
        assert api(cast.carla).get(f"{BASE}/mutes").json()["accounts"] == []

    @pytest.mark.parametrize("seconds", [0, -1, LONGEST_MUTE + 1, 10**30, "soon", 1.5, True, [], "1\x00"])
    def test_nonsense_is_refused(self, cast: Cast, api: Api, seconds: Any) -> None:
        response = api(cast.carla).put(f"{BASE}/mutes/{cast.ana.pk}", {"expires_in": seconds}, format="json")
        assert list(problem(response, 400, "invalid")["errors"]) == ["expires_in"]
        assert not Mute.objects.exists()

    def test_a_body_that_is_no_object(self, cast: Cast, api: Api) -> None:
        problem(api(cast.carla).put(f"{BASE}/mutes/{cast.ana.pk}", [1], format="json"), 400, "invalid")


class TestPrivacy:
    def test_going_public_accepts_who_asks(self, cast: Cast, api: Api, settle: Callable[[], None]) -> None:
        make_private(cast.ana)
        post_id = PostFactory(author=cast.ana).pk
        guests = AccountFactory.create_batch(5)
        for guest in guests:
            assert answer(api(guest), "put", f"follows/{cast.ana.pk}") == 202
            assert sees(api(guest), cast.ana, post_id) == ONLY_THE_ACCOUNT
        settle()
        assert answer(api(cast.ana), "patch", "me", {"is_private": False}) == 200
        for guest in guests:
            assert sees(api(guest), cast.ana, post_id) == EVERYWHERE
        assert not FollowRequest.objects.exists()
        assert answer(api(cast.ana), "patch", "me", {"is_private": True}) == 200
        assert Follow.objects.filter(followee=cast.ana).count() == 6

    def test_accepted_one_sees_the_menus_of_before(self, cast: Cast, api: Api) -> None:
        post_id = PostFactory(author=cast.ana).pk
        make_private(cast.ana)
        sam = api(cast.sam)
        answer(sam, "put", f"follows/{cast.ana.pk}")
        assert sees(sam, cast.ana, post_id) == ONLY_THE_ACCOUNT
        answer(api(cast.ana), "put", f"follow-requests/{cast.sam.pk}")
        assert sees(sam, cast.ana, post_id) == EVERYWHERE
