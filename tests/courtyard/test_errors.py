"""What goes wrong has one shape, and a bug says nothing about itself."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError
from django.test import Client
from rest_framework import exceptions
from rest_framework.test import APIClient

from courtyard.errors import problem_response
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast

Api = Callable[[Account | None], APIClient]


@pytest.mark.parametrize(
    "address",
    [
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v1/feed/",
        "/api/v2/feed",
        "/api/v1/%ff",
        "/api/v1/%00",
    ],
)
def test_no_such_address(stores: None, address: str) -> None:
    response = Client().get(address)
    problem(response, 404, "not_found")
    assert not response.templates  # no page is made to be thrown away


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RuntimeError("the password is hunter2"), 500, "internal_error"),
        (SuspiciousOperation("the password is hunter2"), 400, "invalid"),
        (OperationalError("the password is hunter2"), 503, "unavailable"),
        (exceptions.Throttled(7), 429, "too_many_requests"),
        (exceptions.PermissionDenied(), 403, "forbidden"),
    ],
)
def test_an_error_in_a_view(
    cast: Cast, api: Api, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise error

    monkeypatch.setattr("feeds.api.read_feed", fail)
    client = api(cast.carla)
    client.raise_request_exception = False
    response = client.get("/api/v1/feed")
    problem(response, status, code)
    assert b"hunter2" not in response.content
    if status in (429, 503):
        assert int(response["Retry-After"]) >= 1


def test_a_refusal_to_parse_what_nobody_could_is_a_400(stores: None) -> None:
    response = problem_response(RecursionError("maximum recursion depth exceeded"), {})
    assert response is not None
    assert response.status_code == 400


def test_what_is_no_json_is_told_where_it_breaks(cast: Cast, api: Api) -> None:
    broken = api(cast.ana).generic("POST", "/api/v1/posts", b'{"text": }', "application/json")
    words = problem(broken, 400, "invalid")["detail"]
    assert words == "The body is no JSON that can be read: Expecting value: line 1 column 10 (char 9)."


def test_a_bad_host_is_refused(stores: None) -> None:
    assert Client().get("/api/v1/feed", HTTP_HOST="evil.example").status_code == 400
