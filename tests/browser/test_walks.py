"""What people do, in a browser, with scripts and without."""

import re

import pytest
from playwright.sync_api import Route, expect

from posts.models import Post
from social.selectors import follows
from tests.browser.conftest import PATIENCE_MS, menu_ids, walk_to_the_end
from tests.factories import PASSWORD, AccountFactory, PostFactory
from tests.feeds.helpers import past_posts

pytestmark = pytest.mark.browser
SOUP = {"url": "/static/demo/soup.svg", "alt": "Soup"}


def test_scrolling_to_the_end_shows_each_menu_once(cast, open_browser, scripts):
    posts = [PostFactory(author=cast.ana, photos=[SOUP]).pk for _ in range(50)]
    page = open_browser(cast.carla, scripts=scripts)
    assert walk_to_the_end(page, scripts=scripts) == posts[::-1]
    assert page.locator("h2.day").count() == 1


def test_a_trigger_that_fires_twice_doubles_no_card(cast, open_browser):
    posts = [PostFactory(author=cast.ana).pk for _ in range(50)]
    page = open_browser(cast.carla)
    page.evaluate("""() => {
        const link = document.querySelector('.older a');
        for (let n = 0; n < 3; n++) htmx.trigger(link, 'nearby');
        // And an answer that comes for a place which another answer has taken.
        for (let n = 0; n < 2; n++) htmx.ajax('GET', link.href, {target: '.older', swap: 'outerHTML'});
    }""")
    expect(page.locator("article")).not_to_have_count(20)
    assert walk_to_the_end(page, scripts=True) == posts[::-1]


def test_older_menus_that_fail_to_come_say_so_and_come_by_pressing(cast, open_browser):
    PostFactory.create_batch(30, author=cast.ana)
    page = open_browser(None)
    failing = True

    def fail_once(route: Route) -> None:
        if failing and route.request.headers.get("hx-request"):
            route.abort()
        else:
            route.continue_()

    page.route("**/?cursor=*", fail_once)
    page.goto("/sign-in")
    page.get_by_label("Username").fill("carla")
    page.get_by_label("Password").fill("stew-for-seven")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Older menus").scroll_into_view_if_needed()
    expect(page.locator(".older-error")).to_be_visible()
    failing = False
    page.get_by_role("link", name="Older menus").click()
    expect(page.locator("article")).to_have_count(30)


def test_following_a_cook_shows_her_menus_at_once(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    page = open_browser(cast.sam, scripts=scripts)
    expect(page.get_by_text("Nobody cooks for you yet")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Cooks").click()
    page.get_by_label("Name, city or cuisine").fill("ana")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="Follow Ana", exact=True).click()
    expect(page.get_by_role("button", name="Unfollow Ana")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Today").click()
    assert menu_ids(page) == [post.pk]
    page.goto("/@ana")
    page.get_by_role("button", name="Unfollow Ana").click()
    expect(page.get_by_role("button", name="Follow Ana", exact=True)).to_be_visible()
    page.goto("/")
    assert menu_ids(page) == []


def test_following_by_keyboard_keeps_the_focus_says_so_and_counts(cast, open_browser):
    page = open_browser(cast.sam)
    page.goto("/cooks/")
    page.get_by_role("button", name="Follow Ana", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unfollow Ana")).to_be_focused()
    expect(page.locator("#said")).to_have_text("You follow Ana now.")
    expect(page.locator(f"#followers-{cast.ana.pk}")).to_have_text("2 followers")
    page.wait_for_timeout(800)  # a second press is a double one until then
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Follow Ana", exact=True)).to_be_focused()
    expect(page.locator("#said")).to_have_text("You no longer follow Ana.")


@pytest.mark.parametrize("pause_ms", [0, 40, 120, 300])
@pytest.mark.parametrize("answer_ms", [0, 500])
def test_a_double_click_follows_once_and_stays(cast, open_browser, pause_ms, answer_ms):
    page = open_browser(cast.sam)
    sent: list[str] = []

    def count(route: Route) -> None:
        sent.append(route.request.url)
        page.wait_for_timeout(answer_ms)
        route.continue_()

    page.route("**/@ana/*follow", count)
    page.goto("/cooks/")
    box = page.get_by_role("button", name="Follow Ana", exact=True).bounding_box()
    assert box
    for nth in (1, 2):  # on the left edge, where a narrower button would let the cook's link through
        page.mouse.click(box["x"] + 6, box["y"] + box["height"] / 2, click_count=nth)
        page.wait_for_timeout(pause_ms)
    expect(page.get_by_role("button", name="Unfollow Ana")).to_be_visible()
    page.wait_for_timeout(300)
    assert page.url.endswith("/cooks/")
    assert len(sent) == 1
    assert follows(follower_id=cast.sam.pk, followee_id=cast.ana.pk)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (None, "No answer came."),
        (403, "older than your last sign-in"),
        (404, "There is no such account. Nothing was changed."),
        (500, "something broke in our kitchen"),
    ],
)
def test_a_follow_that_fails_says_so_and_the_button_stays(cast, open_browser, failure, words):
    page = open_browser(cast.sam)
    page.goto("/@ana")

    def fail(route: Route) -> None:
        if failure is None:
            route.abort()
        else:
            refusal = (
                "<main><div class=note><h1>There is no such account</h1><p>Nothing was changed.</p></div>"
            )
            route.fulfill(status=failure, body=refusal, content_type="text/html")

    page.route("**/@ana/follow", fail)
    page.get_by_role("button", name="Follow Ana", exact=True).click()
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
    expect(page.get_by_role("button", name="Follow Ana", exact=True)).to_be_enabled()
    assert page.get_by_role("button", name="Reload").count() == (1 if failure == 403 else 0)
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".toast")).to_have_count(0)


def test_a_follow_after_a_new_sign_in_in_another_tab_says_what_to_do(cast, open_browser):
    page = open_browser(cast.sam)
    page.goto("/@ana")
    page.context.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Follow Ana", exact=True).click()
    expect(page.get_by_text("older than your last sign-in")).to_be_visible()
    page.get_by_role("button", name="Reload").click()
    page.get_by_role("button", name="Follow Ana", exact=True).click()
    expect(page.get_by_role("button", name="Unfollow Ana")).to_be_visible()


def test_a_photo_that_does_not_load_leaves_its_place_to_the_words(cast, open_browser):
    lost = {"url": "/static/demo/lost.svg", "alt": "A lost soup"}
    post = PostFactory(author=cast.ana, photos=[lost])
    page = open_browser(cast.carla)
    expect(page.locator("article.without-photo")).to_be_visible()
    expect(page.locator(".photo")).to_have_count(0)
    page.goto(f"/menus/{post.pk}")
    expect(page.locator(".photo")).to_have_count(0)


def test_an_empty_feed_offers_cooks_to_follow_in_itself(cast, open_browser):
    page = open_browser(cast.sam)
    page.get_by_role("button", name="Follow Maria", exact=True).click()
    expect(page.get_by_role("button", name="Unfollow Maria")).to_be_visible()


def test_a_cook_publishes_and_her_follower_sees_it_by_reloading(cast, open_browser, scripts):
    reader = open_browser(cast.carla, scripts=scripts)
    cook = open_browser(cast.ana, scripts=scripts)
    cook.get_by_role("link", name="New menu").click()
    cook.get_by_label("What is it about?").fill("First of the year")
    cook.get_by_role("group", name="Dish 1").get_by_label("Dish").fill("Caldo verde")
    cook.get_by_role("group", name="Dish 1").get_by_label("Price").fill("6,50")
    cook.get_by_role("button", name="Add a dish").click()
    fifth = cook.get_by_role("group", name="Dish 5")
    expect(fifth.get_by_label("Dish")).to_be_focused()
    fifth.get_by_label("Dish").fill("Broa de milho")
    fifth.get_by_label("Price").fill("2.20")
    fifth.get_by_text("Vegetarian, spicy, sold out").click()
    fifth.get_by_label("Sold out", exact=True).check()
    cook.locator("form .button.wide").click()
    expect(cook.get_by_text("Your menu is out.")).to_be_visible()
    reader.reload()
    card = reader.locator("article").first
    expect(card).to_contain_text("First of the year")
    expect(card).to_contain_text("€6.50")
    expect(card).to_contain_text("Sold out")


def test_a_refused_menu_keeps_what_was_typed(cast, open_browser, scripts):
    page = open_browser(cast.ana, scripts=scripts)
    page.goto("/menus/new")
    page.get_by_role("group", name="Dish 2").get_by_label("Dish").fill("Caldo verde")
    page.get_by_role("group", name="Dish 2").get_by_label("Price").fill("six")
    page.locator("form .button.wide").click()
    expect(page.get_by_role("alert")).to_contain_text("All you typed is kept")
    expect(page.get_by_role("group", name="Dish 2").get_by_label("Dish")).to_have_value("Caldo verde")
    expect(page.get_by_role("group", name="Dish 2").get_by_label("Price")).to_have_value("six")
    expect(page.get_by_text("Enter a number.", exact=True)).to_be_visible()


def test_a_double_click_publishes_once(cast, open_browser):
    page = open_browser(cast.ana)
    page.goto("/menus/new")
    page.get_by_label("What is it about?").fill("Once")
    page.locator("form .button.wide").dblclick()
    expect(page.get_by_text("Your menu is out.")).to_be_visible()
    assert Post.objects.filter(author=cast.ana).count() == 1


def test_a_card_leads_to_the_menu_and_its_cook_to_her_page(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    page = open_browser(cast.carla, scripts=scripts)
    page.locator(".dish").first.click(force=True)  # what lies on it is the card's own link
    expect(page).to_have_url(re.compile(f"/menus/{post.pk}$"))
    page.go_back()
    page.get_by_role("link", name="Ana Porto").click()
    expect(page).to_have_url(re.compile("/@ana$"))


def test_a_cook_deletes_her_menu(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    page = open_browser(cast.ana, scripts=scripts)
    page.goto(f"/menus/{post.pk}")
    page.get_by_text("Delete this menu").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("The menu is deleted.")).to_be_visible()
    page.goto("/")
    assert menu_ids(page) == []


def test_joining_takes_the_time_zone_from_the_browser_and_signing_out_ends_it(cast, open_browser):
    page = open_browser(None)
    page.goto("/")
    page.get_by_role("link", name="Join Courtyard").click()
    page.get_by_label("Your name").fill("Rita Matos")
    page.get_by_label("Username").fill("rita")
    page.get_by_label("Password").fill("salt and lemon")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("Welcome, Rita Matos.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Join Courtyard")).to_be_visible()


def test_signing_in_by_the_form_leads_to_todays_menus(cast, open_browser, scripts):
    page = open_browser(None, scripts=scripts)
    page.goto("/sign-in")
    page.get_by_label("Username").fill("Carla")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="Today's menus")).to_be_visible()


def test_nothing_is_refused_by_the_content_policy(cast, open_browser):
    PostFactory.create_batch(25, author=cast.ana, photos=[SOUP])
    page = open_browser(cast.carla)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for address in ("/", "/cooks/", "/@ana", "/@carla", f"/menus/{Post.objects.last().pk}"):
        page.goto(address)
        page.mouse.wheel(0, 20_000)
        page.wait_for_timeout(200)
    assert complaints == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_scrolls_sideways(cast, open_browser, width):
    long_word = "Pneumonoultramicroscopicsilicovolcanoconiosis" * 3
    hard = AccountFactory(username="hard", display_name=long_word[:60], cook=True, city=long_word[:60])
    PostFactory(author=hard, text=long_word, dishes=[{"name": long_word[:120], "price": "999999.99"}])
    page = open_browser(hard)
    page.set_viewport_size({"width": width, "height": 800})
    post = Post.objects.get(author=hard)
    for address in ("/", "/cooks/", "/@hard", f"/menus/{post.pk}", "/menus/new", "/sign-up"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


@pytest.mark.parametrize(("menus", "requests", "desk"), [(50, 2, False), (150, 3, False), (50, 2, True)])
def test_back_returns_to_the_same_card_at_the_same_height(cast, open_browser, menus, requests, desk):
    """The browser keeps no page in memory here: it comes anew."""
    cooks = [cast.ana.pk, cast.maria.pk]
    posts = past_posts([cooks[n % 2] for n in range(menus)])
    page = open_browser(cast.carla, desk=desk)
    assert walk_to_the_end(page, scripts=True) == posts[::-1]
    card = page.locator(f"#menu-{posts[5]}")
    card.scroll_into_view_if_needed()
    height = card.bounding_box()["y"]
    card.locator(".card-link").click()
    expect(page).to_have_url(re.compile(f"/menus/{posts[5]}$"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "cursor=" in request.url else None)
    page.go_back()
    expect(card).to_be_in_viewport(timeout=PATIENCE_MS)
    assert abs(card.bounding_box()["y"] - height) < 2
    assert menu_ids(page) == posts[::-1][: len(menu_ids(page))]
    assert len(asked) < requests


def test_back_to_a_menu_that_is_gone_by_now_returns_to_the_next(cast, open_browser):
    posts = past_posts([cast.ana.pk, cast.maria.pk] * 30)
    page = open_browser(cast.carla)
    walk_to_the_end(page, scripts=True)
    page.locator(f"#menu-{posts[20]}").evaluate("card => scrollTo(0, card.offsetTop - 70)")
    page.goto("/cooks/")
    Post.objects.get(pk=posts[20]).delete()
    page.go_back()
    expect(page.locator(f"#menu-{posts[19]}")).to_be_in_viewport(timeout=PATIENCE_MS)
