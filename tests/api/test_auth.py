"""Refresh tokens: each can be used once, one that is used twice ends its sign-in, and signing out ends it too."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from social.authentication import FamilyToken, access_token, token_pair
from social.models import Account, TokenFamily
from social.services import prune_token_families, suspend_account
from social.services import token_families as families
from tests.api.test_feed import problem
from tests.factories import PASSWORD, Cast
from tests.feeds.helpers import in_threads

Api = Callable[[Account | None], APIClient]
TOKEN, SIGN_OUT = "/api/v1/auth/token", "/api/v1/auth/sign-out"


def refresh(api: Api, token: str) -> Any:
    return api(None).post(f"{TOKEN}/refresh", {"refresh": token}, format="json")


def sign_out(api: Api, token: str) -> Any:
    return api(None).post(SIGN_OUT, {"refresh": token}, format="json")


def forged(token: str, **claims: Any) -> str:
    """The token with other claims, signed with our key."""
    payload = jwt.decode(token, options={"verify_signature": False})
    return jwt.encode(payload | claims, settings.SECRET_KEY, algorithm="HS256")


def test_signing_in_and_refreshing_is_private(cast: Cast, api: Api) -> None:
    pair = api(None).post(TOKEN, {"username": "ana", "password": PASSWORD}, format="json")
    answer = refresh(api, pair.json()["refresh"])
    for response in (pair, answer):
        assert response["Cache-Control"] == "private, no-store"
        assert set(response.json()) == {"access", "refresh"}


class TestRotation:
    def test_a_chain_of_refreshes_goes_on(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        seen = {token}
        for _ in range(4):
            token = refresh(api, token).json()["refresh"]
            seen.add(token)
        assert len(seen) == 5
        assert TokenFamily.objects.filter(account=cast.carla).count() == 1

    def test_a_second_use_ends_the_newest_too(self, cast: Cast, api: Api) -> None:
        first = token_pair(cast.carla)["refresh"]
        second = refresh(api, first).json()["refresh"]
        third = refresh(api, second).json()["refresh"]
        problem(refresh(api, first), 401, "not_authenticated")
        problem(refresh(api, third), 401, "not_authenticated")
        assert not TokenFamily.objects.exists()

    def test_other_sign_ins_go_on(self, cast: Cast, api: Api) -> None:
        phone, laptop = token_pair(cast.carla)["refresh"], token_pair(cast.carla)["refresh"]
        other = token_pair(cast.ana)["refresh"]
        refresh(api, phone)
        assert refresh(api, phone).status_code == 401
        assert refresh(api, laptop).status_code == 200
        assert refresh(api, other).status_code == 200

    def test_of_two_at_once_one_wins_and_the_sign_in_ends(self, cast: Cast, api: Api) -> None:
        for _ in range(4):
            token = token_pair(cast.carla)["refresh"]
            answers = in_threads([lambda token=token: refresh(api, token)] * 5)
            assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401]
            (won,) = [answer.json()["refresh"] for answer in answers if answer.status_code == 200]
            problem(refresh(api, won), 401, "not_authenticated")

    def test_refreshing_prolongs(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        TokenFamily.objects.update(expires_at=timezone.now() + timedelta(seconds=30))
        token = refresh(api, token).json()["refresh"]
        expiry = jwt.decode(token, options={"verify_signature": False})["exp"]
        assert TokenFamily.objects.get().expires_at == datetime.fromtimestamp(expiry, UTC)
        assert TokenFamily.objects.get().expires_at > timezone.now() + timedelta(days=29)

    def test_who_is_suspended_refreshes_nothing(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        suspend_account(cast.carla.pk, by=cast.stef)
        problem(refresh(api, token), 401, "not_authenticated")


class TestWhatIsNoRefreshToken:
    @pytest.mark.parametrize("call", [refresh, sign_out])
    def test_is_refused(self, cast: Cast, api: Api, call: Callable[[Api, str], Any]) -> None:
        pair = token_pair(cast.carla)
        foreign = jwt.encode({"user_id": "1", "token_type": "refresh"}, "x" * 32, algorithm="HS256")
        unsigned = jwt.encode({"user_id": "1", "token_type": "refresh"}, None, algorithm="none")
        without_family = forged(pair["refresh"], fam=None)
        odd_family = forged(pair["refresh"], fam="1; DROP")
        odd_account = forged(pair["refresh"], user_id="x")
        tokens = [
            pair["access"], access_token(cast.carla), pair["refresh"][:-4] + "AAAA", "x", "a.b.c",
            foreign, unsigned, without_family, odd_family, odd_account,
        ]  # fmt: skip
        for token in tokens:
            problem(call(api, token), 401, "not_authenticated")
        assert TokenFamily.objects.count() == 1

    @pytest.mark.parametrize("call", [refresh, sign_out])
    @pytest.mark.parametrize("token", ["", "x" * 2001, None, 5, "a\x00b"])
    def test_or_no_token_at_all(
        self, cast: Cast, api: Api, call: Callable[[Api, Any], Any], token: Any
    ) -> None:
        answer = problem(call(api, token), 400, "invalid")
        assert list(answer["errors"]) == ["refresh"]

    def test_of_somebody_elses_family_ends_nothing(self, cast: Cast, api: Api) -> None:
        token_pair(cast.ana)
        token = forged(token_pair(cast.carla)["refresh"], fam=TokenFamily.objects.get(account=cast.ana).pk)
        assert sign_out(api, token).status_code == 204
        assert refresh(api, token).status_code == 401
        assert TokenFamily.objects.filter(account=cast.ana).exists()

    def test_an_access_token_says_nothing_of_its_family(self, cast: Cast) -> None:
        assert "fam" not in jwt.decode(token_pair(cast.carla)["access"], options={"verify_signature": False})


class TestSigningOut:
    def test_ends_the_sign_in_and_may_be_repeated(self, cast: Cast, api: Api) -> None:
        token, other = token_pair(cast.carla)["refresh"], token_pair(cast.carla)["refresh"]
        for _ in range(2):
            response = sign_out(api, token)
            assert (response.status_code, response.content) == (204, b"")
        problem(refresh(api, token), 401, "not_authenticated")
        assert refresh(api, other).status_code == 200

    def test_with_an_older_token_too(self, cast: Cast, api: Api) -> None:
        first = token_pair(cast.carla)["refresh"]
        second = refresh(api, first).json()["refresh"]
        assert sign_out(api, first).status_code == 204
        assert refresh(api, second).status_code == 401

    def test_with_one_that_has_expired_or_an_account_that_is_off(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        assert sign_out(api, forged(token, exp=1)).status_code == 204
        problem(refresh(api, forged(token, exp=1)), 401, "not_authenticated")
        suspend_account(cast.carla.pk, by=cast.stef)
        assert sign_out(api, token).status_code == 204
        assert not TokenFamily.objects.exists()

    def test_needs_no_access_token_and_takes_none_for_it(self, cast: Cast, api: Api) -> None:
        token = token_pair(cast.carla)["refresh"]
        client = api(None)
        client.credentials(HTTP_AUTHORIZATION="Bearer expired.or.damaged")
        assert client.post(SIGN_OUT, {"refresh": token}, format="json").status_code == 204

    def test_an_access_token_lives_on_for_its_quarter_of_an_hour(self, cast: Cast, api: Api) -> None:
        pair = token_pair(cast.carla)
        sign_out(api, pair["refresh"])
        client = api(None)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair['access']}")
        assert client.get("/api/v1/me").status_code == 200
        claims = jwt.decode(pair["access"], options={"verify_signature": False})
        assert claims["exp"] - claims["iat"] == 900


class TestBounds:
    def test_an_account_has_so_many_sign_ins_at_most(
        self, cast: Cast, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(families, "MOST_FAMILIES", 3)
        tokens = [token_pair(cast.carla)["refresh"] for _ in range(5)]
        token_pair(cast.ana)
        assert [refresh(api, token).status_code for token in tokens] == [401, 401, 200, 200, 200]
        assert TokenFamily.objects.filter(account=cast.ana).count() == 1

    def test_expired_ones_are_pruned(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(families, "PRUNED_AT_ONCE", 2)
        for _ in range(5):
            token_pair(cast.carla)
        TokenFamily.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        token_pair(cast.ana)
        assert prune_token_families() == 5
        assert list(TokenFamily.objects.values_list("account__username", flat=True)) == ["ana"]

    def test_a_family_outlives_no_account(self, cast: Cast) -> None:
        token_pair(cast.sam)
        Account.objects.get(pk=cast.sam.pk).delete()
        assert not TokenFamily.objects.exists()

    def test_the_newest_is_written_down_by_its_id(self, cast: Cast) -> None:
        token = FamilyToken(token_pair(cast.sam)["refresh"])
        assert TokenFamily.objects.get().newest == token["jti"]
