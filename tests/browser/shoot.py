"""Takes the README's pictures, docs/screens/*.png, from a running Courtyard with the demo in it.

bin/manage demo --logins     # names a customer
.courtyard/venv/bin/python tests/browser/shoot.py http://localhost:8000 <customer> <password>
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

SCREENS = Path(__file__).resolve().parents[2] / "docs" / "screens"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
# file name, window, colours
PICTURES = (("today-phone", PHONE, "light"), ("today-phone-dark", PHONE, "dark"), ("today", DESK, "light"))


def sign_in(page: Page, username: str, password: str) -> None:
    page.goto("/sign-in")
    page.locator("[name=username]").fill(username)
    page.locator("[name=password]").fill(password)
    page.locator("main button[type=submit]").click()
    page.locator(".feed").wait_for()


def shoot(browser: Browser, base: str, login: tuple[str, str]) -> None:
    for name, window, colours in PICTURES:
        context = browser.new_context(base_url=base, viewport=window, color_scheme=colours)  # type: ignore[arg-type]
        page = context.new_page()
        sign_in(page, *login)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=SCREENS / f"{name}.png")
        context.close()


def main(base: str, username: str, password: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        shoot(chromium, base, (username, password))
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
