"""Sign-up, sign-in, follows."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from feeds.counts import recount_followers
from social.authentication import token_pair
from social.models import Account, Follow
from tests.api.test_feed import problem
from tests.factories import PASSWORD, AccountFactory, Cast
from tests.feeds.helpers import in_threads

Api = Callable[[Account | None], APIClient]
ACCOUNTS, TOKEN, FOLLOWS = "/api/v1/accounts", "/api/v1/auth/token", "/api/v1/follows"
GUEST = {"username": "rita", "password": "stew-for-seven", "display_name": "Rita"}


def sign_up(client: APIClient, **fields: Any) -> Any:
    return client.post(ACCOUNTS, GUEST | fields, format="json")


class TestSignUp:
    def test_it_answers_with_the_account(self, cast: Cast, api: Api) -> None:
        response = sign_up(api(None), is_cook=True, email="rita@example.org")
        assert response.status_code == 201
        assert response["Cache-Control"] == "private, no-store"
        body = response.json()
        assert body == {
            "id": Account.objects.get(username="rita").pk,
            "username": "rita",
            "display_name": "Rita",
            "bio": "",
            "city": "",
            "cuisine": "",
            "avatar_url": None,
            "order_url": None,
            "is_cook": True,
            "is_private": False,
            "follower_count": 0,
            "following_count": 0,
            "relation": {
                "following": False, "requested": False, "followed_by": False, "blocking": False, "muting": False,
            },
        }  # fmt: skip

    def test_the_new_account_can_sign_in_and_read(self, cast: Cast, api: Api) -> None:
        client = api(None)
        sign_up(client)
        tokens = client.post(TOKEN, {"username": "RITA", "password": GUEST["password"]}, format="json").json()
        for scheme in ("Bearer", "bearer"):  # HTTP's schemes have no case
            client.credentials(HTTP_AUTHORIZATION=f"{scheme} {tokens['access']}")
            assert client.get("/api/v1/feed").json()["posts"] == []

    def test_without_a_display_name_it_is_the_username(self, cast: Cast, api: Api) -> None:
        client = api(None)
        body = client.post(
            ACCOUNTS, {"username": "rita", "password": GUEST["password"]}, format="json"
        ).json()
        assert (body["display_name"], body["is_cook"]) == ("rita", False)

    def test_nobody_makes_staff_of_themselves(self, cast: Cast, api: Api) -> None:
        sign_up(api(None), is_staff=True, is_superuser=True, follower_count=99, is_active=False, id=5)
        account = Account.objects.get(username="rita")
        assert (account.is_staff, account.is_superuser) == (False, False)
        assert (account.follower_count, account.is_active) == (0, True)

    @pytest.mark.parametrize("username", ["ana", "ANA"])
    def test_a_taken_username(self, cast: Cast, api: Api, username: str) -> None:
        body = problem(sign_up(api(None), username=username), 400, "invalid")
        assert body["errors"]["username"] == ["This username is taken."]

    def test_taken_by_a_race(self, cast: Cast, api: Api) -> None:
        answers = in_threads([lambda: sign_up(api(None)).status_code] * 6)
        assert sorted(answers) == [201, 400, 400, 400, 400, 400]

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [
            ({"username": ""}, "username"),
            ({"username": "a b"}, "username"),
            ({"username": "-a"}, "username"),
            ({"username": "a."}, "username"),
            ({"username": "ana\n"}, "username"),
            ({"username": "a\x00"}, "username"),
            ({"username": "\ud800"}, "username"),
            ({"username": "ä"}, "username"),
            ({"username": "Ｒｉｔａ"}, "username"),
            ({"username": " rita"}, "username"),
            ({"username": "x" * 31}, "username"),
            ({"username": "㎏" * 20}, "username"),
            ({"username": None}, "username"),
            ({"username": ["ana"]}, "username"),
            ({"password": "short"}, "password"),
            ({"password": "12345678901"}, "password"),
            ({"password": "password1"}, "password"),
            ({"password": "x" * 129}, "password"),
            ({"password": "with\x00nul-in-it"}, "password"),
            ({"password": None}, "password"),
            ({"email": "nobody"}, "email"),
            ({"email": "a" * 250 + "@example.org"}, "email"),
            ({"display_name": "x" * 61}, "display_name"),
            ({"display_name": "a\x00b"}, "display_name"),
            ({"display_name": 10**100}, "display_name"),
            ({"is_cook": "perhaps"}, "is_cook"),
            ({"is_cook": None}, "is_cook"),
        ],
    )
    def test_what_is_not_right(self, cast: Cast, api: Api, fields: dict[str, Any], wrong: str) -> None:
        client = api(None)
        # The test client's own encoder refuses lone surrogates; the wire does not.
        body = json.dumps(GUEST | fields).encode()
        answer = problem(client.post(ACCOUNTS, body, content_type="application/json"), 400, "invalid")
        assert list(answer["errors"]) == [wrong]
        assert not Account.objects.filter(display_name="Rita").exists()

    def test_a_display_name_of_nothing_visible_is_none(self, cast: Cast, api: Api) -> None:
        assert sign_up(api(None), display_name="\u200b\u2060").json()["display_name"] == "rita"

    def test_wrong_method_and_media_type(self, cast: Cast, api: Api) -> None:
        problem(api(cast.sam).put(ACCOUNTS), 405, "method_not_allowed")
        response = api(None).post(
            ACCOUNTS, b"username=rita", content_type="application/x-www-form-urlencoded"
        )
        problem(response, 415, "unsupported_media_type")


class TestSignIn:
    def test_two_tokens(self, cast: Cast, api: Api) -> None:
        response = api(None).post(TOKEN, {"username": "ana", "password": PASSWORD}, format="json")
        assert response.status_code == 200
        assert set(response.json()) == {"access", "refresh"}

    @pytest.mark.parametrize(
        ("username", "password"), [("ana", "wrong"), ("nobody", PASSWORD), ("an\u200ba", PASSWORD)]
    )
    def test_a_wrong_one(self, cast: Cast, api: Api, username: str, password: str) -> None:
        response = api(None).post(TOKEN, {"username": username, "password": password}, format="json")
        problem(response, 401, "not_authenticated")

    def test_a_suspended_one(self, cast: Cast, api: Api) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
        response = api(None).post(TOKEN, {"username": "ana", "password": PASSWORD}, format="json")
        problem(response, 401, "not_authenticated")

    @pytest.mark.parametrize("body", [{}, {"username": "ana"}, {"username": "a\x00", "password": "x"}, []])
    def test_what_is_not_right(self, cast: Cast, api: Api, body: Any) -> None:
        problem(api(None).post(TOKEN, body, format="json"), 400, "invalid")

    def test_tokens_end_with_the_account_or_its_version(self, cast: Cast, api: Api) -> None:
        client = api(cast.sam)
        assert client.put(f"{FOLLOWS}/{cast.ana.pk}").status_code == 204
        cast.sam.auth_version += 1
        cast.sam.save()
        problem(client.put(f"{FOLLOWS}/{cast.ana.pk}"), 401, "not_authenticated")
        client = api(cast.sam)
        cast.sam.is_active = False
        cast.sam.save()
        problem(client.put(f"{FOLLOWS}/{cast.ana.pk}"), 401, "not_authenticated")


class TestFollows:
    def test_repeats_are_204(self, cast: Cast, api: Api) -> None:
        client = api(cast.sam)
        for method in ("put", "put", "delete", "delete"):
            response = getattr(client, method)(f"{FOLLOWS}/{cast.ana.pk}")
            assert (response.status_code, response.content) == (204, b"")
        assert not Follow.objects.filter(follower=cast.sam).exists()

    @pytest.mark.parametrize("method", ["put", "delete"])
    def test_not_oneself(self, cast: Cast, api: Api, method: str) -> None:
        problem(getattr(api(cast.sam), method)(f"{FOLLOWS}/{cast.sam.pk}"), 400, "self_target")

    @pytest.mark.parametrize("method", ["put", "delete"])
    @pytest.mark.parametrize("account_id", ["0", str(2**31), str(2**63), "9" * 30, "x", "-1"])
    def test_nobody(self, cast: Cast, api: Api, method: str, account_id: str) -> None:
        problem(getattr(api(cast.sam), method)(f"{FOLLOWS}/{account_id}"), 404, "not_found")

    def test_who_is_suspended_is_not_there(self, cast: Cast, api: Api) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
        problem(api(cast.sam).put(f"{FOLLOWS}/{cast.ana.pk}"), 404, "not_found")
        assert api(cast.carla).delete(f"{FOLLOWS}/{cast.ana.pk}").status_code == 204

    @pytest.mark.parametrize("method", ["get", "post", "patch"])
    def test_wrong_methods(self, cast: Cast, api: Api, method: str) -> None:
        problem(getattr(api(cast.sam), method)(f"{FOLLOWS}/{cast.ana.pk}"), 405, "method_not_allowed")

    def test_nobody_signed_in(self, cast: Cast, api: Api) -> None:
        problem(api(None).put(f"{FOLLOWS}/{cast.ana.pk}"), 401, "not_authenticated")

    def test_fifty_at_once(self, cast: Cast, api: Api) -> None:
        guests = AccountFactory.create_batch(50)
        clients = [api(guest) for guest in guests]

        def follow(some: list[APIClient]) -> list[int]:
            return [client.put(f"{FOLLOWS}/{cast.ana.pk}").status_code for client in some]

        answers = in_threads([lambda n=n: follow(clients[n::10]) for n in range(10)])
        assert {status for some in answers for status in some} == {204}
        recount_followers()
        assert Account.objects.get(pk=cast.ana.pk).follower_count == 51


class TestRefresh:
    def refresh(self, api: Api, token: str) -> Any:
        return api(None).post(f"{TOKEN}/refresh", {"refresh": token}, format="json")

    def test_a_new_pair_that_works(self, cast: Cast, api: Api) -> None:
        pair = self.refresh(api, token_pair(cast.carla)["refresh"]).json()
        client = api(None)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair['access']}")
        assert client.get("/api/v1/feed").status_code == 200
        assert self.refresh(api, pair["refresh"]).status_code == 200

    def test_not_with_an_access_token_or_a_damaged_one(self, cast: Cast, api: Api) -> None:
        pair = token_pair(cast.carla)
        for token in (pair["access"], pair["refresh"][:-2] + "xx", "x"):
            problem(self.refresh(api, token), 401, "not_authenticated")

    def test_not_for_who_is_suspended_or_signed_out_everywhere(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        cast.carla.auth_version += 1
        cast.carla.save()
        problem(self.refresh(api, token), 401, "not_authenticated")
        token = token_pair(cast.carla)["refresh"]
        cast.carla.is_active = False
        cast.carla.save()
        problem(self.refresh(api, token), 401, "not_authenticated")

    def test_a_refresh_token_reads_no_feed(self, cast: Cast, api: Api) -> None:
        client = api(None)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_pair(cast.carla)['refresh']}")
        problem(client.get("/api/v1/feed"), 401, "not_authenticated")
