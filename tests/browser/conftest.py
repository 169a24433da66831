"""A real browser on a live server. Without Chromium these tests are skipped, or fail where one is required."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from social.models import Account

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_MS = 10_000
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}


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


@dataclass(frozen=True)
class Way:
    """How somebody walks through a whole story."""

    scripts: bool
    desk: bool


@pytest.fixture(
    params=[Way(scripts=True, desk=False), Way(scripts=True, desk=True), Way(scripts=False, desk=False)],
    ids=["phone", "desk", "phone without scripts"],
)
def way(request: pytest.FixtureRequest) -> Way:
    return request.param


@pytest.fixture
def open_browser(chromium: Browser, live_server: object) -> Iterator[Callable[..., Page]]:
    """`open_browser(account)` is a phone, or a desk, at which that account is signed in and looks at its menus."""
    contexts: list[BrowserContext] = []

    def open_as(
        account: Account | None, *, scripts: bool = True, desk: bool = False, zone: str | None = None
    ) -> Page:
        context = chromium.new_context(
            base_url=str(live_server),
            java_script_enabled=scripts,
            viewport=DESK if desk else PHONE,
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


def walk_to_the_end(page: Page, *, scripts: bool, more: str = "Older menus") -> list[int]:
    """Every menu id in the order seen: by scrolling, or by the plain links, which say `more`."""
    end = page.locator("#end")
    seen: list[int] = []
    page.wait_for_load_state("domcontentloaded")
    for _ in range(30):
        if end.count():
            return seen + menu_ids(page)
        if scripts:
            page.mouse.wheel(0, 4000)
            page.wait_for_timeout(100)
        else:
            seen += menu_ids(page)
            with page.expect_navigation(wait_until="domcontentloaded"):
                page.get_by_role("link", name=more).click()
    raise AssertionError("The feed did not end.")


def menu_ids(page: Page) -> list[int]:
    """The menus on the page, in order.

    A click returns while the page it leads to may still be coming in, and counting what is there does not
    wait: half a page would be taken for a whole one.
    """
    page.wait_for_load_state("domcontentloaded")
    return [
        int(str(card.get_attribute("id")).removeprefix("menu-")) for card in page.locator("article").all()
    ]
