"""Writing, reading and deleting a menu."""

import re
from datetime import date
from decimal import Decimal
from html import unescape

import pytest

from posts.models import MAX_DISHES, Post
from posts.services import hide_post, today_of
from social.models import Account
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
    assert html.count('class="dish-row') == 5
    assert 'value="Soup"' in html
    assert "errorlist" not in html
    assert re.findall(r"<input[^>]*autofocus[^>]*>", html)[0].count('name="dishes-4-name"') == 1


def test_a_removed_dish_is_put_back_where_it_was_with_all_that_was_typed(cast, browse):
    ana = browse(cast.ana)
    typed = {"text": "Half"} | rows(
        SOUP, {"name": "Broa <b>", "price": "x", "sold_out": "on"}, {"name": "Tarte"}
    )
    page = ana.post("/menus/new", typed | {"remove-dish": "1"})
    assert [form["name"].value() for form in page.context["rows"]] == ["Caldo verde", "Tarte", ""]
    html = page.content.decode()
    assert "Half" in html
    assert "errorlist" not in html
    button = re.search(r'<button[^>]*name="put-back" value="([^"]*)"[^>]*autofocus.*?</button>', html, re.S)
    assert "Broa &lt;b&gt;" in button[0]
    again = typed | rows(SOUP, {"name": "Tarte"}, count=3) | {"put-back": unescape(button[1])}
    page = ana.post("/menus/new", again)
    back = page.context["rows"].forms[1]
    assert (back["name"].value(), back["price"].value(), back["sold_out"].value()) == ("Broa <b>", "x", True)
    assert page.context["rows"].forms[2]["name"].value() == "Tarte"
    assert "put-back" not in page.content.decode()
    assert not Post.objects.exists()


def test_an_empty_row_goes_without_an_offer_to_bring_it_back(cast, browse):
    page = browse(cast.ana).post("/menus/new", rows(SOUP) | {"remove-dish": "3"})
    assert page.context["rows"].total_form_count() == 3
    assert "put-back" not in page.content.decode()
    assert re.search(r'<button[^>]*id="add-dish"[^>]*autofocus', page.content.decode())


@pytest.mark.parametrize("number", ["", "-1", "4", "x", "9" * 99])
def test_removing_a_row_that_is_not_there_changes_nothing(cast, browse, number):
    page = browse(cast.ana).post("/menus/new", rows(SOUP) | {"remove-dish": number})
    assert page.context["rows"].total_form_count() == 4


@pytest.mark.parametrize(
    "value", ["", "x", "[]", "[1]", "[1,2]", '["x",{}]', "[1e999,{}]", "[" * 4000, '[0,{"a":1}]']
)
def test_damage_puts_nothing_back(cast, browse, value):
    page = browse(cast.ana).post("/menus/new", rows(SOUP) | {"put-back": value})
    assert page.status_code == 200
    assert [form["name"].value() for form in page.context["rows"]].count("Caldo verde") == 1


@pytest.mark.parametrize(
    ("typed", "price"),
    [
        ("9,50", "9.50"),
        ("9.50", "9.50"),
        ("9", "9.00"),
        ("€ 9,50", "9.50"),
        ("9.50€", "9.50"),
        ("R$ 1.234,50", "1234.50"),
        ("$1,234.50", "1234.50"),
    ],
)
def test_a_price_is_read_as_people_write_it(cast, browse, typed, price):
    browse(cast.ana).post("/menus/new", rows({"name": "Soup", "price": typed}))
    assert str(Post.objects.get().dishes.get().price) == price


class TestCurrency:
    def test_it_is_chosen_once_for_all_dishes(self, cast, browse):
        ana = browse(cast.ana)
        html = ana.get("/menus/new").content.decode()
        assert '<option value="EUR" selected>' in html
        assert "dishes-0-currency" not in html
        form = {"dishes-TOTAL_FORMS": "2", "dishes-0-name": "Feijoada", "dishes-0-price": "32"}
        form |= {"dishes-1-name": "Farofa", "dishes-1-price": "8", "currency": "BRL"}
        ana.post("/menus/new", form)
        assert {dish.currency for dish in Post.objects.get().dishes.all()} == {"BRL"}
        assert '<option value="BRL" selected>' in ana.get("/menus/new").content.decode()

    def test_the_first_one_is_that_of_the_language(self, cast, browse):
        Account.objects.filter(pk=cast.ana.pk).update(language="pt-br")
        assert '<option value="BRL" selected>' in browse(cast.ana).get("/menus/new").content.decode()

    def test_one_that_is_none_is_refused(self, cast, browse):
        page = browse(cast.ana).post("/menus/new", {"text": "Soup", "currency": "XYZ"})
        assert page.status_code == 400
        assert "XYZ" in page.content.decode()


class TestCookingAgain:
    @pytest.fixture
    def earlier(self, cast):
        soup = {"name": "Caldo verde", "price": Decimal("6.50"), "tags": ["vegan"], "sold_out": True}
        return PostFactory(author=cast.ana, text="By the door.", day=date(2026, 1, 2), dishes=[soup])

    def test_the_form_begins_with_an_earlier_menu_for_today_and_nothing_sold_out(self, cast, browse, earlier):
        ana = browse(cast.ana)
        page = ana.get(f"/menus/new?from={earlier.pk}")
        first, last = page.context["rows"].forms
        assert page.context["form"]["text"].value() == "By the door."
        assert page.context["form"]["day"].value() == today_of(cast.ana)
        assert (first["name"].value(), first["price"].value()) == ("Caldo verde", "6.50")
        assert (first["tags"].value(), first["sold_out"].value()) == (["vegan"], False)
        assert last["name"].value() is None
        assert "dishes-0-id" not in page.content.decode()
        ana.post("/menus/new", {"text": "Again"} | rows({"name": "Caldo verde", "price": "6.50"}))
        assert Post.objects.count() == 2
        assert earlier.dishes.count() == 1

    def test_her_last_menus_are_offered_each_dish_list_once(self, cast, browse, earlier):
        ana = browse(cast.ana)
        again = [PostFactory(author=cast.ana, dishes=[DishFactory(name="Broa")]) for _ in range(3)]
        PostFactory(author=cast.maria)
        html = ana.get("/menus/new").content.decode()
        assert re.findall(r'href="\?from=(\d+)"', html) == [str(again[-1].pk), str(earlier.pk)]
        assert "Caldo verde" in html

    def test_a_menu_that_is_not_hers_or_gone_gives_an_empty_form(self, cast, browse):
        theirs = PostFactory(author=cast.maria, text="Theirs")
        for number in (theirs.pk, 1, "x", "", "9" * 99, "-1"):
            page = browse(cast.ana).get("/menus/new", {"from": number})
            assert page.status_code == 200
            assert page.context["form"]["text"].value() is None

    def test_money_of_two_kinds_stays_with_its_dishes(self, cast, browse):
        dishes = [DishFactory(currency="EUR"), DishFactory(currency="ISK")]
        post = PostFactory(author=cast.ana, dishes=dishes)
        page = browse(cast.ana).get(f"/menus/new?from={post.pk}")
        assert [form["currency"].value() for form in page.context["rows"]] == ["EUR", "ISK", "EUR"]


def test_a_full_form_says_how_many_dishes_a_menu_may_have(cast, browse):
    form = {"text": "Full", "add-dish": "1"} | rows(count=MAX_DISHES)
    html = browse(cast.ana).post("/menus/new", form).content.decode()
    assert f"at most {MAX_DISHES} dishes" in html
    assert 'name="add-dish"' not in html


@pytest.mark.parametrize("count", ["", "x", "-5", "99999", "9" * 400])
def test_a_damaged_count_of_rows_is_no_error(cast, browse, count):
    form = {"text": "Soup", "dishes-TOTAL_FORMS": count, "add-dish": "1"}
    html = browse(cast.ana).post("/menus/new", form).content.decode()
    assert 1 <= html.count('class="dish-row') <= MAX_DISHES


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


class TestFirstCurrency:
    """Of a cook's first menu: her time zone says more about her kitchen than the language she reads."""

    @pytest.mark.parametrize(
        ("zone", "language", "currency"),
        [
            ("Europe/Lisbon", "pt-br", "EUR"),
            ("America/Sao_Paulo", "en", "BRL"),
            ("Europe/London", "pt-br", "GBP"),
            ("UTC", "pt-br", "BRL"),
            ("UTC", "en", "EUR"),
            ("Africa/Nairobi", "pt-br", "BRL"),  # not among those that are offered
        ],
    )
    def test_where_she_lives_decides(self, cast, browse, zone, language, currency):
        Account.objects.filter(pk=cast.ana.pk).update(time_zone=zone, language=language)
        html = browse(Account.objects.get(pk=cast.ana.pk)).get("/menus/new").content.decode()
        assert f'<option value="{currency}" selected>' in html
