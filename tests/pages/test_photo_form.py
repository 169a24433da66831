"""The photo of a new menu, and a form that is sent twice. All of it without JavaScript."""

import re
from typing import Any

import pytest
from django.test import Client

from posts.media.processing import process_photo
from posts.models import Photo, Post
from posts.services import delete_post
from tests.factories import make_photo, picture, uploaded
from tests.feeds.helpers import in_threads

NEW = "/menus/new"
ALT = "A bowl of soup"


def hidden(page: Any) -> dict[str, str]:
    """The hidden fields of the form, as a browser sends them."""
    html = page.content.decode()
    found = {}
    for name in ("once", "kept"):
        value = re.search(rf'name="{name}"(?: value="([^"]*)")?', html)
        assert value, name
        found[name] = value[1] or ""
    return found


def words(page: Any, alt: str = ALT) -> dict[str, str]:
    """The hidden fields, and words for the photos that the form shows."""
    return hidden(page) | {f"alt-{pk}": alt for pk in page.context["photos"].ids}


def form(client: Client, **fields: Any) -> dict[str, Any]:
    return {"text": "Soup"} | hidden(client.get(NEW)) | fields


def test_a_menu_with_a_photo(cast, browse):
    ana = browse(cast.ana)
    page = ana.get(NEW)
    assert 'enctype="multipart/form-data"' in page.content.decode()
    assert "up to 10 MB" in page.content.decode()
    page = ana.post(NEW, form(ana, photo=uploaded(picture(1200, 900)), photo_alt=ALT), follow=True)
    html = page.content.decode()
    assert "Your menu is out." in html
    photo = Post.objects.get().photos.get()
    assert photo.alt == ALT
    assert f'<image href="{photo.placeholder}"' in html
    assert f'<span class="unseen">{ALT}</span>' in html
    assert "<img" not in html.split("<article", 1)[1].split("menu-body")[0]
    process_photo(photo.pk)
    html = ana.get(f"/menus/{photo.post_id}").content.decode()
    assert re.search(
        rf'<img src="/media/[0-9a-f/]+-1200.webp" srcset="[^"]+ 480w, [^"]+" sizes="[^"]+" alt="{ALT}"', html
    )


@pytest.mark.parametrize(
    ("photo", "alt", "words"),
    [
        (b"soup", ALT, "Must be a photo"),
        (b"", ALT, "Must be a photo"),
        (picture()[:500], ALT, "damaged"),
        (picture(), "", "Say in a few words what is on the photo."),
        (picture(), "x" * 301, "at most 300"),
    ],
)
def test_what_is_not_right_is_said_and_all_that_was_typed_is_kept(cast, browse, photo, alt, words):
    ana = browse(cast.ana)
    page = ana.post(NEW, form(ana, text="Kept words", photo=uploaded(photo), photo_alt=alt))
    assert page.status_code == 400
    html = page.content.decode()
    assert words in html
    assert "All you typed is kept" in html
    assert "Kept words" in html
    assert not Post.objects.exists()


def test_a_photo_that_is_too_large_loses_no_words(cast, browse, settings):
    settings.MEDIA_MAX_BYTES = 100_000
    ana = browse(cast.ana)
    sent = form(ana, text="Kept words", photo=uploaded(picture() + bytes(150_000)), photo_alt=ALT)
    page = ana.post(NEW, sent)
    assert page.status_code == 400
    words = "The photo is larger than 0.0953674 MB. Your menu is kept; choose a smaller photo."
    assert words in page.content.decode()
    assert "Kept words" in page.content.decode()


@pytest.mark.parametrize("wrong", [{"text": ""}, {"photo_alt": ""}, {"day": "tomorrow"}, {"add-dish": "1"}])
def test_a_good_photo_is_kept_while_the_rest_is_put_right(cast, browse, wrong):
    ana = browse(cast.ana)
    page = ana.post(NEW, form(ana, photo=uploaded(), photo_alt=ALT) | wrong)
    assert page.status_code == (200 if "add-dish" in wrong else 400)
    assert 'class="photo-row"' in page.content.decode()
    assert ana.post(NEW, {"text": "Soup"} | words(page)).status_code == 302
    photo = Photo.objects.get()
    assert (photo.post, photo.alt) == (Post.objects.get(), ALT)


def test_several_photos_one_after_another_in_the_order_that_is_chosen(cast, browse):
    ana = browse(cast.ana)
    page = ana.get(NEW)
    for alt in ("Soup", "Bread", "Cake"):
        sent = words(page, "") | {f"alt-{row.photo.pk}": row.alt for row in page.context["photos"].rows}
        page = ana.post(NEW, sent | {"add-photo": "1", "photo": uploaded(), "photo_alt": alt})
        assert page.status_code == 200
        assert f'value="{alt}"' in page.content.decode()
    soup, bread, cake = page.context["photos"].ids
    typed = {f"alt-{soup}": "Soup", f"alt-{bread}": "Bread", f"alt-{cake}": "Cake of plums"}
    page = ana.post(NEW, hidden(page) | typed | {"first-photo": str(cake)})
    assert page.context["photos"].ids == [cake, soup, bread]
    page = ana.post(NEW, hidden(page) | typed | {"remove-photo": str(soup)})
    assert ana.post(NEW, hidden(page) | typed | {"text": "Soup"}).status_code == 302
    photos = Post.objects.get().photos.order_by("position")
    assert [photo.alt for photo in photos] == ["Cake of plums", "Bread"]


def test_a_menu_takes_so_many_photos_and_no_more(cast, browse, monkeypatch):
    monkeypatch.setattr("posts.photo_rows.MAX_PHOTOS", 2)
    ana = browse(cast.ana)
    kept = f"{make_photo(cast.ana, ready=False).pk},{make_photo(cast.ana, ready=False).pk}"
    page = ana.post(NEW, form(ana, kept=kept, **{"add-photo": "1"}, photo=uploaded(), photo_alt=ALT))
    html = page.content.decode()
    assert "A menu has at most" in html
    assert 'type="file"' not in html
    assert Photo.objects.count() == 2


@pytest.mark.parametrize("kept", ["x", "1,x,,2", "-1", "9" * 40, "," * 2000])
def test_damaged_names_of_photos_are_no_error(cast, browse, kept):
    ana = browse(cast.ana)
    assert ana.post(NEW, form(ana, kept=kept, **{"add-dish": "1"})).status_code == 200


def test_uploads_are_counted(cast, browse, settings):
    settings.RATE_LIMITS, settings.LIMIT_UPLOADS = True, (1, 600)
    ana = browse(cast.ana)
    pages = [ana.post(NEW, form(ana, **{"add-photo": "1"}, photo=uploaded(), text="Kept")) for _ in range(2)]
    assert "That was a lot at once" in pages[1].content.decode()
    assert "Kept" in pages[1].content.decode()
    assert Photo.objects.count() == 1


def test_a_kept_photo_that_has_gone_is_asked_for_again(cast, browse):
    ana = browse(cast.ana)
    for kept in (2**40, make_photo(cast.maria).pk):
        page = ana.post(NEW, form(ana, kept=kept))
        assert page.status_code == 400
        assert "The photo is not there any more." in page.content.decode()
        assert hidden(page)["kept"] == ""
    assert Photo.objects.get().alt == ALT  # maria's, as it was
    assert not Post.objects.exists()


def test_the_words_of_somebody_elses_photo_do_not_change(cast, browse):
    theirs = make_photo(cast.maria)
    ana = browse(cast.ana)
    ana.post(NEW, form(ana, kept=theirs.pk, **{f"alt-{theirs.pk}": "Mine now"}))
    assert Photo.objects.get().alt == theirs.alt == ALT


class TestSentTwice:
    def test_it_publishes_once_and_both_lead_to_the_menu(self, cast, browse):
        ana = browse(cast.ana)
        sent = form(ana)
        first, second = ana.post(NEW, sent), ana.post(NEW, sent)
        post = Post.objects.get()
        assert first["Location"] == second["Location"] == f"/menus/{post.pk}"

    def test_with_its_photo_too(self, cast, browse):
        ana = browse(cast.ana)
        sent = form(ana, photo_alt=ALT)
        for _ in range(2):
            assert ana.post(NEW, sent | {"photo": uploaded()}).status_code == 302
        assert Post.objects.get().photos.count() == 1

    def test_by_a_double_click(self, cast, browse):
        ana = browse(cast.ana)
        sent = form(ana)
        pages = in_threads([lambda: browse(cast.ana).post(NEW, sent)] * 4)
        post = Post.objects.get()
        assert {page["Location"] for page in pages} == {f"/menus/{post.pk}"}

    def test_after_the_menu_is_deleted_it_leads_to_where_it_was(self, cast, browse):
        ana = browse(cast.ana)
        sent = form(ana)
        ana.post(NEW, sent)
        delete_post(actor=cast.ana, post_id=Post.objects.get().pk)
        page = ana.post(NEW, sent, follow=True)
        assert page.status_code == 404
        assert "This menu is gone" in page.content.decode()
        assert not Post.objects.exists()

    def test_with_other_words_it_asks_and_then_publishes_another(self, cast, browse):
        ana = browse(cast.ana)
        sent = form(ana)
        ana.post(NEW, sent)
        page = ana.post(NEW, sent | {"text": "Stew"})
        assert page.status_code == 400
        assert "has published a menu already" in page.content.decode()
        assert ana.post(NEW, {"text": "Stew"} | hidden(page)).status_code == 302
        assert Post.objects.count() == 2

    def test_one_that_was_refused_may_be_sent_again(self, cast, browse):
        ana = browse(cast.ana)
        page = ana.post(NEW, form(ana, text=""))
        assert ana.post(NEW, {"text": "Soup"} | hidden(page)).status_code == 302

    def test_each_form_has_a_key_of_its_own(self, cast, browse):
        ana = browse(cast.ana)
        for _ in range(2):
            ana.post(NEW, form(ana))
        assert Post.objects.count() == 2

    @pytest.mark.parametrize("once", ["", "x" * 65, "a b", "<script>"])
    def test_a_damaged_key_is_no_error_of_the_server(self, cast, browse, once):
        assert browse(cast.ana).post(NEW, {"text": "Soup", "once": once}).status_code in (302, 400)


class TestMadeReady:
    """What the cook sees after publishing, while a worker makes the sizes."""

    HTMX = {"HX-Request": "true"}

    def menu_with_a_photo(self, cast: Any, browse: Any) -> tuple[Client, Post]:
        ana = browse(cast.ana)
        ana.post(NEW, form(ana, photo=uploaded(), photo_alt=ALT))
        return ana, Post.objects.get()

    def test_the_page_says_so_and_asks_until_it_is_there(self, cast, browse):
        ana, post = self.menu_with_a_photo(cast, browse)
        html = ana.get(f"/menus/{post.pk}").content.decode()
        assert "is being made ready" in html
        assert f'hx-get="/menus/{post.pk}/photos?number=1" hx-trigger="load delay:1s"' in html
        part = ana.get(f"/menus/{post.pk}/photos?number=1", headers=self.HTMX).content.decode()
        assert f'hx-get="/menus/{post.pk}/photos?number=2" hx-trigger="load delay:2s"' in part
        process_photo(post.photos.get().pk)
        part = ana.get(f"/menus/{post.pk}/photos?number=2", headers=self.HTMX).content.decode()
        assert "<img" in part
        assert "hx-get" not in part
        assert "made ready" not in part

    @pytest.mark.parametrize("number", ["12", "999", "x", ""])
    def test_it_stops_asking_at_last(self, cast, browse, number):
        ana, post = self.menu_with_a_photo(cast, browse)
        part = ana.get(f"/menus/{post.pk}/photos?number={number}", headers=self.HTMX).content.decode()
        assert "takes longer than usual. It is safe" in part
        assert "hx-get" not in part

    def test_a_photo_that_failed_is_said_with_a_way_to_another(self, cast, browse):
        ana, post = self.menu_with_a_photo(cast, browse)
        Photo.objects.update(state="failed", upload="")
        html = ana.get(f"/menus/{post.pk}").content.decode()
        assert "A photo could not be used" in html
        assert f'href="/menus/{post.pk}/edit#photos"' in html

    def test_nobody_else_is_told_or_asks(self, cast, browse):
        _, post = self.menu_with_a_photo(cast, browse)
        html = browse(cast.carla).get(f"/menus/{post.pk}").content.decode()
        assert "made ready" not in html
        assert "hx-get" not in html.split("<main", 1)[1].split("<footer")[0]
        page = browse(cast.carla).get(f"/menus/{post.pk}/photos", headers=self.HTMX)
        assert page.status_code == 403
