"""Limits of the API: what is counted, and what the answers say of it."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from social import counters
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import PASSWORD, AccountFactory, Cast

Api = Callable[[Account | None], APIClient]
FOLLOWS = "/api/v1/follows"


@pytest.fixture
def limited(stores: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Limits are on, and the clock stands three seconds before a window's end."""
    settings.RATE_LIMITS = True
    monkeypatch.setattr("social.limits.time.time", lambda: 1_799_999_997.0)
    counters.in_process.clear()
    counters.forget_outage()
    return settings


def headers(response: Any) -> tuple[str, str]:
    return response["RateLimit-Policy"], response["RateLimit"]


def test_answers_say_how_the_limits_stand(cast: Cast, limited: Any, api: Api) -> None:
    limited.LIMIT_WRITES = (2, 60)
    client = api(cast.sam)
    policy = '"writes";q=2;w=60, "writes-address";q=3000;w=60'
    first = client.put(f"{FOLLOWS}/{cast.ana.pk}")
    assert first.status_code == 204
    assert headers(first) == (policy, '"writes";r=1;t=3, "writes-address";r=2999;t=3')
    refused = client.put(f"{FOLLOWS}/{cast.sam.pk}")  # a refusal has written nothing, and cost as much
    problem(refused, 400, "self_target")
    assert headers(refused) == (policy, '"writes";r=0;t=3, "writes-address";r=2998;t=3')
    third = client.delete(f"{FOLLOWS}/{cast.ana.pk}")
    problem(third, 429, "too_many_requests")
    assert headers(third) == (policy, '"writes";r=0;t=3, "writes-address";r=2997;t=3')
    assert third["Retry-After"] == "3"
    assert cast.sam.following_rows.count() == 1
    assert api(cast.carla).put(f"{FOLLOWS}/{cast.ana.pk}").status_code == 204


def test_an_address_with_many_accounts(cast: Cast, limited: Any, api: Api) -> None:
    limited.LIMIT_WRITES_ADDRESS = (3, 60)
    statuses = [api(AccountFactory()).put(f"{FOLLOWS}/{cast.ana.pk}").status_code for _ in range(4)]
    assert statuses == [204, 204, 204, 429]
    elsewhere = api(cast.sam).put(f"{FOLLOWS}/{cast.ana.pk}", REMOTE_ADDR="203.0.113.7")
    assert elsewhere.status_code == 204


def test_a_spoofed_header_does_not_help(cast: Cast, limited: Any, api: Api) -> None:
    limited.LIMIT_WRITES_ADDRESS = (2, 60)
    answers = [
        api(cast.sam).put(f"{FOLLOWS}/{cast.ana.pk}", headers={"x-forwarded-for": f"10.0.0.{n}"})
        for n in range(3)
    ]
    assert [answer.status_code for answer in answers] == [204, 204, 429]


def test_sign_in_tells_of_guesses(cast: Cast, limited: Any, api: Api) -> None:
    limited.LIMIT_GUESSES = (2, 900)

    def sign_in(password: str) -> Any:
        return api(None).post("/api/v1/auth/token", {"username": "ana", "password": password}, format="json")

    assert headers(sign_in(PASSWORD))[0] == '"writes-address";q=3000;w=60, "guesses";q=2;w=900'
    for left, status in ((1, 401), (0, 401), (0, 429)):
        response = sign_in("x")
        assert response.status_code == status
        assert f'"guesses";r={left};t=' in response["RateLimit"]


def test_reads_are_free(cast: Cast, limited: Any, api: Api, feed_redis: redis.Redis) -> None:
    limited.LIMIT_WRITES = limited.LIMIT_WRITES_ADDRESS = (1, 60)
    for address in ("/api/v1/feed", "/api/v1/me", f"/api/v1/accounts/{cast.ana.pk}"):
        for method in ("get", "head", "options"):
            response = getattr(api(cast.carla), method)(address)
            assert response.status_code != 429
            assert "RateLimit" not in response
    assert not list(feed_redis.scan_iter("cy:limit:*"))


def test_off_means_off(cast: Cast, limited: Any, api: Api) -> None:
    limited.LIMIT_WRITES = (1, 60)
    limited.RATE_LIMITS = False
    client = api(cast.sam)
    for _ in range(3):
        response = client.put(f"{FOLLOWS}/{cast.ana.pk}")
        assert response.status_code == 204
        assert "RateLimit" not in response


def test_the_defaults_leave_room_for_a_busy_minute(settings: Any) -> None:
    """60 likes and their ends; 30 dishes sold out; 50 cooks followed."""
    assert settings.LIMIT_WRITES[0] / settings.LIMIT_WRITES[1] >= 2
    assert settings.LIMIT_UPLOADS[0] >= 30


def test_a_server_without_redis_counts_itself(cast: Cast, limited: Any, api: Api) -> None:
    gone = limited.CACHES["limits"] | {"LOCATION": "unix:///nonexistent/feed.sock?db=0"}
    limited.CACHES = limited.CACHES | {"limits": gone}
    limited.LIMIT_WRITES = (1, 60)
    client = api(cast.sam)
    assert [client.put(f"{FOLLOWS}/{cast.ana.pk}").status_code for _ in range(2)] == [204, 429]
