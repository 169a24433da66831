"""Bodies that are too large are refused by their length, and no answer comes before the others are read."""

import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast
from tests.stateful.processes import Web

GIGABYTES = str(2 << 30)


def unread(client: Client, path: str, content_type: str, length: str) -> Any:
    """The answer to a body of which only the length has been told."""
    return client.generic("POST", path, b"", content_type, CONTENT_LENGTH=length)


@pytest.mark.parametrize("path", ["posts", "media", "auth/token", "nowhere"])
@pytest.mark.parametrize("content_type", ["application/json", "multipart/form-data; boundary=b"])
def test_the_api_says_413_to_two_gigabytes(stores: None, path: str, content_type: str) -> None:
    problem(unread(Client(), f"/api/v1/{path}", content_type, GIGABYTES), 413, "too_large")


@pytest.mark.parametrize("path", ["/sign-in", "/menus/new", "/nowhere"])
def test_pages_say_so_in_words(stores: None, path: str) -> None:
    page = unread(Client(), path, "multipart/form-data; boundary=b", GIGABYTES)
    assert page.status_code == 413
    assert "far too large" in page.content.decode()


def test_a_form_whose_photo_is_a_little_too_large_is_read(stores: None) -> None:
    form = b"x" * settings.MEDIA_MAX_BYTES * 3
    page = Client().generic("POST", "/sign-in", form, "multipart/form-data; boundary=b")
    assert page.status_code not in (413, 500)


@pytest.mark.parametrize("length", ["", "x", "-1"])
def test_a_length_that_is_none_is_no_error(
    cast: Cast, api: Callable[[Account | None], APIClient], length: str
) -> None:
    assert unread(api(cast.ana), "/api/v1/posts", "application/json", length).status_code == 400


@pytest.mark.parametrize("path", ["posts", "mutes/1", "auth/token"])
def test_a_body_in_chunks_is_not_taken_for_an_empty_one(stores: None, path: str) -> None:
    chunked = Client().generic("POST", f"/api/v1/{path}", HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")
    problem(chunked, 411, "length_required")


# Of these Python decodes some to no text, and some not at all.
@pytest.mark.parametrize("charset", ["idna", "punycode", "undefined", "utf-16", "rot13", "bogus"])
class TestOtherCharsets:
    def test_the_api_takes_utf_8(
        self, cast: Cast, api: Callable[[Account | None], APIClient], charset: str
    ) -> None:
        for path, kind in [("media", "multipart/form-data; boundary=b"), ("posts", "application/json")]:
            answer = api(cast.ana).generic("POST", f"/api/v1/{path}", b"{}", f"{kind}; charset={charset}")
            problem(answer, 415, "unsupported_media_type")

    def test_pages_too(self, stores: None, charset: str) -> None:
        kind = f"application/x-www-form-urlencoded; charset={charset}"
        assert Client().generic("POST", "/sign-in", b"username=%ff", kind).status_code == 400


def test_utf_8_by_any_name(cast: Cast, api: Callable[[Account | None], APIClient]) -> None:
    for charset in ("utf-8", "UTF-8", '"utf-8"', "utf8"):
        kind = f"application/json; charset={charset}"
        assert api(cast.ana).generic("POST", "/api/v1/posts", b'{"text": "Soup"}', kind).status_code == 201


def test_a_refusal_keeps_the_connection_whenever_its_body_comes(start_web: Callable[..., Web]) -> None:
    web = start_web(DJANGO_SETTINGS_MODULE="tests.courtyard.deployed")
    connection = HTTPConnection("127.0.0.1", web.port, timeout=10)
    refused = [
        ("POST", "/api/v1/posts", "application/json", 401),
        ("PUT", "/api/v1/nowhere", "application/json", 404),
        ("DELETE", "/api/v1/feed", "application/json", 401),
        ("POST", "/api/v1/media", "application/json; charset=idna", 415),
        ("POST", "/menus/new", "multipart/form-data; boundary=b", 403),
        ("GET", "/cooks/", "text/plain", 200),
    ]
    for method, path, content_type, status in refused:
        for size in (1, 300_000):
            connection.putrequest(method, path)
            connection.putheader("Content-Type", content_type)
            connection.putheader("Content-Length", str(size))
            connection.endheaders()
            before = connection.sock
            time.sleep(0.03)  # an answer that does not wait for the body is there by now
            connection.send(b"x" * size)
            answer = connection.getresponse()
            answer.read()
            assert (answer.status, connection.sock) == (status, before), (method, path, size)
    connection.close()


@pytest.mark.parametrize("charset", ["idna", "utf-16"])
def test_a_form_that_cannot_be_read_is_refused_where_tokens_are_looked_for(stores, charset):
    client = Client(enforce_csrf_checks=True)
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    answer = client.generic("POST", "/sign-in", b"\xff\x00", content_type=kind)
    assert answer.status_code == 400
