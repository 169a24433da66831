"""Asking, accepting, muting and blocking in a browser, with scripts and without."""

import re

import pytest
from playwright.sync_api import Page, expect

from social.models import Account
from tests.browser.conftest import menu_ids
from tests.factories import PostFactory

pytestmark = pytest.mark.browser


def more(page: Page, button: str) -> None:
    """Press what is put away under More."""
    page.get_by_text(re.compile("^More")).click()
    page.get_by_role("button", name=button).click()


def test_asking_a_private_cook_and_being_accepted(cast, open_browser, way):
    post = PostFactory(author=cast.ana)
    Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
    sam = open_browser(cast.sam, scripts=way.scripts, desk=way.desk)
    sam.goto("/@ana")
    sam.get_by_role("button", name="Ask to follow Ana").click()
    expect(sam.get_by_role("heading", name="You have asked to follow")).to_be_visible()
    sam.get_by_role("button", name="Cancel request Ana").click()
    expect(sam.get_by_role("heading", name="This table is private")).to_be_visible()
    sam.get_by_role("button", name="Ask to follow Ana").click()
    expect(sam.get_by_role("heading", name="You have asked to follow")).to_be_visible()

    ana = open_browser(cast.ana, scripts=way.scripts, desk=way.desk)
    ana.goto("/@ana")
    ana.get_by_role("link", name="1 person asks to follow you", exact=True).click()
    ana.get_by_role("button", name="Accept Sam").click()
    expect(ana.get_by_text("Sam follows you now.")).to_be_visible()

    sam.goto("/")
    assert menu_ids(sam) == [post.pk]


def test_muting_and_blocking_from_a_cooks_page(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    carla = open_browser(cast.carla, scripts=scripts)
    carla.goto("/@ana")
    more(carla, "Mute Ana")
    assert menu_ids(carla) == [post.pk]
    carla.goto("/")
    assert menu_ids(carla) == []
    carla.goto("/@ana")
    carla.get_by_role("button", name="Unmute Ana").click()
    expect(carla.get_by_text("Menus of Ana are back in Today.")).to_be_visible()
    carla.goto("/")
    assert menu_ids(carla) == [post.pk]
    carla.goto("/@ana")
    more(carla, "Block Ana")
    expect(carla.get_by_role("heading", name="You block Ana")).to_be_visible()
    assert menu_ids(carla) == []
    carla.get_by_role("button", name="Unblock Ana").click()
    expect(carla.get_by_role("button", name="Follow Ana")).to_be_visible()
    assert menu_ids(carla) == [post.pk]
