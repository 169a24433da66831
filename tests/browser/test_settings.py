"""The settings in a browser."""

import pytest
from playwright.sync_api import expect

from social.models import Account
from tests.factories import PASSWORD

pytestmark = pytest.mark.browser


def test_signing_up_takes_the_browsers_time_zone_and_the_settings_keep_the_chosen_one(cast, open_browser):
    page = open_browser(None, zone="Asia/Tokyo")
    page.goto("/sign-up")
    page.get_by_label("Your name").fill("Nora")
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("Welcome, Nora.")).to_be_visible()
    assert Account.objects.get(username="nora").time_zone == "Asia/Tokyo"

    page.goto("/settings/")
    page.get_by_label("Time zone").select_option("Europe/Lisbon")
    for _ in range(2):  # the second time untouched
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        page.goto("/settings/")
        expect(page.get_by_label("Time zone")).to_have_value("Europe/Lisbon")
    assert Account.objects.get(username="nora").time_zone == "Europe/Lisbon"
