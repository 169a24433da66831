"""A customer's first day in one walk, on a phone, at a desk, and without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from social.models import Account
from tests.browser.conftest import Way, menu_ids, walk_to_the_end
from tests.factories import PASSWORD, AccountFactory, FollowFactory, PostFactory
from tests.feeds.helpers import past_posts

pytestmark = pytest.mark.browser


def join(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Join Courtyard").first.click()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Username").fill(name.lower())
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("City").fill("Porto")
    page.get_by_role("button", name="Join").click()


def take_what_is_new(page: Page, way: Way) -> None:
    """By the pill, which asks every half minute of the page's own clock; without scripts by reloading."""
    if not way.scripts:
        page.reload()
        return
    with page.expect_response("**/api/v1/feed/updates*") as answer:
        page.clock.run_for(34_000)
    answer.value.finished()
    expect(page.locator(".pill")).to_have_text("1 new menu")
    page.locator(".pill").click()
    expect(page.locator(".pill")).to_be_hidden()


def under_more(page: Page, button: str) -> None:
    page.get_by_text(re.compile("^More")).click()
    page.get_by_role("button", name=button).click()


def test_a_customers_first_day(cast, open_browser, way):
    mei = AccountFactory(username="mei", cook=True, city="Braga")
    FollowFactory(follower=cast.carla, followee=mei)
    menus = past_posts([cast.ana.pk, cast.maria.pk] * 25)
    dumplings = PostFactory(author=mei, text="Dumplings from noon.")

    page = open_browser(None, scripts=way.scripts, desk=way.desk)
    if way.scripts:
        page.clock.install()
    join(page, "Nora")
    page.get_by_role("checkbox", name=re.compile("^Ana")).check()
    page.get_by_role("checkbox", name=re.compile("^Maria")).check()
    page.get_by_role("button", name="Follow them").click()
    expect(page.get_by_text("You follow 2 cooks now.")).to_be_visible()

    if way.scripts:
        page.clock.resume()
    assert walk_to_the_end(page, scripts=way.scripts) == menus[::-1]

    page.goto("/")
    soup = PostFactory(author=cast.ana, text="Soup, just now.")
    take_what_is_new(page, way)
    assert menu_ids(page)[:2] == [soup.pk, menus[-1]]

    page.get_by_role("navigation").get_by_role("link", name="Cooks").click()
    page.get_by_role("button", name="Follow Mei").click()
    expect(page.get_by_role("button", name="Unfollow Mei")).to_be_visible()
    page.goto("/")
    assert menu_ids(page)[:2] == [soup.pk, dumplings.pk]

    page.goto("/@ana")
    under_more(page, "Mute Ana")
    expect(page.get_by_text("You have muted Ana")).to_be_visible()
    page.goto("/")
    assert soup.pk not in menu_ids(page)
    page.goto("/@ana")
    page.get_by_role("button", name="Unmute Ana").click()
    expect(page.get_by_text("Menus of Ana are back in Today.")).to_be_visible()
    page.goto("/")
    assert menu_ids(page)[0] == soup.pk

    page.goto("/@mei")
    under_more(page, "Block Mei")
    expect(page.get_by_role("heading", name="You block Mei")).to_be_visible()
    page.goto("/")
    assert dumplings.pk not in menu_ids(page)
    page.goto(f"/menus/{dumplings.pk}")
    expect(page.get_by_role("heading", level=1)).to_have_text("This menu is gone")

    page.goto("/")
    page.locator(f"#menu-{soup.pk} .card-link").click()
    expect(page).to_have_url(re.compile(f"/menus/{soup.pk}$"))
    expect(page.get_by_text("Soup, just now.")).to_be_visible()
    assert Account.objects.get(username="nora").city == "Porto"
