"""Writing, reading and deleting a menu."""

import re
from datetime import date

import pytest

from posts.models import MAX_DISHES, Post
from posts.services import hide_post
from tests.factories import DishFactory, PostFactory
from tests.feeds.helpers import query_count


def rows(*dishes: dict[str, object], count: int = 4) -> dict[str, object]:
    """Form data of dish rows, as a browser sends them."""
    data: dict[str, object] = {"dishes-TOTAL_FORMS": str(max(count, len(dishes)))}
    for n in range(max(count, len(dishes))):
        dish = {"name": "", "price": "", "currency": "EUR"} | (dishes[n] if n < len(dishes) else {})
        data |= {f"dishes-{n}-{field}": value for field, value in dish.items()}
    return data


SOUP = {"name": "Caldo verde", "price": "6,50", "tags": ["vegan", "spicy"]}


def test_a_cook_publishes_and_sees_the_menu_with_a_message(cast, browse):
    form = {"text": "Ready from twelve.", "day": "2030-01-02"} | rows(SOUP)
    page = browse(cast.ana).post("/menus/new", form, follow=True)
    post = Post.objects.get(author=cast.ana)
    assert page.redirect_chain == [(f"/menus/{post.pk}", 302)]
    html = page.content.decode()
    for words in (
        "Your menu is out.",
        "Caldo verde",
        "€6.50",
        "vegan",
        "Ready from twelve.",
    ):
        assert words in html
    assert post.day == date(2030, 1, 2)
    assert [dish.tags for dish in post.dishes.all()] == [["vegan", "spicy"]]


def test_a_text_alone_is_a_menu_for_today(cast, browse):
    assert browse(cast.ana).post("/menus/new", {"text": "Soup!"}).status_code == 302
    assert Post.objects.get().text == "Soup!"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": ""}, "Write a text or add a dish."),
        ({"text": "x" * 2001}, "at most 2000"),
        ({"text": "a\x00b"}, "cannot be kept"),
        ({"day": "tomorrow"}, "Enter a valid date"),
        (rows({"name": "Soup"}), "What does it cost?"),
        (rows({"price": "3"}), "What is it called?"),
        (rows({"name": "Soup", "price": "0"}), "greater than or equal to 0.01"),
        (rows({"name": "Soup", "price": "3.999"}), "2 decimal places"),
        (rows({"name": "Soup", "price": "NaN"}), "Enter a number"),
        (rows({"name": "x" * 121, "price": "3"}), "at most 120"),
        (rows({"name": "Soup", "price": "3", "currency": "XYZ"}), "XYZ"),
        (rows({"name": "Soup", "price": "3", "tags": ["poison"]}), "poison"),
    ],
)
def test_a_refused_menu_says_why_and_keeps_all_that_was_typed(cast, browse, change, words):
    form = {"text": "Kept words", "day": "2030-01-02"} | rows() | change
    if "text" in change:
        form["photo_alt"] = "Kept words"
    page = browse(cast.ana).post("/menus/new", form)
    assert page.status_code == 400
    html = page.content.decode()
    assert words in html
    assert "Kept words" in html
    assert Post.objects.count() == 0


def test_adding_a_dish_gives_one_more_row_with_the_cursor_and_keeps_all_without_complaint(cast, browse):
    form = {"text": "Half", "day": "x", "add-dish": "1"} | rows({"name": "Soup"})
    page = browse(cast.ana).post("/menus/new", form)
    html = page.content.decode()
    assert page.status_code == 200
    assert html.count('class="row"') == 5
    assert 'value="Soup"' in html
    assert "errorlist" not in html
    assert re.findall(r"<input[^>]*autofocus[^>]*>", html)[0].count('name="dishes-4-name"') == 1


def test_a_full_form_says_how_many_dishes_a_menu_may_have(cast, browse):
    form = {"text": "Full", "add-dish": "1"} | rows(count=MAX_DISHES)
    html = browse(cast.ana).post("/menus/new", form).content.decode()
    assert f"at most {MAX_DISHES} dishes" in html
    assert 'name="add-dish"' not in html


@pytest.mark.parametrize("count", ["", "x", "-5", "99999", "9" * 400])
def test_a_damaged_count_of_rows_is_no_error(cast, browse, count):
    form = {"text": "Soup", "dishes-TOTAL_FORMS": count, "add-dish": "1"}
    html = browse(cast.ana).post("/menus/new", form).content.decode()
    assert 1 <= html.count('class="row"') <= MAX_DISHES


def test_customers_are_told_that_only_cooks_publish(cast, browse):
    for page in (browse(cast.carla).get("/menus/new"), browse(cast.carla).post("/menus/new", {"text": "x"})):
        assert page.status_code == 403
        assert "Only cooks publish menus" in page.content.decode()


def test_a_customer_who_wants_to_cook_is_led_to_the_box_in_the_settings(cast, browse):
    client = browse(cast.carla)
    assert 'href="/settings/#id_is_cook"' in client.get("/menus/new").content.decode()
    assert 'id="id_is_cook"' in client.get("/settings/").content.decode()


def test_a_menu_that_staff_have_hidden_is_no_longer_said_to_be_its_cooks_doing(cast, browse):
    post = PostFactory(author=cast.ana)
    hide_post(post_id=post.pk)
    for viewer in (cast.ana, cast.carla, None):
        page = browse(viewer).get(f"/menus/{post.pk}")
        assert page.status_code == 404
        assert "taken off or put out of sight" in page.content.decode()
        assert "Its cook" not in page.content.decode()


def test_visitors_sign_in_first(cast, browse):
    assert browse(None).get("/menus/new").headers["Location"] == "/sign-in?next=%2Fmenus%2Fnew"


def test_everybody_reads_a_menu_and_only_its_cook_may_delete_it(cast, browse):
    post = PostFactory(author=cast.ana)
    for account, own in ((None, False), (cast.carla, False), (cast.ana, True)):
        html = browse(account).get(f"/menus/{post.pk}").content.decode()
        assert post.text in html
        assert ("Delete this menu" in html) is own


def test_a_deleted_menu_is_gone_for_everyone(cast, browse):
    post = PostFactory(author=cast.ana)
    client = browse(cast.ana)
    page = client.post(f"/menus/{post.pk}/delete", follow=True)
    assert "The menu is deleted." in page.content.decode()
    assert page.redirect_chain == [("/@ana", 302)]
    gone = browse(None).get(f"/menus/{post.pk}")
    assert gone.status_code == 404
    assert "This menu is gone" in gone.content.decode()
    assert client.post(f"/menus/{post.pk}/delete").status_code == 404


def test_deleting_what_is_not_yours_is_403(cast, browse):
    post = PostFactory(author=cast.ana)
    assert browse(cast.carla).post(f"/menus/{post.pk}/delete").status_code == 403
    assert Post.objects.filter(pk=post.pk).exists()


@pytest.mark.parametrize("number", ["0", "1", str(2**53), str(2**64), "9" * 100])
def test_a_number_that_is_no_menu_is_a_kind_404(cast, browse, number):
    page = browse(None).get(f"/menus/{number}")
    assert page.status_code == 404
    assert "This menu is gone" in page.content.decode()


def test_a_menus_page_costs_the_same_for_two_dishes_and_for_fifty(cast, browse):
    small = PostFactory(author=cast.ana)
    large = PostFactory(author=cast.ana, dishes=DishFactory.build_batch(50))
    client = browse(cast.ana)
    costs = [query_count(lambda post=post: client.get(f"/menus/{post.pk}")) for post in (small, large)]
    assert costs[0] == costs[1] <= 8
