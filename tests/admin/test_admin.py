"""What staff see and change."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from feeds.models import PulledAuthor
from feeds.reading import read_feed
from feeds.threshold import set_threshold
from posts.ids import time_of
from social.models import Account, Follow
from social.times import staff_time
from tests.factories import AccountFactory, Cast, PostFactory

Browse = Callable[[Account | None], Client]
SETTINGS = "/admin/feeds/feedsettings/1/change/"
RANKING = "/admin/feeds/rankingsettings/1/change/"
LISTS = [
    "social_account", "social_follow", "social_followrequest", "social_block", "social_mute",
    "posts_post", "posts_report", "feeds_outbox", "feeds_pulledauthor", "feeds_settingschange", "feeds_crossing",
]  # fmt: skip


@pytest.fixture
def staff(cast: Cast, browse: Browse) -> Client:
    PostFactory(author=cast.ana)
    return browse(cast.stef)


class TestLists:
    @pytest.mark.parametrize("name", LISTS)
    @pytest.mark.parametrize("query", ["", "?q=ana", "?q=1", "?q=%00%27;--", "?q=" + "9" * 40, "?p=900000"])
    def test_each_answers_whatever_is_searched(self, staff: Client, name: str, query: str) -> None:
        response = staff.get(reverse(f"admin:{name}_changelist") + query, follow=True)
        assert response.status_code == 200

    @pytest.mark.parametrize("name", LISTS)
    @pytest.mark.parametrize("query", ["", "?_facets=True"])
    def test_none_counts_or_loads_a_whole_table(self, staff: Client, name: str, query: str) -> None:
        AccountFactory.create_batch(3)
        with CaptureQueriesContext(connection) as queries:
            response = staff.get(reverse(f"admin:{name}_changelist") + query)
        assert "Show counts" not in response.content.decode()
        for statement in queries:
            sql = statement["sql"]
            assert "COUNT(" not in sql or "LIMIT" in sql, sql

    def test_accounts_are_found_by_beginning_name_and_id(self, staff: Client, cast: Cast) -> None:
        for term in ("@MAR", "maria", "Maria", str(cast.maria.pk)):
            response = staff.get("/admin/social/account/", {"q": term})
            assert list(response.context["cl"].queryset) == [cast.maria], term

    def test_the_pages_to_add_and_change_answer(self, staff: Client, cast: Cast) -> None:
        post = PostFactory(author=cast.ana)
        follow = Follow.objects.first()
        assert follow is not None
        for address in (
            "/admin/",
            "/admin/social/account/add/",
            f"/admin/social/account/{cast.ana.pk}/change/",
            "/admin/social/follow/add/",
            f"/admin/social/follow/{follow.pk}/change/",
            "/admin/posts/post/add/",
            f"/admin/posts/post/{post.pk}/change/",
            f"/admin/feeds/pulledauthor/{cast.maria.pk}/change/",
            SETTINGS,
            RANKING,
        ):
            response = staff.get(address)
            assert response.status_code == 200, address
            assert "DatabaseDefault" not in response.content.decode(), address

    @pytest.mark.parametrize("name", ["feeds_outbox", "feeds_pulledauthor"])
    def test_what_machines_write_is_only_read(self, staff: Client, name: str) -> None:
        assert staff.get(reverse(f"admin:{name}_add")).status_code == 403

    def test_accounts_are_switched_off_not_deleted(self, staff: Client, cast: Cast) -> None:
        address = f"/admin/social/account/{cast.ana.pk}/delete/"
        assert staff.post(address, {"post": "yes"}).status_code == 403


def fields_of(response: Any) -> dict[str, Any]:
    """What a browser would send back from an admin form and its inlines."""
    forms = [response.context["adminform"].form]
    for inline in response.context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    values = {f.add_prefix(name): f[name].value() for f in forms for name in f.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


class TestEffects:
    def test_an_edited_dish_is_in_the_next_read(self, staff: Client, cast: Cast) -> None:
        post = PostFactory(author=cast.ana)
        read_feed(cast.carla.pk)
        address = f"/admin/posts/post/{post.pk}/change/"
        fields = fields_of(staff.get(address)) | {"dishes-0-name": "Caldeirada", "dishes-0-sold_out": "on"}
        assert staff.post(address, fields).status_code == 302
        dish = read_feed(cast.carla.pk).items[0].post["dishes"][0]
        assert (dish["name"], dish["sold_out"]) == ("Caldeirada", True)

    def test_a_menu_of_staffs_hand_is_published(self, staff: Client, cast: Cast) -> None:
        empty = {
            f"{name}-{what}_FORMS": "0" for name in ("dishes", "photos") for what in ("TOTAL", "INITIAL")
        }
        fields = {"author": cast.ana.pk, "text": "Soup, by staff.", "day": "2026-01-01"}
        assert staff.post("/admin/posts/post/add/", fields | empty).status_code == 302
        assert read_feed(cast.carla.pk).items[0].post["text"] == "Soup, by staff."

    def test_a_follow_and_its_end(self, staff: Client, cast: Cast) -> None:
        fields = {"follower": cast.sam.pk, "followee": cast.ana.pk}
        assert staff.post("/admin/social/follow/add/", fields).status_code == 302
        assert len(read_feed(cast.sam.pk).items) == 1
        follow = Follow.objects.get(follower=cast.sam)
        assert staff.post(f"/admin/social/follow/{follow.pk}/delete/", {"post": "yes"}).status_code == 302
        assert read_feed(cast.sam.pk).items == []

    def test_nobody_follows_themselves(self, staff: Client, cast: Cast) -> None:
        response = staff.post("/admin/social/follow/add/", {"follower": cast.sam.pk, "followee": cast.sam.pk})
        assert "An account cannot follow itself." in response.content.decode()


def test_intervals_are_told_as_times_not_as_ids(staff: Client, cast: Cast) -> None:
    interval = PulledAuthor.objects.get(author=cast.maria)
    since = staff_time(time_of(interval.since_id))
    page = "/admin/feeds/pulledauthor/"
    html = staff.get(page, {"q": "@Maria"}).content.decode()
    assert f'<td class="field-pulled_since">{since}</td>' in html
    assert str(interval.since_id) not in html
    assert "result_list" not in staff.get(page, {"q": "ana"}).content.decode()
    assert f"Pulled since {since}" in staff.get(f"{page}{cast.maria.pk}/change/").content.decode()
    set_threshold(1000)
    interval.refresh_from_db()
    assert interval.until_id is not None
    assert (
        f'pushed_again_since">{staff_time(time_of(interval.until_id))}</td>'
        in staff.get(page).content.decode()
    )


def test_every_page_says_the_zone_of_its_times(staff: Client, settings: Any) -> None:
    for address in ("/admin/", "/admin/posts/post/", SETTINGS):
        assert "Times are in <strong>UTC</strong>." in staff.get(address).content.decode()
    settings.TIME_ZONE = "Europe/Lisbon"
    assert "Times are in <strong>Europe/Lisbon</strong>." in staff.get("/admin/").content.decode()
