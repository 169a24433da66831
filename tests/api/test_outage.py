"""PostgreSQL stopped and started again under a real web server process."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from courtyard.embedded.processes import wait_until
from feeds.outage import postgresql
from social.authentication import access_token
from social.models import Account
from tests import services
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import warm
from tests.stateful.processes import Web

PATIENCE_SECONDS = 2.0  # of a program that publishes; a 503 after that is a time-out


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Person:
    """Somebody with a token and a browser, at a server process. TimeoutError after PATIENCE_SECONDS."""

    port: int
    account: Account
    session: str

    def calls(self, method: str, path: str, body: Any = None) -> Answer:
        headers = {
            "Authorization": f"Bearer {access_token(self.account)}",
            "Content-Type": "application/json",
        }
        return self._ask(method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)

    def visits(self, path: str) -> Answer:
        return self._ask("GET", path, None, {"Cookie": f"{settings.SESSION_COOKIE_NAME}={self.session}"})

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        asking = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            asking.request(method, path, body, headers)
            reply: HTTPResponse = asking.getresponse()
            return Answer(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            asking.close()


@pytest.fixture
def web(start_web: Callable[..., Web]) -> Web:
    return start_web(DJANGO_SETTINGS_MODULE="tests.courtyard.deployed")


@pytest.fixture
def at(web: Web) -> Callable[[Account], Person]:
    def person(account: Account) -> Person:
        browser = Client()
        browser.force_login(account)
        return Person(web.port, account, browser.cookies[settings.SESSION_COOKIE_NAME].value)

    return person


@contextmanager
def postgresql_stopped() -> Iterator[None]:
    server = services.servers["DATABASE_URL"]
    connection.close()
    connection.close_pool()
    server.stop()
    try:
        yield
    finally:
        server.start()
        assert not postgresql.look()


def test_warm_feeds_go_on_and_writers_are_told_at_once(
    cast: Cast, at: Callable[[Account], Person], settle: Callable[[], None]
) -> None:
    post = PostFactory(author=cast.ana, text="Lentil soup")
    settle()
    warm(cast.carla)
    carla, ana = at(cast.carla), at(cast.ana)
    assert carla.calls("GET", "feed").status == 200 == carla.visits("/").status  # cards are in its memory
    with postgresql_stopped():
        with ThreadPoolExecutor(24) as crowd:
            writes = [crowd.submit(ana.calls, "POST", "posts", {"text": "lost"}) for _ in range(20)]
            reads = [crowd.submit(carla.calls, "GET", "feed") for _ in range(4)]
            answers = [write.result() for write in writes]
            pages = [read.result() for read in reads]
        for answer in answers:
            assert answer.status == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert int(answer.headers["retry-after"]) > 0
            assert answer.json["code"] == "unavailable"
        for page in [*pages, carla.calls("GET", "feed")]:
            assert page.status == 200
            assert [shown["id"] for shown in page.json["posts"]] == [post.pk]
            assert page.json["degraded"] is False
        home = carla.visits("/")
        assert home.status == 200
        assert b"Lentil soup" in home.body
        for path in ("/settings/", "/cooks/", f"/menus/{post.pk}"):
            assert (path, carla.visits(path).status) == (path, 503)
        signing_in = {"username": "nina", "password": "nobody guesses this"}
        for method, path, body in [
            ("PUT", f"follows/{cast.maria.pk}", None),
            ("DELETE", f"posts/{post.pk}", None),
            ("POST", "accounts", signing_in),
            ("POST", "auth/token", signing_in),
            ("GET", "me", None),
        ]:
            assert (path, carla.calls(method, path, body).status) == (path, 503)
    assert wait_until(lambda: ana.calls("POST", "posts", {"text": "back"}).status == 201, 10)
    shown = carla.calls("GET", "feed").json["posts"]
    assert [menu["text"] for menu in shown] == ["back", "Lentil soup"]
    assert carla.visits("/settings/").status == 200
    assert carla.calls("POST", "accounts", signing_in).status == 201
    assert carla.calls("POST", "auth/token", signing_in).status == 200
