"""A real browser on a live server. Without Chromium these tests are skipped, or fail where one is required."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from social.models import Account
from tests.factories import PASSWORD

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
    """`open_browser(account)` is a phone on which that account has signed in through the form."""
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
            sign_in(page, account)
        return page

    yield open_as
    for context in contexts:
        context.close()


def sign_in(page: Page, account: Account) -> None:
    page.goto("/sign-in")
    page.get_by_label("Username").fill(account.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1, name="Today's menus").wait_for()


def menu_ids(page: Page) -> list[int]:
    """The menus on the page, in order."""
    return [
        int(str(card.get_attribute("id")).removeprefix("menu-")) for card in page.locator("article").all()
    ]
