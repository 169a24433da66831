"""Staff moderate and look after a feed in a browser, with scripts and without, under the policy of every page."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from feeds.models import FeedSettings
from feeds.threshold import current_threshold, settling_seconds
from posts.models import Post, Report
from posts.reporting import report_post
from social.models import Account
from tests.browser.conftest import Way
from tests.browser.test_access import violations
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import warm

pytestmark = pytest.mark.browser


def stands_in_nobodys_way(page: Page) -> None:
    """What is ours: the frame is Django's."""
    ours = {"include": [["#content"]]}
    assert not violations(page, runOnly=["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], **ours)


def test_from_a_report_to_the_menu_to_its_cook_and_back(
    cast: Cast, open_browser: Callable[..., Page], scripts: bool
) -> None:
    post = PostFactory(author=cast.ana, text="Soup with a hair in it.")
    report_post(account=cast.sam, post_id=post.pk, reason="There is a hair in it.")
    page = open_browser(cast.stef, scripts=scripts)
    page.goto("/admin/")
    page.get_by_role("link", name="Reports", exact=True).first.click()
    page.get_by_role("link", name="Soup with a hair in it.").click()

    page.get_by_role("button", name="Hide…").click()
    page.get_by_role("button", name="Hide this menu").click()
    expect(page.locator(".errorlist")).to_have_text("Must not be empty.")
    assert Post.objects.get().hidden_at is None
    page.get_by_label("Reason").fill("A hair in it.")
    page.get_by_role("button", name="Hide this menu").click()
    expect(page.locator(".messagelist")).to_contain_text("Menus hidden: 1.")
    expect(page.locator(".cy-panels")).to_contain_text("Hidden: A hair in it.")
    assert Post.objects.get().hidden_at
    assert Report.objects.get().handled_at

    page.get_by_role("link", name="@ana", exact=True).first.click()
    page.get_by_role("button", name="Suspend…").click()
    page.get_by_label("Reason").fill("Third time.")
    page.get_by_role("button", name="Suspend @ana").click()
    expect(page.locator(".cy-panels")).to_contain_text("Suspended: Third time.")
    assert not Account.objects.get(pk=cast.ana.pk).is_active
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".messagelist")).to_contain_text("Accounts restored: 1.")
    assert Account.objects.get(pk=cast.ana.pk).is_active


def test_the_buttons_of_an_account_s_feed(
    cast: Cast, settle: Callable[[], None], open_browser: Callable[..., Page]
) -> None:
    post = PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    page = open_browser(cast.stef)
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(f"/admin/social/account/{cast.carla.pk}/change/")
    page.get_by_role("link", name="Its feed").click()
    answer = page.locator(".cy-answer")
    expect(answer).to_have_text(re.compile("is stored, .* its newest menu equals the reference"))
    stands_in_nobodys_way(page)

    page.get_by_role("button", name="Compare the whole feed").click()
    expect(answer).to_have_text(re.compile("^The one menu of the feed of @carla equals the reference"))
    stands_in_nobodys_way(page)
    page.get_by_role("link", name="Back to the feed").click()

    page.get_by_label("Why is a menu in it, or not?").fill(str(post.pk))
    page.get_by_role("button", name="Say why").click()
    expect(answer).to_have_text(re.compile(f"^@carla sees menu {post.pk}, and that is right"))
    stands_in_nobodys_way(page)
    page.get_by_role("link", name="Back to the feed").click()

    page.get_by_role("button", name="Build it anew").click()
    expect(page.locator(".messagelist")).to_contain_text("is deleted. The next visit builds it anew.")
    expect(answer).to_have_text(re.compile("is not stored at the moment: the next visit builds it"))
    page.get_by_role("link", name="Build all feeds anew…").click()
    stands_in_nobodys_way(page)
    page.get_by_label("Reason").fill("A backup was restored.")
    page.get_by_role("button", name="Build all feeds anew").click()
    expect(page.locator(".messagelist")).to_contain_text("each feed is built anew")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert refused == []


def test_the_threshold_is_looked_at_moved_watched_and_put_back(
    cast: Cast, open_browser: Callable[..., Page], way: Way
) -> None:
    PostFactory(author=cast.ana)
    page = open_browser(cast.stef, scripts=way.scripts, desk=way.desk)
    page.goto("/admin/feeds/feedsettings/")
    expect(page.get_by_text("Cooks with 2 followers or more are pulled: 1 of 2.")).to_be_visible()
    expect(page.get_by_role("img", name="How long the largest push job takes")).to_be_visible()
    if way.scripts:
        stands_in_nobodys_way(page)
    page.get_by_label("Try a threshold").fill("7")
    page.get_by_role("button", name="Show what it would cost").click()
    expect(page.locator("tr", has_text="tried")).to_contain_text("7")

    page.get_by_label("Threshold", exact=True).fill("1")
    page.get_by_role("button", name="See what it changes").click()
    expect(page.locator(".errorlist")).to_have_text("Must not be empty.")
    expect(page.get_by_label("Threshold", exact=True)).to_have_value("1")
    page.get_by_label("Reason").fill("The lunch hour is late.")
    page.get_by_role("button", name="See what it changes").click()
    expect(page.get_by_role("heading", name="1 cook becomes pulled")).to_be_visible()
    if way.scripts:
        stands_in_nobodys_way(page)
    assert current_threshold() == 2
    page.get_by_role("button", name="Save, and bring it into force").click()
    expect(page.get_by_text("Coming into force.")).to_be_visible()
    assert current_threshold() == 1
    FeedSettings.objects.update(threshold_set_at=timezone.now() - timedelta(seconds=settling_seconds() + 1))
    if not way.scripts:
        page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("In force everywhere since")).to_be_visible()

    page.get_by_role("link", name="Undo…").click()
    expect(page.get_by_label("Reason")).to_have_value("Undo: The lunch hour is late.")
    page.get_by_role("button", name="See what it changes").click()
    expect(page.get_by_role("heading", name="1 cook is pushed again")).to_be_visible()
    page.get_by_role("button", name="Save, and bring it into force").click()
    expect(page.get_by_text("Coming into force.")).to_be_visible()
    assert current_threshold() == 2
