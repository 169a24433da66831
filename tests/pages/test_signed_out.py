"""A menu's form that is sent when the sign-in has ended."""

import re
from html import unescape

import pytest

from posts.models import Post
from tests.factories import PASSWORD, PostFactory, uploaded
from tests.pages.test_menus import SOUP, rows

TYPED = {"text": 'Typed "for" long', "day": "2030-01-02"} | rows(SOUP, {"name": "Broa", "price": "2"})


def carried(page):
    """The hidden fields of the page, as a browser sends them."""
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page.content.decode())
    sent: dict[str, list[str]] = {}
    for name, value in found:
        if name != "csrfmiddlewaretoken":
            sent.setdefault(unescape(name), []).append(unescape(value))
    return sent


def as_ana(**others):
    return {"username": "ana", "password": PASSWORD} | others


def test_all_that_was_typed_is_there_after_signing_in_where_one_is(cast, browse):
    visitor = browse(None)
    page = visitor.post("/menus/new", TYPED | {"once": "abc"})
    assert page.status_code == 403
    html = page.content.decode()
    assert "what you typed is kept" in html
    assert "Caldo verde" in html
    page = visitor.post("/menus/new", carried(page) | as_ana())
    assert page.status_code == 200
    assert "You are signed in again." in page.content.decode()
    assert page.context["form"]["text"].value() == TYPED["text"]
    assert page.context["form"]["once"].value() == "abc"
    first = page.context["rows"].forms[0]
    assert (first["name"].value(), first["tags"].value()) == ("Caldo verde", ["vegan", "spicy"])
    assert not Post.objects.exists()
    assert visitor.post("/menus/new", TYPED).status_code == 302
    assert Post.objects.get().author == cast.ana


def test_a_wrong_password_loses_nothing_and_shows_no_password(cast, browse):
    visitor = browse(None)
    page = visitor.post("/menus/new", TYPED | as_ana(password="wrong-password"))
    assert page.status_code == 400
    html = page.content.decode()
    assert "do not belong together" in html
    assert "wrong-password" not in html
    assert carried(page)["text"] == [TYPED["text"]]


def test_guesses_are_counted_here_too(cast, browse, settings):
    settings.RATE_LIMITS, settings.LIMIT_GUESSES = True, (1, 900)
    visitor = browse(None)
    for _ in range(2):
        visitor.post("/menus/new", TYPED | as_ana(password="wrong"))
    page = visitor.post("/menus/new", TYPED | as_ana())
    assert page.status_code == 400
    assert "Try again in" in page.content.decode()
    assert carried(page)["text"] == [TYPED["text"]]


def test_a_photo_has_to_be_chosen_again_and_the_page_says_so(cast, browse):
    page = browse(None).post("/menus/new", TYPED | {"photo": uploaded()})
    assert "Only the photo has to be chosen again." in page.content.decode()


def test_an_edit_goes_on_as_well(cast, browse):
    post = PostFactory(author=cast.ana)
    visitor = browse(None)
    page = visitor.post(f"/menus/{post.pk}/edit", TYPED)
    page = visitor.post(f"/menus/{post.pk}/edit", carried(page) | as_ana())
    assert page.context["form"]["text"].value() == TYPED["text"]
    assert Post.objects.get().text == post.text


@pytest.mark.parametrize("name", ["carla", "maria"])
def test_another_account_gets_no_further_than_it_may(cast, browse, name):
    post = PostFactory(author=cast.ana)
    page = browse(None).post(f"/menus/{post.pk}/edit", TYPED | as_ana(username=name))
    assert page.status_code == 403
    assert Post.objects.get().text == post.text


def test_a_button_that_htmx_presses_leads_to_signing_in_and_back_to_the_form(cast, browse):
    page = browse(cast.ana).get("/menus/new")
    assert '<input type="hidden" name="next" value="/menus/new">' in page.content.decode()
    sent = TYPED | {"next": "/menus/new", "add-dish": "1"}
    page = browse(None).post("/menus/new", sent, headers={"HX-Request": "true"})
    assert page.headers["HX-Redirect"] == "/sign-in?next=%2Fmenus%2Fnew"
