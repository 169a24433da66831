"""The order "for you" in a real browser: chosen, remembered, explained, walked to its end, and when it runs out."""

import re

import pytest
from playwright.sync_api import Page, expect

from feeds.lists import execute_one
from feeds.models import Seen
from feeds.ranking.recording import bring_notes
from posts.models import Opening
from tests.browser.conftest import menu_ids, walk_to_the_end
from tests.conftest import wait_for
from tests.factories import AccountFactory, FollowFactory, PostFactory
from tests.feeds.helpers import keys_now
from tests.ranking.helpers import different_menus

pytestmark = pytest.mark.browser


@pytest.fixture
def menus(cast, settle):
    """Fifty of ten cooks in turn, ana's opened before."""
    cooks = [cast.ana, cast.maria, *AccountFactory.create_batch(8, cook=True)]
    for cook in cooks[2:]:
        FollowFactory(follower=cast.carla, followee=cook)
    ids = different_menus([cook.pk for cook in cooks] * 5)
    Opening.objects.create(account=cast.carla, post_id=ids[40])
    settle()
    return ids


def choose(page: Page, order: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=order, exact=True).click()


def test_it_is_chosen_remembered_explained_and_left(cast, menus, open_browser, scripts):
    page = open_browser(cast.carla, scripts=scripts)
    assert menu_ids(page) == menus[:20]
    choose(page, "For you")
    page.reload()
    expect(page.get_by_role("button", name="For you")).to_have_attribute("aria-pressed", "true")
    first = menu_ids(page)
    assert first != menus[:20]
    why = page.locator(f"#menu-{menus[0]} .why")
    why.locator("summary").click()
    expect(why).to_contain_text("You have opened menus of Ana.")
    expect(why).to_contain_text("It is fresh.")
    assert sorted(walk_to_the_end(page, scripts=scripts, more="More menus")) == sorted(menus)
    expect(page.locator("#end")).to_contain_text("That is all of the last days.")
    page.goto("/")
    choose(page, "Newest")
    page.reload()
    assert menu_ids(page) == menus[:20]
    expect(page.locator(".why")).to_have_count(0)


def test_back_returns_to_the_same_menus_in_the_same_order(cast, menus, open_browser):
    page = open_browser(cast.carla)
    choose(page, "For you")
    page.mouse.wheel(0, 6000)
    expect(page.locator("article")).to_have_count(40)
    before = menu_ids(page)
    card = page.locator(f"#menu-{before[25]}")
    card.scroll_into_view_if_needed()
    top = card.bounding_box()["y"]
    PostFactory.create_batch(3, author=cast.ana)
    Opening.objects.create(account=cast.carla, post_id=menus[1])
    card.locator(".card-link").click()
    expect(page).to_have_url(re.compile(f"/menus/{before[25]}$"))
    page.go_back()
    expect(card).to_be_in_viewport()
    assert menu_ids(page)[: len(before)][:26] == before[:26]
    assert abs(card.bounding_box()["y"] - top) < 3


def test_an_order_that_has_run_out_says_so_and_keeps_what_is_shown(cast, menus, open_browser, scripts):
    page = open_browser(cast.carla, scripts=scripts)
    choose(page, "For you")
    shown = menu_ids(page)
    execute_one(keys_now(), ("UNLINK", keys_now().snapshots(cast.carla.pk)))
    if scripts:
        page.mouse.wheel(0, 30_000)
        expect(page.locator("#expired")).to_contain_text("This order was made a while ago and has run out.")
        assert menu_ids(page) == shown
    else:
        page.get_by_role("link", name="More menus").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This order has run out")
    page.get_by_role("link", name="Make a new order").click()
    expect(page.get_by_role("link", name="More menus")).to_be_attached()
    assert len(menu_ids(page)) >= 20


def test_what_is_new_comes_on_top(cast, menus, open_browser):
    page = open_browser(cast.carla)
    page.clock.install()
    choose(page, "For you")
    shown = menu_ids(page)
    new = PostFactory.create_batch(2, author=cast.ana)
    with page.expect_response("**/api/v1/feed/updates*") as answer:
        page.clock.run_for(34_000)
    answer.value.finished()
    page.locator(".pill").click()
    expect(page.locator(".pill")).to_be_hidden()
    assert menu_ids(page)[: len(shown) + 2] == [new[1].pk, new[0].pk, *shown]
    expect(page.locator("h2.day")).to_have_count(0)


def test_what_was_in_sight_for_a_moment_is_remembered(cast, menus, open_browser):
    page = open_browser(cast.carla)
    with page.expect_request("**/seen", timeout=10_000) as told:
        pass
    assert told.value.response().status == 204
    wait_for(lambda: bring_notes() or Seen.objects.exists())
    [row] = Seen.objects.all()
    assert row.viewer_id == cast.carla.pk
    assert menus[0] in row.post_ids
    assert len(row.post_ids) < 6  # what was never in sight is not among them
