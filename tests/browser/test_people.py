"""Joining, finding cooks and living with them in a browser, with scripts and without."""

import re

import pytest
from playwright.sync_api import expect

from social.models import Account
from tests.browser.conftest import menu_ids
from tests.factories import PASSWORD, AccountFactory, PostFactory, picture

pytestmark = pytest.mark.browser


def test_a_newcomer_joins_follows_a_few_and_finds_one_more(cast, open_browser, scripts):
    mei = AccountFactory(username="mei", cook=True, city="Braga", cuisine="Cantonese")
    soup, dumplings = PostFactory(author=cast.ana), PostFactory(author=mei)
    page = open_browser(None, scripts=scripts)
    page.goto("/sign-up")
    page.get_by_label("Your name").fill("Nora")
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("City").fill("Porto")
    page.get_by_role("button", name="Join").click()

    expect(page.get_by_role("heading", name="Who cooks for you?")).to_be_visible()
    expect(page.get_by_role("group", name="Around you, in Porto").get_by_role("checkbox")).to_have_count(2)
    page.get_by_role("checkbox", name=re.compile("^Ana")).check()
    page.get_by_role("checkbox", name=re.compile("^Maria")).check()
    page.get_by_role("button", name="Follow them").click()
    expect(page.get_by_text("You follow 2 cooks now.")).to_be_visible()
    assert menu_ids(page) == [soup.pk]

    page.goto("/cooks/")
    page.get_by_label("Cuisine", exact=True).focus()
    page.get_by_label("Cuisine", exact=True).select_option(label="Cantonese (1)")
    if not scripts:
        page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("1 cook found.").first).to_be_visible()
    assert "cuisine=Cantonese" in page.url
    expect(page.get_by_label("Cuisine", exact=True)).to_have_value("Cantonese")
    if scripts:
        expect(page.get_by_label("Cuisine", exact=True)).to_be_focused()
        expect(page.locator("#said")).to_have_text("1 cook found.")
    page.get_by_role("button", name="Follow Mei").click()
    expect(page.get_by_role("button", name="Unfollow Mei")).to_be_visible()
    assert "cuisine=Cantonese" in page.url

    page.get_by_role("group", name="Colours").get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/")
    assert menu_ids(page) == [dumplings.pk, soup.pk]
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_chosen_picture_is_shown_before_it_is_sent(cast, open_browser, tmp_path):
    file = tmp_path / "me.jpg"
    file.write_bytes(picture(400, 300))
    page = open_browser(cast.ana)
    page.goto("/settings/")
    page.get_by_label("Choose a picture").set_input_files(file)
    expect(page.get_by_role("img", name="The picture that you have chosen")).to_be_visible()
    expect(page.get_by_text("So it will look.")).to_be_visible()
    page.get_by_label("Choose a picture").set_input_files([])
    expect(page.get_by_role("img", name="The picture that you have chosen")).to_be_hidden()
    page.get_by_label("Choose a picture").set_input_files(file)
    page.get_by_role("button", name="Use this picture").click()
    expect(page.get_by_text("Your picture has arrived")).to_be_visible()
    assert Account.objects.get(pk=cast.ana.pk).avatar_url == ""  # a worker will
