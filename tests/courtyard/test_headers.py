"""What browsers are told to refuse, on answers of every kind."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from posts.media.names import url_of
from social.authentication import access_token
from tests.factories import Cast, PhotoFactory, PostFactory, make_photo

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
INLINE = re.compile(
    r"<style|<[^>]+\s(?:style|on[a-z]+)\s*=|<script(?![^>]*\ssrc=)(?![^>]*application/json)|javascript:"
)
ELSEWHERE = {"Origin": "https://elsewhere.example"}

# What was asked, who asked (a name of the cast, or nobody), and the status.
PAGES = {
    "the landing": ("/", None, 200),
    "today's menus": ("/", "carla", 200),
    "cooks": ("/cooks/", "carla", 200),
    "the first page of an account": ("/welcome/", "sam", 200),
    "a profile": ("/@ana", "carla", 200),
    "a menu with a photo": ("/menus/{post}", "carla", 200),
    "a new menu": ("/menus/new", "ana", 200),
    "changing a menu": ("/menus/{post}/edit", "ana", 200),
    "requests": ("/requests/", "carla", 200),
    "settings": ("/settings/", "carla", 200),
    "signing in": ("/sign-in", None, 200),
    "signing up": ("/sign-up", None, 200),
    "a new password": ("/password/", None, 200),
    "no such menu": ("/menus/1", "carla", 404),
    "no such page": ("/nothing", None, 404),
    "the API's page": ("/api/docs", None, 200),
    "admin's sign-in": ("/admin/login/", None, 200),
    "admin": ("/admin/", "stef", 200),
    "accounts in admin": ("/admin/social/account/", "stef", 200),
    "an account in admin": ("/admin/social/account/{ana}/change/", "stef", 200),
    "menus in admin": ("/admin/posts/post/", "stef", 200),
    "reports in admin": ("/admin/posts/report/", "stef", 200),
}
OTHERS = {
    "a redirect to signing in": ("/settings/", None, 302),
    "a redirect to a file": ("/favicon.ico", None, 302),
    "admin's redirect": ("/admin/", None, 302),
    "no such static file": ("/static/nothing.css", None, 404),
    "no such photo": ("/media/nothing.webp", None, 404),
    "the feed for programs": ("/api/v1/feed", "carla", 200),
    "a problem": ("/api/v1/accounts/1", "carla", 404),
    "no such call": ("/api/v1/nothing", None, 404),
    "a call without a token": ("/api/v1/me", None, 401),
    "life": ("/livez", None, 200),
    "readiness": ("/readyz", None, 200),
    "metrics": ("/metrics", None, 200),
}

Browse = Callable[[Any], Client]


def assert_safe(response: Any, *, kept: bool = False) -> None:
    """All headers that every answer has; `kept`: it may be kept by caches that others share."""
    policy = dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'self'"  # and so of scripts and styles, which have no line of their own
    assert not {"script-src", "style-src"} & policy.keys()
    for refused in ("object-src", "base-uri", "frame-ancestors"):
        assert policy[refused] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in response["Content-Security-Policy"]
    assert {name: response[name] for name in EVERYWHERE} == EVERYWHERE
    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(response["Permissions-Policy"].split(", "))
    assert ("public" if kept else "no-store") in response["Cache-Control"]
    assert not [name for name in response.headers if name.startswith("Access-Control-")]


@pytest.fixture
def visit(cast: Cast, browse: Browse) -> Callable[[str, str | None], Any]:
    """Asks as a person of the cast, by session and token, from a page of another origin."""
    post = PostFactory(author=cast.ana, photos=[PhotoFactory()])

    def get(path: str, person: str | None) -> Any:
        account = getattr(cast, person) if person else None
        token = {"Authorization": f"Bearer {access_token(account)}"} if account else {}
        return browse(account).get(path.format(post=post.pk, ana=cast.ana.pk), headers=ELSEWHERE | token)

    return get


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_safe_and_have_nothing_inline(visit: Callable[[str, str | None], Any], page: str) -> None:
    path, person, status = PAGES[page]
    response = visit(path, person)
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/html")
    assert_safe(response)
    assert INLINE.search(response.content.decode()) is None


@pytest.mark.parametrize("answer", OTHERS)
def test_other_answers_are_safe(visit: Callable[[str, str | None], Any], answer: str) -> None:
    path, person, status = OTHERS[answer]
    response = visit(path, person)
    assert response.status_code == status
    assert_safe(response)


@pytest.mark.parametrize(
    "text",
    [
        '<p style="color: red">',
        "<style>p {}</style>",
        '<a href="/" onclick="go()">',
        "<script>go()</script>",
        '<script type="module">go()</script>',
        '<a href="javascript:go()">',
    ],
)
def test_what_is_inline_is_found(text: str) -> None:
    assert INLINE.search(text)


class TestWhatGoesWrong:
    def test_an_error_and_an_outage_in_a_page(
        self, cast: Cast, browse: Browse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        carla = browse(cast.carla)
        carla.raise_request_exception = False
        for error, status in ((RuntimeError("a bug"), 500), (OperationalError("away"), 503)):

            def fail(*args: Any, error: Exception = error, **kwargs: Any) -> None:
                raise error

            monkeypatch.setattr("feeds.pages.read_feed", fail)
            response = carla.get("/")
            assert response.status_code == status
            assert_safe(response)
            assert INLINE.search(response.content.decode()) is None

    def test_a_form_from_elsewhere(self, cast: Cast) -> None:
        client = Client(enforce_csrf_checks=True)
        response = client.post("/sign-in", {"username": "carla"}, headers=ELSEWHERE)
        assert response.status_code == 403
        assert_safe(response)
        assert INLINE.search(response.content.decode()) is None

    @pytest.mark.parametrize("path", ["/api/v1/posts", "/sign-in"])
    def test_what_is_too_large(self, stores: None, path: str) -> None:
        response = Client().post(path, "", content_type="text/plain", CONTENT_LENGTH=str(1 << 40))
        assert response.status_code == 413
        assert_safe(response)

    @pytest.mark.parametrize("redirect", [False, True])
    def test_a_host_that_is_not_ours(self, stores: None, settings: Any, redirect: bool) -> None:
        settings.SECURE_SSL_REDIRECT = redirect
        response = Client().get("/", headers={"Host": "evil.example"})
        assert response.status_code == 400
        assert_safe(response)


class TestWhatIsKept:
    def test_static_files_and_what_has_not_changed_since(self, settings: Any, tmp_path: Path) -> None:
        (tmp_path / "site.css").write_text("p { color: red }")
        settings.STATIC_ROOT = str(tmp_path)
        client = Client()
        file = client.get("/static/site.css", headers=ELSEWHERE)
        assert file.status_code == 200
        again = client.get("/static/site.css", headers={"If-Modified-Since": file["Last-Modified"]})
        assert again.status_code == 304
        for response in (file, again):
            assert_safe(response, kept=True)

    def test_photos(self, cast: Cast) -> None:
        response = Client().get(url_of(make_photo(cast.ana)), headers=ELSEWHERE)
        assert response.status_code == 200
        assert_safe(response, kept=True)

    def test_the_apis_document(self, stores: None) -> None:
        response = Client().get("/api/schema", headers=ELSEWHERE)
        assert response.status_code == 200
        assert_safe(response, kept=True)


def test_pages_of_other_origins_may_not_ask_what_they_may(stores: None) -> None:
    asking = ELSEWHERE | {"Access-Control-Request-Method": "POST"}
    response = Client().options("/api/v1/posts", headers=asking)
    assert response.status_code == 204
    assert_safe(response)


def test_text_is_compressed_for_who_takes_that(cast: Cast, browse: Browse) -> None:
    takes = {"Accept-Encoding": "gzip, deflate, br"}
    for path in ("/cooks/", "/api/schema?format=json"):
        plain, small = browse(cast.carla).get(path), browse(cast.carla).get(path, headers=takes)
        assert (plain.headers.get("Content-Encoding"), small["Content-Encoding"]) == (None, "gzip")
        assert len(small.content) < len(plain.content) / 3
        assert "Accept-Encoding" in plain["Vary"]
    photo = Client().get(url_of(make_photo(cast.ana)), headers=takes)
    assert "Content-Encoding" not in photo.headers  # it is compressed already
