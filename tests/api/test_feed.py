"""GET /feed."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from feeds import overlay
from feeds.reference import reference_feed_ids
from posts.services import publish_post
from social.models import Account
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import keys_now, postgres_down, raw_sql, redis_down

Api = Callable[[Account | None], APIClient]
FEED = "/api/v1/feed"


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The answer as a problem, whose shape is always the same."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["code"] == code
    assert set(body) - {"errors"} == {"type", "title", "status", "detail", "code"}
    assert all(isinstance(body[name], str) and body[name] for name in ("type", "title", "detail"))
    assert response["Cache-Control"] == "private, no-store"
    return body


def test_a_page_is_posts_and_cursors(cast: Cast, api: Api) -> None:
    post = PostFactory(author=cast.ana, text="Soup & <b>stew</b>")
    response = api(cast.carla).get(FEED)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "private, no-store"
    body = response.json()
    assert set(body) == {"posts", "next_cursor", "refresh_cursor", "degraded"}
    assert (body["next_cursor"], body["degraded"]) == (None, False)
    assert body["refresh_cursor"]
    assert "Link" not in response
    [shown] = body["posts"]
    assert shown["id"] == post.pk
    assert shown["text"] == "Soup & <b>stew</b>"
    assert shown["author"] == {
        "id": cast.ana.pk,
        "username": "ana",
        "display_name": "Ana",
        "avatar_url": None,
        "city": "Porto",
    }
    assert set(shown) == {
        "id", "author", "text", "day", "dishes", "photos", "created_at", "edited_at", "like_count", "liked",
    }  # fmt: skip
    assert set(shown["dishes"][0]) == {"id", "name", "price", "currency", "tags", "sold_out"}
    assert isinstance(shown["dishes"][0]["price"], str)
    assert shown["created_at"].endswith("Z")


def test_the_card_is_the_same_on_every_surface(cast: Cast, api: Api, settle: Callable[[], None]) -> None:
    post = PostFactory(author=cast.ana)
    client = api(cast.carla)
    fresh = client.get(FEED).json()["posts"][0]
    settle()
    client.get(FEED)
    assert client.get(FEED).json()["posts"][0] == fresh == client.get(f"/api/v1/posts/{post.pk}").json()


def test_an_empty_feed_has_a_refresh_cursor_too(cast: Cast, api: Api) -> None:
    body = api(cast.sam).get(FEED).json()
    assert (body["posts"], body["next_cursor"]) == ([], None)
    assert body["refresh_cursor"]


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_following_the_link_yields_every_post_once(cast: Cast, api: Api, limit: int) -> None:
    for _ in range(6):
        PostFactory(author=cast.ana, dishes=[])
    client, address, ids = api(cast.carla), f"{FEED}?limit={limit}", []
    while address:
        response = client.get(address)
        body = response.json()
        ids += [post["id"] for post in body["posts"]]
        if body["next_cursor"] is None:
            assert "Link" not in response
            break
        target, _, relation = response["Link"].partition("; ")
        assert relation == 'rel="next"'
        address = target.strip("<>").removeprefix("http://testserver")
        assert f"limit={limit}" in address
        assert body["next_cursor"] in address
    assert ids == reference_feed_ids(cast.carla.pk)


def test_twenty_is_the_default(cast: Cast, api: Api) -> None:
    raw_sql("INSERT INTO posts_post (author_id) SELECT %s FROM generate_series(1, 30)", cast.carla.pk)
    time.sleep(1.05)
    assert len(api(cast.carla).get(FEED).json()["posts"]) == 20


@pytest.mark.parametrize("limit", ["1", "100", "007"])
def test_a_limit_that_is_right(cast: Cast, api: Api, limit: str) -> None:
    assert api(cast.carla).get(FEED, {"limit": limit}).status_code == 200


@pytest.mark.parametrize(
    "limit", ["", "0", "-1", "101", "1e1", "1.0", "+5", " 5", "5 ", "٣", "²", "0x10", "1_0", "9" * 400, "\x00", "x"]
)  # fmt: skip
def test_a_limit_that_is_not(cast: Cast, api: Api, limit: str) -> None:
    body = problem(api(cast.carla).get(FEED, {"limit": limit}), 400, "invalid")
    assert list(body["errors"]) == ["limit"]


@pytest.mark.parametrize("cursor", ["", "!!!!", "null", "0", "é", "\x00", "A" * 3000])
def test_a_cursor_that_is_not_ours(cast: Cast, api: Api, cursor: str) -> None:
    problem(api(cast.carla).get(FEED, {"cursor": cursor}), 400, "invalid_cursor")


def test_a_cursor_in_bad_utf8(cast: Cast, api: Api) -> None:
    problem(api(cast.carla).get(f"{FEED}?cursor=%ff%fe"), 400, "invalid_cursor")


def test_somebody_elses_cursor_and_a_refresh_cursor(cast: Cast, api: Api) -> None:
    PostFactory.create_batch(2, author=cast.ana)
    body = api(cast.carla).get(FEED, {"limit": 1}).json()
    problem(api(cast.ana).get(FEED, {"cursor": body["next_cursor"]}), 400, "invalid_cursor")
    problem(api(cast.carla).get(FEED, {"cursor": body["refresh_cursor"]}), 400, "invalid_cursor")


class TestSigningIn:
    @pytest.mark.parametrize("header", [None, "Bearer", "Bearer x", "Bearer a.b.c", "Basic YTpi", "Bearer é"])
    def test_without_a_good_token_nobody_reads(self, cast: Cast, api: Api, header: str | None) -> None:
        client = api(None)
        response = client.get(FEED, **({"HTTP_AUTHORIZATION": header} if header else {}))
        problem(response, 401, "not_authenticated")
        assert response["WWW-Authenticate"].startswith("Bearer")

    @pytest.mark.parametrize("change", [{"is_active": False}, {"auth_version": 2}])
    def test_a_token_ends_with_the_very_next_read(self, cast: Cast, api: Api, change: dict[str, Any]) -> None:
        client = api(cast.carla)
        assert client.get(FEED).status_code == 200
        for name, value in change.items():
            setattr(cast.carla, name, value)
        cast.carla.save()
        response = client.get(FEED)
        problem(response, 401, "not_authenticated")
        assert response["WWW-Authenticate"].startswith("Bearer")

    def test_a_token_of_an_erased_account_ends_too(
        self, cast: Cast, api: Api, settle: Callable[[], None]
    ) -> None:
        client = api(cast.carla)
        settle()
        for _ in range(2):
            assert client.get(FEED).status_code == 200
        cast.carla.delete()
        problem(client.get(FEED), 401, "not_authenticated")

    def test_a_refresh_token_is_no_access_token(self, cast: Cast, api: Api) -> None:
        from social.authentication import token_pair

        client = api(None)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_pair(cast.carla)['refresh']}")
        problem(client.get(FEED), 401, "not_authenticated")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_wrong_methods(cast: Cast, api: Api, method: str) -> None:
    problem(getattr(api(cast.carla), method)(FEED), 405, "method_not_allowed")


class TestWithoutStores:
    def test_a_warm_feed_answers_without_postgresql(
        self, cast: Cast, api: Api, settle: Callable[[], None]
    ) -> None:
        post = PostFactory(author=cast.ana)
        client = api(cast.carla)
        settle()
        for _ in range(2):
            client.get(FEED)
        with postgres_down():
            response = client.get(FEED)
            assert response.status_code == 200
            assert [shown["id"] for shown in response.json()["posts"]] == [post.pk]

    def test_also_on_the_first_visit_of_a_day(
        self, cast: Cast, api: Api, settle: Callable[[], None], feed_redis: redis.Redis
    ) -> None:
        """The visit would be written down; an outage must not turn that into no page."""
        PostFactory(author=cast.ana)
        client = api(cast.carla)
        settle()
        for _ in range(2):
            client.get(FEED)
        assert feed_redis.pexpire(keys_now().feed(cast.carla.pk), 12 * 86400 * 1000)
        with postgres_down():
            assert client.get(FEED).status_code == 200

    def test_also_when_the_overlays_mark_has_lapsed(
        self, cast: Cast, api: Api, settle: Callable[[], None]
    ) -> None:
        PostFactory(author=cast.ana)
        client = api(cast.carla)
        settle()
        for _ in range(2):
            client.get(FEED)
        with postgres_down():
            time.sleep(1.1)
            assert client.get(FEED).status_code == 200

    def test_during_an_outage_only_a_reader_now_and_then_pays_for_asking(
        self, cast: Cast, api: Api, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        PostFactory(author=cast.ana)
        client = api(cast.carla)
        settle()
        for _ in range(2):
            client.get(FEED)
        asked: list[str] = []
        read_outbox = overlay.read_outbox

        def counting() -> Any:
            asked.append("PostgreSQL")
            return read_outbox()

        monkeypatch.setattr("feeds.outage.RETRY_SECONDS", 60)  # longer than any machine may sleep
        monkeypatch.setattr(overlay, "read_outbox", counting)
        time.sleep(2.1)
        with postgres_down():
            for _ in range(20):
                assert client.get(FEED).status_code == 200
        assert len(asked) == 1

    def test_a_cold_feed_says_503(self, cast: Cast, api: Api, feed_redis: redis.Redis) -> None:
        feed_redis.flushall()
        client = api(cast.carla)
        with postgres_down():
            response = client.get(FEED)
        problem(response, 503, "unavailable")
        assert int(response["Retry-After"]) >= 1

    def test_posting_says_503_and_saves_nothing(self, cast: Cast, api: Api) -> None:
        client = api(cast.ana)
        with postgres_down():
            response = client.post("/api/v1/posts", {"text": "soup"}, format="json")
        problem(response, 503, "unavailable")
        assert response["Retry-After"]
        assert client.post("/api/v1/posts", {"text": "soup"}, format="json").status_code == 201

    def test_without_redis_it_is_all_there(self, cast: Cast, api: Api) -> None:
        post = publish_post(author=cast.ana, text="soup")
        with redis_down():
            body = api(cast.carla).get(FEED).json()
        assert [shown["id"] for shown in body["posts"]] == [post.pk]


def test_a_warm_page_runs_no_sql_authentication_included(
    cast: Cast, api: Api, settle: Callable[[], None], django_assert_num_queries: Any
) -> None:
    from feeds.lists import keys_at

    PostFactory.create_batch(3, author=cast.ana)
    client = api(cast.carla)
    settle()
    for _ in range(2):
        client.get(FEED)
    overlay.build_overlay(keys_at(1))
    with django_assert_num_queries(0):
        assert len(client.get(FEED).json()["posts"]) == 3


def test_text_of_any_script_comes_through(cast: Cast, api: Api) -> None:
    text = 'Grüße 🍲 "Zitat" \\ \u2028 نص العربية'
    guest = AccountFactory(username="gast", display_name='Gäst "G" 🥘', cook=True)
    publish_post(author=guest, text=text)
    body = api(guest).get(FEED).json()
    assert body["posts"][0]["text"] == text
    assert body["posts"][0]["author"]["display_name"] == 'Gäst "G" 🥘'
