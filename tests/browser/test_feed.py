"""Today's menus on a phone: what is new, the way back, what is put away."""

import re
import threading

import pytest
from django.db import connections
from playwright.sync_api import Page, Route, expect

from feeds.reference import reference_feed_ids
from posts.services import publish_post
from social.models import Mute
from tests.browser.conftest import menu_ids
from tests.factories import AccountFactory, FollowFactory, PostFactory
from tests.feeds.helpers import past_posts

pytestmark = pytest.mark.browser


def wait_until_it_asks(page: Page, seconds: int = 34) -> None:
    """By the page's own clock, which `page.clock` holds; less than the page's patience (10 s) after it has asked. The
    answer has come and was looked at."""
    with page.expect_response("**/api/v1/feed/updates*") as answer:
        page.clock.run_for(seconds * 1000)
    answer.value.finished()
    page.wait_for_timeout(300)


def test_new_menus_are_counted_and_put_on_top_by_one_tap(cast, open_browser):
    old = [PostFactory(author=cast.ana).pk, PostFactory(author=cast.maria).pk]
    page = open_browser(cast.carla)
    page.clock.install()
    page.reload()
    pill = page.locator(".pill")
    wait_until_it_asks(page)
    expect(pill).to_be_hidden()
    new = [PostFactory(author=cast.ana).pk]
    wait_until_it_asks(page)
    expect(pill).to_have_text("1 new menu")
    expect(page.locator("#said")).to_have_text("1 new menu")
    new.append(PostFactory(author=cast.maria).pk)
    wait_until_it_asks(page)
    expect(pill).to_have_text("2 new menus")
    pill.click()
    expect(pill).to_be_hidden()
    assert menu_ids(page) == [*new[::-1], *old[::-1]]
    expect(page.locator("#said")).to_have_text("2 new menus are on top.")
    expect(page.locator(f"#menu-{new[1]} .card-link")).to_be_focused()
    expect(page.locator("h2.day")).to_have_count(1)
    page.locator(f"#like-{new[1]}").click()  # the new cards work as the others do, without leaving the page
    expect(page.locator(f"#like-{new[1]}")).to_have_class("like liked")
    expect(page.locator("#said")).to_have_text("2 new menus are on top.")


def test_asking_for_new_menus_is_polite(cast, open_browser):
    PostFactory(author=cast.ana)
    page = open_browser(cast.carla)
    asked: list[str] = []
    status = 503

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=status, headers={"Retry-After": "300"}, body="{}")

    page.route("**/api/v1/feed/updates*", answer)
    page.clock.install()
    page.reload()
    wait_until_it_asks(page)
    assert len(asked) == 1
    page.clock.run_for(268_000)  # it was told to wait five minutes, give or take a tenth
    assert len(asked) == 1
    status = 401
    for _ in range(10):
        page.clock.run_for(8_000)
        page.wait_for_timeout(100)
    page.clock.run_for(2_000_000)  # signed out: no more
    assert len(asked) == 2
    expect(page.locator(".toast")).to_have_count(0)


def test_a_cook_is_muted_from_a_card_and_back_in_one_tap(cast, open_browser, scripts):
    posts = [PostFactory(author=cook).pk for cook in (cast.ana, cast.maria, cast.ana)]
    page = open_browser(cast.carla, scripts=scripts)
    more = page.locator(f"#menu-{posts[2]} .card-menu summary")
    more.click()
    page.locator(f"#menu-{posts[2]}").get_by_role("button", name="Mute for a day").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    expect(page.locator("article:visible")).to_have_count(1)
    assert Mute.objects.get().expires_at is not None
    if scripts:
        expect(undo).to_be_focused()
        expect(page.locator(".muted-note")).to_contain_text("Ana is muted for a day.")
    undo.click()
    expect(page.locator("article:visible")).to_have_count(3)
    assert not Mute.objects.exists()
    if scripts:
        expect(page.locator(".muted-note")).to_have_count(0)
        expect(more).to_be_focused()
        more.click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Mute for good")).to_be_hidden()


def dish(name: str, *tags: str) -> dict[str, object]:
    return {"name": name, "price": "5.00", "tags": list(tags)}


def test_choosing_by_tag_hides_says_so_and_is_undone_in_one_tap(cast, open_browser):
    cooks = [cast.ana, cast.maria] * 15
    posts = [publish_post(author=cook, dishes=[dish("Rice", "halal")]).pk for cook in cooks]
    apart = publish_post(author=cast.maria, dishes=[dish("Salad", "vegan"), dish("Pie", "gluten_free")]).pk
    both = publish_post(author=cast.ana, dishes=[dish("Salad", "vegan", "gluten_free")]).pk
    page = open_browser(cast.carla)
    chips = page.get_by_role("group", name="Show only dishes that are").get_by_role("button")
    assert chips.all_inner_texts() == ["All", "Vegetarian", "Vegan", "Halal", "Gluten free"]
    seen, said = page.locator("article:visible"), page.locator("#said")
    page.get_by_role("button", name="vegan", exact=True).click()
    expect(seen).to_have_count(2)
    expect(said).to_have_text("2 menus are shown.")
    page.get_by_role("button", name="gluten free").click()  # a dish that is both
    expect(seen).to_have_count(1)
    expect(page.locator(f"#menu-{both}")).to_be_visible()
    page.get_by_role("button", name="halal").click()
    expect(page.get_by_text("None of these menus fits")).to_be_visible()
    expect(page.locator("#end")).to_be_attached()  # older ones were looked at, and hidden too
    expect(page.locator("article")).to_have_count(32)
    expect(page.locator("h2.day")).to_be_hidden()
    page.get_by_role("button", name="Show all menus").click()
    expect(said).to_have_text("All menus are shown.")
    assert menu_ids(page) == [both, apart, *posts[::-1]]
    expect(seen).to_have_count(32)
    page.get_by_role("button", name="vegan", exact=True).click()
    page.locator(f"#menu-{apart} .card-link").click()
    page.go_back()
    expect(page.get_by_role("button", name="vegan", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(seen).to_have_count(2)
    page.wait_for_load_state("networkidle")  # older menus are looked at again


def test_several_menus_of_a_cook_in_a_row_are_folded_into_one(cast, open_browser):
    posts = [PostFactory(author=cook).pk for cook in (cast.ana, cast.maria, *[cast.ana] * 3, cast.maria)]
    page = open_browser(cast.carla)
    seen = page.locator("article:visible")
    expect(seen).to_have_count(4)
    assert menu_ids(page) == posts[::-1]  # all of them are there
    fold = page.get_by_role("button", name="2 more from")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(seen).to_have_count(6)
    expect(page.get_by_role("button", name="Show fewer")).to_be_focused()
    page.locator(f"#menu-{posts[2]} .card-link").click()
    page.go_back()
    expect(page.locator(f"#menu-{posts[4]}")).to_be_visible()
    page.get_by_role("button", name="2 more from").click()
    page.get_by_role("button", name="Show fewer").click()
    expect(seen).to_have_count(4)


def test_text_that_hurts_spills_nowhere(cast, open_browser):
    family = "👩\u200d👩\u200d👧\u200d👦" * 20
    name = "Pneumono" * 7
    hard = AccountFactory(username="hard", display_name=name[:50], cook=True, city=name[:60])
    FollowFactory(follower=cast.carla, followee=hard)
    publish_post(author=hard, text="W" * 2000, dishes=[dish(f"{n}{family}"[:100]) for n in range(50)])
    publish_post(
        author=hard,
        text="Soup \u202eesrever\u202c today",
        photos=[{"url": "/static/demo/soup.svg", "alt": "S" * 300}],
    )
    page = open_browser(cast.carla)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    spilled = page.evaluate("""() => [...document.querySelectorAll('.card :not(.unseen, .unseen *)')]
        .filter((part) => part.getClientRects().length && part.getBoundingClientRect().right > 390.5)
        .map((part) => part.outerHTML.slice(0, 80))""")
    assert spilled == []
    for part in (".card-text", ".dish-name"):
        assert page.locator(part).first.evaluate("part => getComputedStyle(part).unicodeBidi") == "isolate"


def test_a_feed_of_two_thousand_menus_scrolled_to_the_end_holds_each_once(cast, open_browser):
    """While another account publishes ten more, which are new and belong on no older page."""
    past_posts([cast.ana.pk, cast.maria.pk] * 1000)
    page = open_browser(cast.carla)
    page.set_viewport_size({"width": 390, "height": 200})  # there is little to draw
    page.emulate_media(reduced_motion="reduce")
    wanted = reference_feed_ids(cast.carla.pk)

    def publish_ten() -> None:
        for _ in range(10):
            PostFactory(author=cast.ana)
        connections.close_all()

    publishing = threading.Thread(target=publish_ten)
    publishing.start()
    page.evaluate("""() => new Promise((resolve) => {
        const down = () => {
            scrollTo(0, document.documentElement.scrollHeight);
            if (document.getElementById('end')) resolve();
        };
        const more = new MutationObserver(() => requestAnimationFrame(down));
        more.observe(document.querySelector('.feed'), {childList: true});
        setTimeout(resolve, 60_000);
        down();
    })""")
    publishing.join(timeout=10)
    ids = page.evaluate("[...document.querySelectorAll('article')].map((card) => Number(card.id.slice(5)))")
    assert ids == wanted
    assert len(wanted) == 2000
    expect(page.locator(".toast")).to_have_count(0)


def test_what_fits_is_pointed_out_among_the_dishes_of_a_menu(cast, open_browser):
    dish = {"price": "6.50", "currency": "EUR"}
    PostFactory(
        author=cast.ana, dishes=[dish | {"name": "Stew"}, dish | {"name": "Beans", "tags": ["vegan"]}]
    )
    page = open_browser(cast.carla)
    page.get_by_role("button", name="vegetarian").click()  # what is vegan is vegetarian too
    expect(page.locator(".dish.fit")).to_have_text(re.compile("Beans"))
    expect(page.locator(".dish.unfit")).to_have_text(re.compile("Stew"))
    page.get_by_role("button", name="All", exact=True).click()
    expect(page.locator(".dish:is(.fit, .unfit)")).to_have_count(0)


def test_the_choices_of_a_card_open_in_sight_above_the_tabs(cast, open_browser):
    past_posts([cast.ana.pk, cast.maria.pk] * 3)
    page = open_browser(cast.carla)
    card = page.locator("article").nth(3)
    card.evaluate(
        "card => scrollTo(0, card.offsetTop - innerHeight + 120)"
    )  # its head is just above the tabs
    card.locator(".card-menu summary").click()
    bottom = page.locator(".tabs").bounding_box()["y"]
    expect(page.get_by_role("button", name="Mute for good")).to_be_in_viewport()
    box = card.locator(".card-choices").bounding_box()
    assert box["y"] + box["height"] <= bottom


def test_undo_of_a_message_is_one_word_on_one_line(cast, open_browser):
    page = open_browser(cast.carla)
    page.goto("/@ana")
    page.get_by_text(re.compile("^More")).click()
    page.get_by_role("button", name="Mute Ana").click()
    undo = page.locator(".message").get_by_role("button", name="Undo")
    assert undo.bounding_box()["height"] < 50
    assert undo.bounding_box()["width"] > 60
