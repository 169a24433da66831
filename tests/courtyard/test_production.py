"""The settings of a real deployment: those of docker-compose.yml, with what docs/running.md puts into `.env`."""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml

from courtyard.embedded.addresses import readiness
from tests.conftest import database_url
from tests.factories import PASSWORD, Cast
from tests.stateful.processes import Web

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SITE = "menus.example.com"
DOT_ENV = {
    "SECRET_KEY": secrets.token_urlsafe(50),
    "ALLOWED_HOSTS": SITE,
    "POSTGRES_PASSWORD": "soup",
}
COMMANDS = {
    "manage": ["manage.py", "check"],
    "web": ["-m", "courtyard.embedded.process", "web"],
    "worker": ["-m", "courtyard.embedded.process", "worker"],
    "beat": ["-m", "courtyard.embedded.process", "beat"],
    "a web server's own process": ["-c", "import courtyard.wsgi"],
    "celery by itself": ["-m", "celery", "--quiet", "-A", "courtyard", "worker"],
}


def of_compose(**dot_env: str) -> dict[str, str]:
    """The environment that docker-compose.yml gives our processes."""
    compose = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
    given = DOT_ENV | dot_env

    def filled(match: re.Match[str]) -> str:
        name, otherwise = match["name"], match["otherwise"]
        assert name in given or otherwise is not None, f"{name} has to be set"
        return given.get(name) or otherwise or ""

    form = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<otherwise>[^}]*)|:\?[^}]*)\}")
    return {name: form.sub(filled, value) for name, value in compose["x-courtyard"]["environment"].items()}


def run(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A program of ours with this environment and nothing else of ours."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env={"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_djangos_own_check_of_deployments_has_nothing_to_say() -> None:
    checked = run(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], of_compose())
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("program", COMMANDS)
def test_nothing_starts_without_a_key(program: str) -> None:
    environment = of_compose()
    del environment["SECRET_KEY"]
    refused = run(COMMANDS[program], environment)
    assert refused.returncode == 1
    assert refused.stderr == "courtyard: SECRET_KEY is not set; it takes 50 random characters or more\n"


def test_nor_with_one_that_can_be_guessed() -> None:
    refused = run(COMMANDS["manage"], of_compose(SECRET_KEY="x"))
    assert refused.returncode == 1
    assert refused.stderr == "courtyard: SECRET_KEY can be guessed; it takes 50 random characters or more\n"


class Deployed(Web):
    def is_ready(self) -> bool:
        return not readiness("127.0.0.1", self.port)  # as the container's health check asks


class Proxy:
    """Hands requests of browsers on, which have come by https, or not."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.cookies: SimpleCookie = SimpleCookie()

    def ask(
        self,
        method: str,
        path: str,
        form: dict[str, str] | None = None,
        *,
        scheme: str = "https",
        **headers: str,
    ) -> tuple[int, dict[str, str], str]:
        sent = {
            "Host": SITE,
            "X-Forwarded-Proto": scheme,
            "Cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
        } | headers
        connection = HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request(method, path, urlencode(form or {}), sent)
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie") or []:
                self.cookies.load(line)
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
        finally:
            connection.close()

    def sign_in(self, **headers: str) -> int:
        _, _, page = self.ask("GET", "/sign-in")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token
        form = {"username": "carla", "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
        return self.ask("POST", "/sign-in", form, **headers)[0]


@pytest.fixture
def proxy(cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """In front of a server process with the settings of compose, which knows two names of itself."""
    monkeypatch.setenv("ALLOWED_HOSTS", f"{SITE}, web")
    stores = {name: os.environ[name] for name in ("FEED_REDIS_URL", "CELERY_BROKER_URL")}
    given = of_compose(ALLOWED_HOSTS=f"{SITE}, web", CSRF_TRUSTED_ORIGINS="https://www.example.com")
    ours = {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.courtyard.deployed"}
    web = Deployed("web", tmp_path, given | stores | ours)
    web.start()
    try:
        web.wait_until_ready()
        yield Proxy(web.port)
    finally:
        web.stop()


def test_behind_a_proxy_all_is_https_and_forms_come_from_the_site_itself(proxy: Proxy) -> None:
    status, headers, _ = proxy.ask("GET", "/sign-in", scheme="http")
    assert (status, headers["location"]) == (301, f"https://{SITE}/sign-in")
    assert "strict-transport-security" not in headers
    status, headers, _ = proxy.ask("GET", "/sign-in")
    assert (status, headers["strict-transport-security"]) == (200, "max-age=2592000")
    assert proxy.ask("GET", "/sign-in", Host="evil.example")[0] == 400

    assert proxy.sign_in(Origin="https://evil.example") == 403
    assert proxy.sign_in(Origin=f"http://{SITE}") == 403
    assert proxy.sign_in(Origin=f"https://{SITE}", Host="web:8000") == 403  # a proxy that changes the name
    assert proxy.sign_in(Origin="https://www.example.com", Host="web:8000") == 302  # and says which it was
    proxy.cookies.clear()
    assert proxy.sign_in(Origin=f"https://{SITE}") == 302
    cookies = {name: morsel.OutputString() for name, morsel in proxy.cookies.items()}
    assert cookies.keys() >= {"csrftoken", "sessionid"}
    for line in cookies.values():
        assert {"Secure", "SameSite=Lax"} <= set(line.split("; "))
    assert "HttpOnly" in cookies["sessionid"].split("; ")
