"""/livez and /readyz."""

import pytest
from django.test import Client

from tests.feeds.helpers import postgres_down, redis_down

pytestmark = pytest.mark.usefixtures("stores")


def test_it_lives_without_any_store() -> None:
    with redis_down(), postgres_down():
        response = Client().get("/livez")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_it_is_ready_when_all_answer() -> None:
    response = Client().get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "parts": {"postgresql": "ok", "feed_redis": "ok"}}


def test_without_redis_it_is_ready_and_says_so() -> None:
    with redis_down():
        response = Client().get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"status": "degraded", "parts": {"postgresql": "ok", "feed_redis": "down"}}


def test_without_postgresql_it_is_not() -> None:
    with postgres_down():
        response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["parts"]["postgresql"] == "down"
