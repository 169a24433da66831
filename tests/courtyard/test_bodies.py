"""Bodies that are too large are refused by their length."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast

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
    length = str(settings.MEDIA_MAX_BYTES * 3)
    assert unread(Client(), "/sign-in", "multipart/form-data; boundary=b", length).status_code != 413


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
