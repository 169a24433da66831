"""/api/schema and /api/docs: the document is right, whole and true."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.urls import URLPattern, URLResolver
from django.urls import get_resolver as resolver
from rest_framework.test import APIClient

from feeds.lists import execute_one
from social.models import Account
from tests.api.conforming import check_answer, operations, resolved, wrong_with
from tests.api.test_feed import problem
from tests.factories import PASSWORD, AccountFactory, Cast, PhotoFactory, PostFactory, uploaded
from tests.feeds.helpers import keys_now, postgres_down

Api = Callable[[Account | None], APIClient]
SCHEMA = "/api/schema"


def test_it_is_openapi_and_nothing_is_left_to_guessing(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_every_address_of_the_api_is_in_it(cast: Cast, api: Api) -> None:
    def views(patterns: list[Any], before: str = "/") -> Iterator[tuple[str, type]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from views(pattern.url_patterns, before + str(pattern.pattern))
            elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
                yield before + str(pattern.pattern), pattern.callback.cls

    there = {
        (method.upper(), path.replace("<id:", "{").replace(">", "}"))
        for path, view in views(resolver().url_patterns)
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(view, method)
    }
    assert there == set(operations())


class TestTheDocument:
    @pytest.mark.parametrize(
        ("accept", "query", "content_type"),
        [
            ("*/*", "", "application/json"),
            ("application/json", "", "application/json"),
            ("application/vnd.oai.openapi+json", "", "application/vnd.oai.openapi+json"),
            ("application/yaml", "", "application/yaml"),
            ("application/vnd.oai.openapi", "", "application/vnd.oai.openapi"),
            ("application/json", "yaml", "application/yaml"),
            ("application/yaml", "json", "application/json"),
        ],
    )
    def test_as_json_or_yaml(self, api: Api, accept: str, query: str, content_type: str) -> None:
        response = api(None).get(SCHEMA, {"format": query} if query else {}, HTTP_ACCEPT=accept)
        assert (response.status_code, response["Content-Type"]) == (200, content_type)
        read = json.loads if "json" in content_type else yaml.safe_load
        assert read(response.content)["openapi"] == "3.1.0"

    def test_other_formats_are_not_there(self, api: Api) -> None:
        problem(api(None).get(SCHEMA, HTTP_ACCEPT="text/html"), 406, "not_acceptable")
        problem(api(None).get(SCHEMA, {"format": "xml"}), 406, "not_acceptable")

    def test_it_may_be_kept_and_is_not_sent_twice(self, api: Api) -> None:
        first = api(None).get(SCHEMA)
        assert first["Cache-Control"] == "public, max-age=300"
        again = api(None).get(SCHEMA, HTTP_IF_NONE_MATCH=first["ETag"])
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert api(None).get(SCHEMA, {"format": "yaml"})["ETag"] != first["ETag"]

    def test_it_needs_neither_a_token_nor_a_store(self, cast: Cast, api: Api) -> None:
        client = api(None)
        client.credentials(HTTP_AUTHORIZATION="Bearer damaged")
        with postgres_down():
            assert client.get(SCHEMA).status_code == 200
            assert client.get("/api/docs").status_code == 200

    def test_a_body_and_its_example(self) -> None:
        for (method, path), operation in operations().items():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                for example in media["examples"].values():
                    assert wrong_with(media["schema"], example["value"]) == [], f"{method} {path}"

    def test_answers_and_their_examples(self) -> None:
        for (method, path), operation in operations().items():
            for status, answer in operation["responses"].items():
                for media in resolved(answer).get("content", {}).values():
                    examples = media.get("examples", {})
                    assert examples or "html" in str(media) or "schema" in path or "docs" in path, (
                        f"{path} {status}"
                    )
                    for example in examples.values():
                        assert wrong_with(media["schema"], example["value"]) == [], (
                            f"{method} {path} {status}"
                        )

    def test_parameters_and_their_examples(self) -> None:
        for (method, path), operation in operations().items():
            for parameter in operation.get("parameters", []):
                for example in parameter.get("examples", {}).values():
                    assert wrong_with(parameter["schema"], example["value"]) == [], f"{method} {path}"

    def test_each_call_has_words_and_is_bounded(self) -> None:
        names = [operation["operationId"] for operation in operations().values()]
        assert len(set(names)) == len(names)
        for (method, path), operation in operations().items():
            assert operation["summary"], f"{method} {path}"
            assert len(operation["tags"]) == 1
            for parameter in operation.get("parameters", []):
                schema = parameter["schema"]
                assert {"maxLength", "maximum", "enum"} & set(schema), f"{method} {path} {parameter['name']}"


SIGNED_OUT = {"sign_up", "sign_in", "refresh", "sign_out", "get_schema", "get_docs"}


def test_what_says_that_it_needs_a_token_needs_one(cast: Cast, api: Api) -> None:
    for (method, path), operation in operations().items():
        assert ("security" not in operation) == (operation["operationId"] in SIGNED_OUT), path
        address = path.replace("{account_id}", str(cast.ana.pk)).replace("{post_id}", "7")
        response = getattr(api(None), method.lower())(address)
        assert (response.status_code == 401) == ("security" in operation), f"{method} {path}"
        check_answer(response)


class Walk:
    """A client whose every answer is compared with the document; and which of its answers have been seen."""

    def __init__(self, api: Api) -> None:
        self._api, self.seen = api, set[tuple[str, str, int]]()

    def __call__(self, who: Account | None, method: str, path: str, body: Any = None, **more: Any) -> Any:
        address = path if path.startswith("/") else f"/api/v1/{path}"
        response = getattr(self._api(who), method)(address, body, format=more.pop("format", "json"), **more)
        self.seen.add(check_answer(response))
        return response


def test_real_answers_are_as_the_document_says(cast: Cast, api: Api) -> None:
    walk, ana, sam, carla, maria = Walk(api), cast.ana, cast.sam, cast.carla, cast.maria
    private = AccountFactory(
        private=True, cook=True, order_url="https://example.org", avatar_url="/static/a.png"
    )
    old = PostFactory(author=ana, photos=PhotoFactory.build_batch(1))
    PostFactory(author=maria)

    walk(None, "get", "/api/schema")
    etag = walk(None, "get", "/api/schema", format=None)["ETag"]
    walk(None, "get", "/api/schema", HTTP_IF_NONE_MATCH=etag)
    walk(None, "get", "/api/docs", format=None)
    walk(None, "post", "accounts", {"username": "rita", "password": PASSWORD, "email": "rita@example.org"})
    walk(None, "post", "accounts", {"username": "rita", "password": PASSWORD})
    pair = walk(None, "post", "auth/token", {"username": "rita", "password": PASSWORD}).json()
    walk(None, "post", "auth/token", {"username": "rita", "password": "wrong"})
    pair = walk(None, "post", "auth/token/refresh", {"refresh": pair["refresh"]}).json()
    walk(None, "post", "auth/sign-out", {"refresh": pair["refresh"]})
    walk(None, "post", "auth/sign-out", {"refresh": pair["access"]})
    rita = Account.objects.get(username="rita")
    walk(rita, "get", "me")
    walk(rita, "patch", "me", {"city": "Porto", "order_url": "https://example.org/order"})
    walk(rita, "patch", "me", {"is_cook": "yes"})
    walk(rita, "delete", "me")

    walk(sam, "get", "accounts?limit=1")
    walk(sam, "get", "accounts?limit=0")
    walk(sam, "get", "accounts?cursor=x")
    walk(sam, "get", f"accounts/{private.pk}")
    walk(sam, "get", "accounts/999")
    walk(sam, "get", f"accounts/{maria.pk}/followers?limit=1")
    walk(sam, "get", f"accounts/{carla.pk}/following")
    walk(sam, "get", f"accounts/{private.pk}/followers")
    walk(sam, "get", f"accounts/{ana.pk}/posts")
    walk(sam, "put", f"follows/{ana.pk}")
    walk(sam, "put", f"follows/{sam.pk}")
    walk(sam, "put", f"follows/{private.pk}")
    walk(carla, "put", f"follows/{private.pk}")
    walk(private, "get", "follow-requests?limit=1")
    walk(private, "put", f"follow-requests/{sam.pk}")
    walk(private, "delete", f"follow-requests/{carla.pk}")
    walk(private, "delete", f"followers/{sam.pk}")
    walk(sam, "put", f"mutes/{maria.pk}", {"expires_in": 60})
    walk(sam, "get", "mutes")
    walk(sam, "delete", f"mutes/{maria.pk}")
    walk(sam, "put", f"blocks/{maria.pk}")
    walk(sam, "put", f"follows/{maria.pk}")
    walk(sam, "get", "blocks")
    walk(sam, "delete", f"blocks/{maria.pk}")
    walk(sam, "put", f"posts/{old.pk}/like")
    walk(sam, "post", f"posts/{old.pk}/report", {"reason": "A hair in it."})
    walk(ana, "post", f"posts/{old.pk}/report", {"reason": "A hair in it."})

    dish = {"name": "Soup", "price": "6.5", "tags": ["vegan"]}
    new = walk(ana, "post", "posts", {"dishes": [dish]}, HTTP_IDEMPOTENCY_KEY="one").json()
    walk(ana, "post", "posts", {"text": "Else"}, HTTP_IDEMPOTENCY_KEY="one")
    form = {"format": "multipart", "HTTP_IDEMPOTENCY_KEY": "two"}
    media = walk(ana, "post", "media", {"file": uploaded(), "alt": "Soup"}, **form).json()
    walk(ana, "post", "media", {"file": uploaded(), "alt": "Stew"}, **form)
    walk(ana, "post", "media", {"file": uploaded(b"soup"), "alt": "Soup"}, format="multipart")
    walk(ana, "patch", f"posts/{new['id']}", {"media_ids": [media["media_id"]]})
    walk(ana, "post", "posts", {"text": ""})
    walk(sam, "post", "posts", {"text": "Soup"})
    walk(ana, "post", "posts", b"text=Soup", format=None, content_type="application/x-www-form-urlencoded")
    walk(ana, "post", "posts", {"text": "x" * (1 << 20)})
    walk(ana, "patch", f"posts/{new['id']}", {"text": "Ready", "dishes": [{"id": new["dishes"][0]["id"]}]})
    walk(sam, "patch", f"posts/{new['id']}", {"text": "Mine"})
    walk(sam, "get", f"posts/{old.pk}")
    walk(sam, "get", "posts/1")
    page = walk(sam, "get", "feed?limit=1").json()
    walk(sam, "get", f"feed?limit=1&cursor={page['next_cursor']}")
    walk(sam, "get", f"feed?since={page['refresh_cursor']}")
    walk(sam, "get", f"feed/updates?since={page['refresh_cursor']}")
    walk(sam, "get", "feed/updates")
    walk(sam, "get", "feed?cursor=x")
    ranked = walk(sam, "get", "feed?order=ranked&explain=1&limit=1").json()
    walk(sam, "get", f"feed?order=ranked&cursor={ranked['next_cursor']}")
    walk(sam, "post", "feed/seen", {"post_ids": [old.pk]})
    walk(sam, "post", "feed/seen", {"post_ids": old.pk})
    execute_one(keys_now(), ("UNLINK", keys_now().snapshots(sam.pk)))
    walk(sam, "get", f"feed?order=ranked&cursor={ranked['next_cursor']}")
    walk(sam, "get", "feed", HTTP_ACCEPT="text/html")
    walk(sam, "delete", f"posts/{old.pk}/like")
    walk(sam, "delete", f"follows/{ana.pk}")
    walk(sam, "delete", f"posts/{new['id']}")
    walk(ana, "delete", f"posts/{new['id']}")
    with postgres_down():
        walk(ana, "post", "posts", {"text": "Soup"})

    documented = {
        (method, path, int(status))
        for (method, path), operation in operations().items()
        for status in operation["responses"]
        if status < "400"
    }
    assert documented - walk.seen == set()


def test_answers_of_limited_calls_say_how_the_limits_stand(cast: Cast, api: Api, settings: Any) -> None:
    settings.RATE_LIMITS = True
    walk = Walk(api)
    assert "RateLimit" in walk(cast.sam, "put", f"follows/{cast.ana.pk}")
    assert "RateLimit" in walk(None, "post", "auth/token", {"username": "ana", "password": PASSWORD})
    assert "RateLimit" not in walk(cast.sam, "get", "me")
    for _ in range(50):
        answer = walk(None, "post", "auth/token", {"username": "ana", "password": "wrong"})
        if answer.status_code == 429:
            break
    assert answer.status_code == 429
    assert "RateLimit" in answer


class TestMethods:
    @pytest.mark.parametrize("path", sorted({path for _, path in operations()}))
    def test_options_says_what_there_is_and_no_more(
        self, cast: Cast, api: Api, path: str, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(0):
            response = api(None).options(path.replace("{account_id}", "7").replace("{post_id}", "7"))
        assert (response.status_code, response.content) == (204, b"")
        there = {method for method, known in operations() if known == path}
        assert set(response["Allow"].split(", ")) == {*there, "OPTIONS"} | (
            {"HEAD"} if "GET" in there else set()
        )
        assert not [name for name in response.headers if name.lower().startswith("access-control")]

    def test_options_of_no_address(self, api: Api) -> None:
        problem(api(None).options("/api/v1/nothing"), 404, "not_found")

    def test_head_is_get_without_a_body(self, cast: Cast, api: Api) -> None:
        post = PostFactory(author=cast.ana)
        client = api(cast.carla)
        for path in ("feed", "accounts", "me", "blocks", f"posts/{post.pk}", f"accounts/{cast.ana.pk}/posts"):
            got, head = client.get(f"/api/v1/{path}"), client.head(f"/api/v1/{path}")
            assert (head.status_code, head.content) == (200, b""), path
            kept = ("Content-Type", "Cache-Control", "Allow")
            assert [head.get(name) for name in kept] == [got.get(name) for name in kept]
        problem(api(cast.carla).post("/api/v1/feed"), 405, "method_not_allowed")
        assert api(None).head("/api/v1/feed").status_code == 401
        assert client.head("/api/v1/posts/1").status_code == 404

    @pytest.mark.parametrize("path", sorted({path for _, path in operations()}))
    def test_another_method_is_405_and_says_which_there_are(self, cast: Cast, api: Api, path: str) -> None:
        there = {method for method, known in operations() if known == path}
        address = path.replace("{account_id}", "7").replace("{post_id}", "7")
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - there:
            response = getattr(api(cast.ana), method.lower())(address)
            problem(response, 405, "method_not_allowed")
            assert there <= set(response["Allow"].split(", "))

    @pytest.mark.parametrize("path", ["feed/", "posts/7/", "accounts/", "nothing", ""])
    def test_an_address_that_is_not_there(self, cast: Cast, api: Api, path: str) -> None:
        problem(api(cast.ana).get(f"/api/v1/{path}"), 404, "not_found")

    def test_other_origins_are_told_nothing(self, cast: Cast, api: Api) -> None:
        for client, path in ((api(cast.ana), "/api/v1/feed"), (api(None), SCHEMA)):
            response = client.get(path, HTTP_ORIGIN="https://elsewhere.example")
            assert not [name for name in response.headers if name.lower().startswith("access-control")]
