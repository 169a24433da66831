"""The form of a menu with scripts: photos that go up at once, and drafts."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from posts.media.processing import process_photo
from posts.models import Post
from tests.factories import picture

pytestmark = pytest.mark.browser


@pytest.fixture
def jpeg(tmp_path: Path) -> str:
    file = tmp_path / "soup.jpg"
    file.write_bytes(picture(800, 600))
    return str(file)


def choose(page: Page, *files: str) -> None:
    field = page.locator("input[type=file]")
    field.focus()
    field.set_input_files(list(files))


def dish(page: Page, number: int):
    return page.get_by_role("group", name=f"Dish {number}", exact=True)


def test_a_menu_from_its_first_dish_to_its_end(cast, open_browser, way, jpeg):
    page = open_browser(cast.ana, scripts=way.scripts, desk=way.desk)
    page.get_by_role("navigation").get_by_role("link", name="New menu").click()
    for number, name in enumerate(["Caldo verde", "Broa", "Arroz de pato", "Tarte"], 1):
        dish(page, number).get_by_label("Dish").fill(name)
        dish(page, number).get_by_label("Price").fill(f"{number},50")
    page.get_by_role("button", name="Remove dish 2").click()
    back = page.get_by_role("button", name="Put Broa back")
    expect(back).to_be_focused()
    back.click()
    expect(dish(page, 2).get_by_label("Dish")).to_be_focused()
    expect(dish(page, 2).get_by_label("Price")).to_have_value("2,50")
    choose(page, jpeg)
    if way.scripts:
        page.locator("[name^=alt-]").fill("A bowl of soup")
    else:
        page.get_by_label("What is on the photo?").fill("A bowl of soup")
        page.get_by_role("button", name="Add this photo").click()
        expect(page.locator("[name^=alt-]")).to_have_value("A bowl of soup")
    page.get_by_role("button", name="Publish").last.dblclick()
    expect(page.get_by_text("Your menu is out.")).to_be_visible()
    post = Post.objects.get()
    assert [dish.name for dish in post.dishes.all()] == ["Caldo verde", "Broa", "Arroz de pato", "Tarte"]
    expect(page.get_by_text("Your photo is being made ready")).to_be_visible()
    process_photo(post.photos.get().pk)
    if not way.scripts:
        page.reload()
    expect(page.get_by_role("img", name="A bowl of soup")).to_be_visible()

    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Remove dish 4").click()
    expect(page.get_by_role("button", name="Put Tarte back")).to_be_focused()
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("The menu is changed, for everyone.")).to_be_visible()
    assert Post.objects.get().photos.count() == 1

    page.goto("/@ana")
    page.get_by_role("group", name="Sold out?").get_by_role("button", name="Broa").click()
    expect(page.locator(f"#menu-{post.pk} .tag.word")).to_have_text("Sold out")
    pressed = page.get_by_role("group", name="Sold out?").get_by_role("button", name="Broa", pressed=True)
    expect(pressed).to_be_visible()
    if way.scripts:
        expect(pressed).to_be_focused()
    page.get_by_role("link", name="Cook it again").click()
    expect(dish(page, 2).get_by_label("Dish")).to_have_value("Broa")
    page.goto("/@ana")
    page.locator(".own-ways summary").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("The menu is deleted.")).to_be_visible()
    assert not Post.objects.exists()


def test_photos_go_up_at_once_and_publishing_waits_for_them(cast, open_browser, jpeg, tmp_path, settings):
    settings.MEDIA_MAX_BYTES = 300_000
    large, heavy = tmp_path / "large.gif", tmp_path / "heavy.jpg"
    large.write_bytes(bytes(400_000))
    heavy.write_bytes(picture(2400, 1800) + bytes(400_000))
    page = open_browser(cast.ana)
    page.goto("/menus/new")
    page.get_by_label("What is it about?").fill("Soup of the day")
    choose(page, jpeg, str(large))
    complaint = page.locator("#photos .errorlist")
    expect(complaint).to_contain_text("Your menu is kept; choose a smaller photo.")
    alt = page.locator("[name^=alt-]")
    expect(alt).to_be_focused()
    expect(page.locator("#said")).to_contain_text("The photo is there.")
    expect(page.locator(".photo-row .thumb canvas")).to_be_visible()
    alt.fill("A bowl of soup")
    page.get_by_label("Dish", exact=True).nth(0).fill("Soup")
    page.get_by_label("Price", exact=True).nth(0).fill("6,50")

    def slow(route: Route) -> None:
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/menus/new", slow)
    choose(page, jpeg)
    row = page.locator("#on-their-way .photo-row")
    expect(row).to_contain_text("soup.jpg")
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_have_count(0)
    choose(page, str(heavy))
    page.get_by_role("button", name="Publish").last.click()
    expect(page.locator("#waits-for-photos")).to_be_visible()
    expect(page.get_by_text("Say in a few words what is on the photo.", exact=True)).to_be_visible()
    assert not Post.objects.exists()
    expect(page.get_by_label("What is on photo 1?")).to_have_value("A bowl of soup")
    page.get_by_label("What is on photo 2?").fill("Bread")
    page.get_by_role("button", name="Put first photo 2").click()
    expect(page.get_by_label("What is on photo 1?")).to_have_value("Bread")
    page.get_by_role("button", name="Publish").last.click()
    expect(page.get_by_text("Your menu is out.")).to_be_visible()
    photos = Post.objects.get().photos.order_by("position")
    assert [(photo.alt, photo.width) for photo in photos] == [("Bread", 1600), ("A bowl of soup", 800)]


def test_what_was_typed_is_there_again_until_it_is_published(cast, open_browser, jpeg):
    page = open_browser(cast.ana)
    page.goto("/menus/new")
    page.get_by_label("What is it about?").fill("Typed for long")
    page.get_by_role("button", name="Add a dish").click()
    page.locator("[name=dishes-4-name]").fill("Fifth dish")
    page.locator("[name=dishes-4-price]").fill("3")
    choose(page, jpeg)
    page.locator("[name^=alt-]").fill("A bowl of soup")
    page.wait_for_timeout(500)
    page.goto("/@ana")
    page.goto("/menus/new")
    expect(page.locator("[name=dishes-4-name]")).to_have_value("Fifth dish")
    expect(page.get_by_label("What is it about?")).to_have_value("Typed for long")
    expect(page.locator("[name^=alt-]")).to_have_value("A bowl of soup")
    expect(page.get_by_text("Here is what you typed")).to_be_visible()
    page.get_by_role("button", name="Publish").last.click()
    expect(page.get_by_text("Your menu is out.")).to_be_visible()
    page.goto("/menus/new")
    expect(page.get_by_label("What is it about?")).to_have_value("")
    expect(page.locator("#draft")).to_be_hidden()
    page.get_by_label("What is it about?").fill("Another")
    page.wait_for_timeout(500)
    page.reload()
    page.get_by_role("button", name="Throw it away").click()
    expect(page.get_by_label("What is it about?")).to_have_value("")
    page.get_by_label("What is it about?").fill("Not for others")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft:'))") == []
