"""The settings in a browser."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from social.models import Account, Mute
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


def test_a_mute_with_an_end_leaves_room_for_the_name_on_a_phone(cast, open_browser):
    end = timezone.now() + timedelta(days=40)
    Mute.objects.create(muter=cast.carla, muted=cast.maria, expires_at=end)
    page = open_browser(cast.carla)
    page.goto("/settings/")
    page.get_by_text("People you mute").click()
    name = page.locator(".cook-row .cook-name")
    expect(name).to_be_visible()
    assert name.bounding_box()["height"] < 30
    row, button = page.locator(".cook-row"), page.get_by_role("button", name="Unmute Maria")
    ends = [box["x"] + box["width"] for box in (row.bounding_box(), button.bounding_box())]
    assert ends[0] - ends[1] < 1
    assert button.evaluate("button => getComputedStyle(button).paddingInlineEnd") == "0px"
