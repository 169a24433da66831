"""The API's document in a browser."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_the_api_is_browsable_on_a_phone_and_asks_nobody_else(cast, open_browser, live_server):
    page = open_browser(None)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/docs")
    page.get_by_text("/api/v1/posts", exact=True).first.click()
    expect(page.get_by_text("Try it out").first).to_be_visible()
    assert said == []
    assert [url for url in asked if not url.startswith((str(live_server), "data:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
