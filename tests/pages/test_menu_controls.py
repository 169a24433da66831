"""What one presses on a menu: edit it, say that a dish is sold out, like it."""

import re
from decimal import Decimal

import pytest

from feeds.counts import recount_likes
from posts.models import Like, Photo, Post
from posts.services import delete_post, like_post, set_sold_out
from tests.factories import AccountFactory, PhotoFactory, PostFactory, make_photo, uploaded
from tests.pages.test_menus import rows


def as_sent(page):
    """What a browser would send of the form on an edit page, untouched."""
    fields = [page.context["form"], *page.context["rows"].forms]
    values = {bound.html_name: bound.value() for form in fields for bound in form}
    kept = {name: value for name, value in values.items() if value not in (None, "", False, [])}
    return kept | {"dishes-TOTAL_FORMS": str(page.context["rows"].total_form_count())}


def button_of(page, element_id):
    [found] = re.findall(rf'<button[^>]*id="{element_id}".*?</button>', page.content.decode(), re.S)
    return found


def without_tokens(html):
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]*"', b"", html)


class TestEditing:
    @pytest.fixture
    def post(self, cast):
        soup = {"name": "Caldo verde", "price": Decimal("6.50"), "tags": ["vegan"]}
        bread = {"name": "Broa", "price": Decimal("2.20"), "currency": "ISK", "sold_out": True}
        return PostFactory(
            author=cast.ana, text="Ready from twelve.", dishes=[soup, bread], photos=[PhotoFactory()]
        )

    def test_the_form_comes_filled_in_with_an_empty_row_at_the_end(self, cast, browse, post):
        page = browse(cast.ana).get(f"/menus/{post.pk}/edit")
        html = page.content.decode()
        assert page.status_code == 200
        assert html.count('class="dish-row') == 3
        for words in ("Ready from twelve.", 'value="Caldo verde"', 'value="Broa"', str(post.day)):
            assert words in html
        assert '<option value="ISK" selected>' in html

    def test_a_price_in_money_without_small_coins_comes_without_decimals(self, cast, browse):
        dish = {"name": "Bibimbap", "price": Decimal("9000"), "currency": "KRW"}
        post = PostFactory(author=cast.ana, dishes=[dish])
        assert 'value="9000"' in browse(cast.ana).get(f"/menus/{post.pk}/edit").content.decode()

    def test_sending_it_back_untouched_changes_nothing(self, cast, browse, post):
        client = browse(cast.ana)
        before = client.get(f"/menus/{post.pk}").content
        page = client.post(f"/menus/{post.pk}/edit", as_sent(client.get(f"/menus/{post.pk}/edit")))
        assert page.status_code == 302
        assert Post.objects.get().edited_at is None
        client.get("/")  # takes the message
        assert without_tokens(client.get(f"/menus/{post.pk}").content) == without_tokens(before)

    def test_rows_are_changed_emptied_and_added_and_the_rest_keeps_its_place(self, cast, browse, post):
        [_, bread] = post.dishes.all()
        client = browse(cast.ana)
        form = as_sent(client.get(f"/menus/{post.pk}/edit")) | {
            "text": "Sold by the door.",
            "dishes-0-name": "",
            "dishes-0-price": "",
            "dishes-1-price": "2,50",
            "dishes-2-name": "Tarte",
            "dishes-2-price": "3",
        }
        page = client.post(f"/menus/{post.pk}/edit", form, follow=True)
        assert page.redirect_chain == [(f"/menus/{post.pk}", 302)]
        html = page.content.decode()
        assert "The menu is changed" in html
        assert "Sold by the door." in html
        dishes = list(Post.objects.get().dishes.all())
        assert [(dish.name, dish.price, dish.sold_out) for dish in dishes] == [
            ("Broa", Decimal("2.50"), True),
            ("Tarte", Decimal("3.00"), False),
        ]
        assert dishes[0].pk == bread.pk
        assert Post.objects.get().photos.count() == 1

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"text": "", "dishes-0-name": "", "dishes-0-price": "", "dishes-1-name": "", "dishes-1-price": ""},
             "Write a text or add a dish."),
            ({"dishes-0-price": ""}, "What does it cost?"),
            ({"dishes-0-id": "1"}, "no such dish"),
            ({"dishes-0-id": "x"}, "whole number"),
            ({"day": "1999-12-31"}, "Must be from 2000"),
        ],
    )  # fmt: skip
    def test_a_refused_one_says_why_keeps_what_was_typed_and_changes_nothing(
        self, cast, browse, post, change, words
    ):
        client = browse(cast.ana)
        form = as_sent(client.get(f"/menus/{post.pk}/edit")) | {
            "dishes-2-name": "Kept",
            "dishes-2-price": "3",
        }
        if not change.get("text", "x"):
            form |= {"dishes-2-name": "", "dishes-2-price": ""}
        page = client.post(f"/menus/{post.pk}/edit", form | change)
        assert page.status_code == 400
        html = page.content.decode()
        assert words in html
        assert "text" in change or 'value="Kept"' in html
        assert [dish.name for dish in Post.objects.get().dishes.all()] == ["Caldo verde", "Broa"]

    def test_adding_a_dish_keeps_all_and_gives_a_row(self, cast, browse, post):
        client = browse(cast.ana)
        form = as_sent(client.get(f"/menus/{post.pk}/edit")) | {"dishes-0-name": "Typed", "add-dish": "1"}
        html = client.post(f"/menus/{post.pk}/edit", form).content.decode()
        assert html.count('class="dish-row') == 4
        assert 'value="Typed"' in html
        assert "errorlist" not in html

    def test_its_photos_are_described_anew_ordered_added_and_taken_off(self, cast, browse, post):
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        page = client.get(address)
        [old] = page.context["photos"].ids
        sent = as_sent(page) | {"kept": str(old), f"alt-{old}": "Soup in a pot"}
        page = client.post(address, sent | {"add-photo": "1", "photo": uploaded(), "photo_alt": "Bread"})
        first, new = page.context["photos"].ids
        assert first == old
        assert Photo.objects.filter(post=post).count() == 1
        sent |= {"kept": f"{new},{old}", f"alt-{new}": "Bread"}
        assert client.post(address, sent).status_code == 302
        photos = post.photos.order_by("position")
        assert [(photo.pk, photo.alt) for photo in photos] == [(new, "Bread"), (old, "Soup in a pot")]
        assert client.post(address, as_sent(client.get(address)) | {"kept": ""}).status_code == 302
        assert not Photo.objects.filter(post=post).exists()

    def test_a_photo_keeps_words_for_who_cannot_see_it(self, cast, browse, post):
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        page = client.get(address)
        [photo] = page.context["photos"].ids
        page = client.post(address, as_sent(page) | {"kept": str(photo), f"alt-{photo}": " "})
        assert page.status_code == 400
        assert "Say in a few words what is on the photo." in page.content.decode()
        assert post.photos.get().alt == "A bowl of soup"

    def test_a_photo_that_failed_is_told_and_leaves_with_the_next_change(self, cast, browse, post):
        failed = make_photo(cast.ana, ready=False)
        Photo.objects.filter(pk=failed.pk).update(post=post, state="failed", upload="")
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        page = client.get(address)
        assert "A photo could not be used" in page.content.decode()
        [kept] = page.context["photos"].ids
        client.post(address, as_sent(page) | {"kept": str(kept), f"alt-{kept}": "A bowl of soup"})
        assert Photo.objects.get(post=post).pk == kept

    def test_nobody_elses_photo_comes_onto_it(self, cast, browse, post):
        theirs = make_photo(cast.maria)
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        page = client.post(address, as_sent(client.get(address)) | {"kept": str(theirs.pk)})
        assert page.status_code == 400
        assert "The photo is not there any more." in page.content.decode()
        assert Photo.objects.filter(post=post).count() == 1

    def test_a_new_menu_takes_no_dish_of_another_along(self, cast, browse, post):
        [soup, _] = post.dishes.all()
        form = {"text": "New"} | rows({"name": "Stew", "price": "3", "id": str(soup.pk)})
        assert browse(cast.ana).post("/menus/new", form).status_code == 302
        assert post.dishes.get(pk=soup.pk).name == "Caldo verde"
        assert Post.objects.order_by("-pk")[0].dishes.get().name == "Stew"

    def test_only_its_cook_may(self, cast, browse, post):
        for account, statuses in ((cast.carla, (403, 403)), (cast.maria, (403, 403)), (None, (302, 403))):
            for method, status in zip(("get", "post"), statuses, strict=True):
                page = getattr(browse(account), method)(f"/menus/{post.pk}/edit", {"text": "Mine"})
                assert page.status_code == status
        assert "Edit" not in browse(cast.carla).get(f"/menus/{post.pk}").content.decode()
        assert browse(cast.ana).get("/menus/1/edit").status_code == 404
        assert Post.objects.get().text == post.text


class TestChangedMeanwhile:
    """Two devices on one menu."""

    def test_the_later_one_is_told_keeps_all_and_may_go_on(self, cast, browse):
        post = PostFactory(author=cast.ana, text="Ready from twelve.")
        soup, bread = post.dishes.all()
        phone, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        sent = as_sent(phone.get(address)) | {"text": "From the phone.", "dishes-0-price": "7"}
        desk = as_sent(phone.get(address)) | {
            "text": "From the desk.",
            "dishes-1-name": "",
            "dishes-1-price": "",
        }
        assert browse(cast.ana).post(address, desk).status_code == 302
        page = phone.post(address, sent)
        assert page.status_code == 409
        html = page.content.decode()
        for words in ("was changed meanwhile", "From the phone.", "From the desk.", bread.name):
            assert words in html
        assert Post.objects.get().text == "From the desk."
        assert phone.post(address, as_sent(page)).status_code == 302
        assert Post.objects.get().text == "From the phone."
        dishes = list(post.dishes.order_by("position"))
        assert [dish.name for dish in dishes] == [soup.name, bread.name]
        assert dishes[0].pk == soup.pk

    def test_a_dish_that_was_sold_out_meanwhile_is_not_put_back_silently(self, cast, browse):
        post = PostFactory(author=cast.ana)
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        sent = as_sent(client.get(address))
        set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=post.dishes.first().pk, sold_out=True)
        assert client.post(address, sent).status_code == 409
        assert post.dishes.filter(sold_out=True).count() == 1

    def test_of_a_menu_that_was_deleted_what_was_typed_can_be_published_as_another(self, cast, browse):
        post = PostFactory(author=cast.ana)
        client, address = browse(cast.ana), f"/menus/{post.pk}/edit"
        sent = as_sent(client.get(address)) | {"text": "Typed for long."}
        delete_post(actor=cast.ana, post_id=post.pk)
        page = client.post(address, sent)
        assert page.status_code == 404
        html = page.content.decode()
        assert "This menu was deleted meanwhile." in html
        assert 'action="/menus/new"' in html
        assert client.post("/menus/new", as_sent(page)).status_code == 302
        assert Post.objects.get().text == "Typed for long."
        assert Post.objects.get().dishes.count() == 2


class TestSoldOut:
    def test_one_tap_and_one_more_take_it_off_and_bring_it_back(self, cast, browse):
        post = PostFactory(author=cast.ana)
        [soup, _] = post.dishes.all()
        client = browse(cast.ana)
        for value, sold_out, next_button in (("yes", True, "Put back<"), ("no", False, "Mark sold out<")):
            for _ in range(2):  # a double click
                page = client.post(f"/menus/{post.pk}/dishes/{soup.pk}/sold-out", {"sold_out": value})
                assert page.headers["Location"] == f"/menus/{post.pk}#dish-{soup.pk}"
            assert [dish.sold_out for dish in post.dishes.order_by("position")] == [sold_out, False]
            button = button_of(client.get(f"/menus/{post.pk}"), f"sold-out-{soup.pk}")
            assert next_button in button

    def test_only_its_cook_sees_the_buttons_and_may_press_them(self, cast, browse):
        post = PostFactory(author=cast.ana)
        soup, _ = post.dishes.all()
        address = f"/menus/{post.pk}/dishes/{soup.pk}/sold-out"
        assert address in browse(cast.ana).get(f"/menus/{post.pk}").content.decode()
        for account, status in ((cast.maria, 403), (cast.carla, 403), (None, 302)):
            assert address not in browse(account).get(f"/menus/{post.pk}").content.decode()
            assert browse(account).post(address, {"sold_out": "yes"}).status_code == status
        assert browse(cast.ana).get(address).status_code == 405
        assert browse(cast.ana).post(f"/menus/{post.pk}/dishes/{2**40}/sold-out").status_code == 404
        assert not post.dishes.filter(sold_out=True).exists()


class TestLikes:
    def test_a_press_likes_and_another_takes_it_back_and_the_count_is_right_at_once(self, cast, browse):
        post = PostFactory(author=cast.ana)
        like_post(account=cast.sam, post_id=post.pk)
        client = browse(cast.carla)
        for verb, count, word in (("like", 2, "Liked"), ("unlike", 1, "Like")):
            for _ in range(2):
                page = client.post(f"/menus/{post.pk}/{verb}")
                assert page.headers["Location"] == f"/menus/{post.pk}#menu-{post.pk}"
            button = button_of(client.get(f"/menus/{post.pk}"), f"like-{post.pk}")
            assert f"{word}<" in button
            assert f">{count}<" in button

    def test_htmx_gets_the_button_alone(self, cast, browse):
        post = PostFactory(author=cast.ana)
        page = browse(cast.carla).post(f"/menus/{post.pk}/like", headers={"HX-Request": "true"})
        html = page.content.decode().strip()
        assert html.startswith("<form")
        assert f'action="/menus/{post.pk}/unlike"' in html
        assert ">1<" in html

    @pytest.mark.parametrize("address", ["/", "/@ana"])
    def test_a_card_can_be_liked_where_it_is(self, cast, browse, address):
        post = PostFactory(author=cast.ana)
        client = browse(cast.carla)
        assert "Like<" in button_of(client.get(address), f"like-{post.pk}")
        page = client.post(f"/menus/{post.pk}/like", {"next": address})
        assert page.headers["Location"] == f"{address}#menu-{post.pk}"
        assert "Liked<" in button_of(client.get(address), f"like-{post.pk}")
        recount_likes()
        assert ">1<" in button_of(client.get(address), f"like-{post.pk}")

    def test_a_press_leads_to_no_other_site(self, cast, browse):
        post = PostFactory(author=cast.ana)
        page = browse(cast.carla).post(f"/menus/{post.pk}/like", {"next": "https://evil.example/"})
        assert page.headers["Location"] == f"/menus/{post.pk}#menu-{post.pk}"

    def test_visitors_are_led_to_sign_in_and_back(self, cast, browse):
        post = PostFactory(author=cast.ana)
        html = browse(None).get(f"/menus/{post.pk}").content.decode()
        assert f'href="/sign-in?next=/menus/{post.pk}"' in html
        assert browse(None).post(f"/menus/{post.pk}/like").status_code == 302
        assert not Like.objects.exists()

    def test_what_may_not_be_seen_is_gone(self, cast, browse):
        post = PostFactory(author=AccountFactory(cook=True, private=True))
        for verb in ("like", "unlike"):
            page = browse(cast.sam).post(f"/menus/{post.pk}/{verb}")
            assert page.status_code == 404
            assert "This menu is gone" in page.content.decode()
            assert "@maria" in page.content.decode()  # a cook to go on with
        assert browse(cast.sam).get(f"/menus/{post.pk}/like").status_code == 405


def test_a_new_menu_like_an_earlier_one_says_that_photos_stay_there(cast, browse):
    with_photo = PostFactory(author=cast.ana, photos=[{"url": "/static/demo/soup.svg", "alt": "Soup"}])
    without = PostFactory(author=cast.ana)
    client = browse(cast.ana)
    words = "The photo of that day stays with its menu"
    assert words in client.get("/menus/new", {"from": with_photo.pk}).content.decode()
    assert words not in client.get("/menus/new", {"from": without.pk}).content.decode()


def test_what_is_wrong_with_a_menu_is_listed_with_the_way_to_it(cast, browse):
    sent = {
        "dishes-TOTAL_FORMS": "2", "dishes-INITIAL_FORMS": "0", "dishes-0-name": "Soup", "dishes-0-price": "6",
        "dishes-1-name": "Bread", "dishes-1-price": "two", "currency": "EUR", "day": "2026-13-45",
    }  # fmt: skip
    html = browse(cast.ana).post("/menus/new", sent).content.decode()
    alert = html[html.index('role="alert"') :].partition("</div>")[0]
    assert '<a href="#id_dishes-1-price">Dish 2, Price</a>: Enter a number.' in alert
    assert '<a href="#id_day">' in alert
    assert 'id="id_dishes-1-price"' in html
    assert "dishes-0" not in alert


def test_a_first_menu_without_followers_does_not_speak_of_them(cast, browse):
    cook = AccountFactory(cook=True)
    sent = {
        "dishes-TOTAL_FORMS": "1",
        "dishes-INITIAL_FORMS": "0",
        "dishes-0-name": "Soup",
        "dishes-0-price": "6",
    }
    sent |= {"currency": "EUR", "day": "2026-12-01"}
    assert "Nobody follows you yet" in browse(cook).post("/menus/new", sent, follow=True).content.decode()
    assert (
        "Everyone who follows you" in browse(cast.ana).post("/menus/new", sent, follow=True).content.decode()
    )


def test_a_damaged_key_of_a_form_reaches_no_cookie(cast, browse):
    """A cookie that is not ASCII hides those behind it: its owner would be signed out on the pages of menus."""
    client = browse(cast.ana)
    sent = {
        "dishes-TOTAL_FORMS": "1",
        "dishes-INITIAL_FORMS": "0",
        "dishes-0-name": "Soup",
        "dishes-0-price": "6",
    }
    sent |= {"currency": "EUR", "day": "2026-12-01", "once": "\u0663"}  # a digit, and not of ours
    answer = client.post("/menus/new", sent)
    assert answer.status_code == 400
    assert "menu_done" not in answer.cookies
    assert not Post.objects.exists()
