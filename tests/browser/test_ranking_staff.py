"""Staff turn the weights of the ranked feed in a browser: the preview follows, with scripts while they type."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from feeds.models import RankingSettings
from feeds.ranking.current import current_weights
from posts.models import Opening
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_access import violations
from tests.factories import Cast
from tests.ranking.helpers import different_menus

pytestmark = pytest.mark.browser

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGE = "/admin/feeds/rankingsettings/"


@pytest.fixture
def menus(cast: Cast, settle: Callable[[], None]) -> list[int]:
    """Six an hour apart, of maria and ana in turn; carla has opened the oldest, which is ana's."""
    ids = different_menus([cast.maria.pk, cast.ana.pk] * 3, minutes_apart=60)
    Opening.objects.create(account=cast.carla, post_id=ids[5])
    settle()
    return ids


def order_on(page: Page) -> list[str]:
    """Cooks of the ranked list."""
    return [
        words.split(",")[0]
        for words in page.locator("section[aria-labelledby=by-weights] .cy-quiet").all_inner_texts()
    ]


def stands_in_nobodys_way(page: Page) -> None:
    """What is ours: on a phone by day, at a desk by night."""
    page.emulate_media(reduced_motion="reduce")
    for window, colours, rules in ((PHONE, "light", RULES), (DESK, "dark", ["color-contrast"])):
        page.set_viewport_size(window)
        page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") == window["width"]
        assert not violations(page, runOnly=rules, include=[["#content"]])


def test_a_weight_is_turned_looked_at_saved_and_put_back(
    cast: Cast, menus: list[int], open_browser: Callable[..., Page], scripts: bool
) -> None:
    page = open_browser(cast.stef, scripts=scripts, desk=True)
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(PAGE)
    expect(page.get_by_text("All 14 weights of the ranked feed are at their defaults.")).to_be_visible()
    moved = page.locator("#moved")
    expect(moved).to_have_text("These are the weights in force.")
    page.get_by_label("Viewer").fill("carla")
    page.get_by_label("Openings weight").fill("0")
    if not scripts:
        page.get_by_role("button", name="Preview").click()
    expect(moved).to_contain_text("stand elsewhere than by the weights in force; first now")
    assert order_on(page) == ["@maria", "@ana"] * 3
    page.get_by_label("Openings weight").fill("10")
    if not scripts:
        page.get_by_role("button", name="Preview").click()
    expect(page.locator("section[aria-labelledby=by-weights] li .cy-quiet").first).to_contain_text("@ana")
    assert order_on(page) == ["@ana"] * 2 + ["@maria"] * 2 + ["@ana", "@maria"]
    expect(page.locator("#id_weight_openings_weight_state")).to_have_text("In force: 0.6.")
    assert not RankingSettings.objects.exists()
    if scripts:
        stands_in_nobodys_way(page)

    save = page.get_by_role("button", name="Save, and bring it into force")
    save.click()
    expect(page.locator(".errorlist")).to_have_text("Must not be empty.")
    expect(page.get_by_label("Openings weight")).to_have_value("10")
    page.get_by_label("Reason").fill("Friends first.")
    save.click()
    expect(page.locator(".messagelist")).to_contain_text("in force for every list that is ranked from now on")
    assert current_weights()["openings_weight"] == 10
    page.get_by_role("link", name="Undo…").click()
    expect(page.get_by_label("Openings weight")).to_have_value("0.6")
    expect(page.get_by_label("Reason")).to_have_value("Undo: Friends first.")
    page.get_by_role("button", name="Save, and bring it into force").click()
    expect(page.locator(".messagelist")).to_contain_text("Saved")
    assert current_weights()["openings_weight"] == 0.6
    assert [words for words in refused if "400" not in words] == []


def test_what_is_no_weight_is_told_while_it_is_typed(
    cast: Cast, menus: list[int], open_browser: Callable[..., Page]
) -> None:
    page = open_browser(cast.stef)
    page.goto(f"{PAGE}1/change/?viewer=carla")
    before = order_on(page)
    gravity = page.get_by_label("Gravity")
    gravity.fill("9")
    expect(page.locator("#id_weight_gravity_state")).to_have_text("Must be from 0 to 5.")
    expect(page.locator("#moved")).to_contain_text("Gravity: not as typed, see there.")
    assert order_on(page) == before
    gravity.fill("0")
    expect(page.locator("#id_weight_gravity_state")).to_have_text("In force: 1.2.")
    page.get_by_label("Viewer").fill("nobody.here")
    expect(page.locator("#moved")).to_have_text("There is no account @nobody.here.")
    page.get_by_label("Viewer").fill("carla")
    expect(page.locator("#by-weights")).to_be_visible()


def test_a_preview_that_does_not_come_is_told(
    cast: Cast, menus: list[int], open_browser: Callable[..., Page]
) -> None:
    page = open_browser(cast.stef)
    page.goto(f"{PAGE}1/change/?viewer=carla")
    stale = page.get_by_text("What stands here is of before")
    expect(stale).to_be_hidden()
    page.context.clear_cookies()
    page.get_by_label("Gravity").fill("0")
    expect(stale).to_be_visible()
    expect(page.locator("#by-weights")).to_be_visible()
    expect(page.locator("#login-form")).to_have_count(0)
