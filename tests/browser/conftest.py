"""A real browser on a live server. Without Chromium these tests are skipped, or fail where one is required."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from social.models import Account

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_MS = 10_000


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("COURTYARD_REQUIRE_BROWSER"):
            pytest.fail("Chromium is not installed, and COURTYARD_REQUIRE_BROWSER is set.")
        pytest.skip("Chromium is not installed.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(params=["with scripts", "without scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    return request.param == "with scripts"


@pytest.fixture
def open_browser(chromium: Browser, live_server: object) -> Iterator[Callable[..., Page]]:
    """`open_browser(account)` is a phone on which that account is signed in and looks at its menus."""
    contexts: list[BrowserContext] = []

    def open_as(account: Account | None, *, scripts: bool = True, zone: str | None = None) -> Page:
        context = chromium.new_context(
            base_url=str(live_server),
            java_script_enabled=scripts,
            viewport={"width": 390, "height": 844},
            timezone_id=zone,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        if account is not None:
            context.add_cookies([session_of(account) | {"url": str(live_server)}])
            page.goto("/")
        return page

    yield open_as
    for context in contexts:
        context.close()


def session_of(account: Account) -> dict[str, str]:
    """The cookie that signing in leaves; the form is walked by a test of its own."""
    client = Client()
    client.force_login(account)
    return {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}


def menu_ids(page: Page) -> list[int]:
    """The menus on the page, in order."""
    return [
        int(str(card.get_attribute("id")).removeprefix("menu-")) for card in page.locator("article").all()
    ]
