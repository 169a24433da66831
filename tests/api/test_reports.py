"""Reports of menus: by the API, on the page, and what staff do about them."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.test import APIClient

from posts import reporting
from posts.erasing import STEPS, erase_menus
from posts.models import Post, Report
from posts.reporting import report_post
from posts.services import delete_post, hide_post
from social.erasing import erase_marked_accounts
from social.errors import NotFound
from social.models import Account
from social.services import erase_account
from tests.api.test_feed import problem
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import Background, Gate, in_threads, query_count

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
LIST = "/admin/posts/report/"
REASON = "The photo is not of food."


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana, text="Soup with a hair in it.")


def report(client: APIClient, post: Post, reason: Any = REASON) -> Any:
    body = json.dumps({"reason": reason})
    return client.post(f"/api/v1/posts/{post.pk}/report", body, content_type="application/json")


class TestApi:
    def test_a_report_is_a_row_for_staff(self, cast: Cast, api: Api, post: Post) -> None:
        answer = report(api(cast.sam), post, f"  {REASON}\n")
        assert (answer.status_code, answer.content) == (204, b"")
        row = Report.objects.get()
        assert (row.account, row.post, row.reason, row.handled_at) == (cast.sam, post, REASON, None)

    def test_a_repeat_replaces_the_reason_and_is_looked_at_again(
        self, cast: Cast, api: Api, post: Post
    ) -> None:
        report(api(cast.sam), post, "I do not like soup.")
        first = Report.objects.get()
        reporting.handle_reports([first.pk])
        assert report(api(cast.sam), post).status_code == 204
        row = Report.objects.get()
        assert (row.pk, row.reason, row.handled_at) == (first.pk, REASON, None)
        assert row.created_at > first.created_at
        assert report(api(cast.carla), post).status_code == 204
        assert Report.objects.count() == 2

    @pytest.mark.parametrize(
        "reason", ["", " \n ", "\u200b", "a\x00b", "\ud800", "x" * 501, None, 7, ["hair"]], ids=repr
    )
    def test_a_reason_is_clean_text_of_1_to_500_characters(
        self, cast: Cast, api: Api, post: Post, reason: Any
    ) -> None:
        assert problem(report(api(cast.sam), post, reason), 400, "invalid")["errors"].keys() == {"reason"}
        assert not Report.objects.exists()

    def test_500_characters_are_not_too_many(self, cast: Cast, api: Api, post: Post) -> None:
        assert report(api(cast.sam), post, "é" * 500).status_code == 204

    def test_ones_own_menu_one_edits_or_deletes(self, cast: Cast, api: Api, post: Post) -> None:
        said = problem(report(api(cast.ana), post), 403, "forbidden")
        assert "edit or delete" in said["detail"]
        assert not Report.objects.exists()

    def test_what_is_not_there_cannot_be_reported(self, cast: Cast, api: Api, post: Post) -> None:
        hide_post(post_id=post.pk)
        for post_id in (0, 1, post.pk, 2**53, 10**30):
            address = f"/api/v1/posts/{post_id}/report"
            problem(api(cast.sam).post(address, {"reason": REASON}, format="json"), 404, "not_found")


class TestAtOnce:
    def test_many_reports_of_one_account_are_one(self, cast: Cast, post: Post) -> None:
        calls = [lambda: report_post(account=cast.sam, post_id=post.pk, reason=REASON)] * 8
        in_threads(calls)
        assert Report.objects.count() == 1

    def test_a_menu_that_is_deleted_meanwhile_is_not_found(
        self, cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate(monkeypatch, reporting, "_save_report")

        def report_it() -> str:
            with pytest.raises(NotFound):
                report_post(account=cast.sam, post_id=post.pk, reason=REASON)
            return "not found"

        reporter = Background(report_it)
        gate.wait_until_reached()
        delete_post(actor=cast.ana, post_id=post.pk)
        gate.open()
        assert reporter.result() == "not found"
        assert not Report.objects.exists()


class TestWhatGoesWithIt:
    def test_a_deleted_menu_takes_its_reports_along(self, cast: Cast, post: Post) -> None:
        report_post(account=cast.sam, post_id=post.pk, reason=REASON)
        delete_post(actor=cast.ana, post_id=post.pk)
        assert not Report.objects.exists()

    @pytest.mark.parametrize("who", ["sam", "ana"])
    def test_an_erased_account_takes_what_it_reported_and_what_was_reported_of_it(
        self, cast: Cast, post: Post, who: str
    ) -> None:
        report_post(account=cast.sam, post_id=post.pk, reason=REASON)
        erase_account(getattr(cast, who).pk)
        assert erase_marked_accounts() == 1
        assert not Report.objects.exists()

    def test_what_was_reported_of_an_erased_cook_goes_in_small_steps_before_her_menus(
        self, cast: Cast, post: Post
    ) -> None:
        reported(post, cast.sam, cast.carla)
        before_menus = STEPS[: STEPS.index(erase_menus)]
        taken = [step(cast.ana.pk, 1) for step in before_menus for _ in range(2)]
        assert max(taken) == 1
        assert not Report.objects.exists()
        assert Post.objects.filter(pk=post.pk).exists()


class TestPage:
    def test_who_is_signed_in_reports_and_is_thanked(self, cast: Cast, browse: Browse, post: Post) -> None:
        page = browse(cast.sam).post(f"/menus/{post.pk}/report", {"reason": REASON}, follow=True)
        assert page.redirect_chain == [(f"/menus/{post.pk}", 302)]
        assert "Thank you. We will look at this menu." in page.content.decode()
        assert Report.objects.get().reason == REASON

    def test_the_form_is_for_whom_it_is_of_use(self, cast: Cast, browse: Browse, post: Post) -> None:
        for who, there in ((cast.sam, True), (cast.ana, False), (None, False)):
            html = browse(who).get(f"/menus/{post.pk}").content.decode()
            assert ("Report this menu" in html) is there

    @pytest.mark.parametrize("reason", ["", "\u200b", "x" * 501, "hair\x00"])
    def test_what_is_not_right_is_said_beside_what_was_typed(
        self, cast: Cast, browse: Browse, post: Post, reason: str
    ) -> None:
        page = browse(cast.sam).post(f"/menus/{post.pk}/report", {"reason": reason})
        html = page.content.decode()
        assert page.status_code == 400
        assert re.search(r'<details class="danger" open>\s*<summary>Report this menu', html)
        assert "Something is not right yet." in html
        assert reason.strip("\x00") in html
        assert "Soup with a hair in it." in html
        assert not Report.objects.exists()

    def test_a_visitor_signs_in_first_and_comes_back_to_the_menu(self, browse: Browse, post: Post) -> None:
        address = f"/menus/{post.pk}"
        answer = browse(None).post(f"{address}/report", {"reason": REASON, "next": address})
        assert answer["Location"] == f"/sign-in?next=%2Fmenus%2F{post.pk}"

    def test_ones_own_and_what_is_gone(self, cast: Cast, browse: Browse, post: Post) -> None:
        address = f"/menus/{post.pk}/report"
        assert browse(cast.ana).post(address, {"reason": REASON}).status_code == 403
        hide_post(post_id=post.pk)
        for reason in (REASON, ""):
            answer = browse(cast.sam).post(address, {"reason": reason})
            assert answer.status_code == 404
            assert "This menu is gone" in answer.content.decode()


WHY = {"answered": "yes", "reason": "A hair in it."}


def act(client: Client, action: str, *reports: Report) -> str:
    chosen = {"action": action, "_selected_action": [row.pk for row in reports]}
    response = client.post(LIST, chosen | WHY, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def reported(post: Post, *accounts: Account) -> list[Report]:
    for account in accounts:
        report_post(account=account, post_id=post.pk, reason=f"{REASON} Says {account}.")
    return list(post.reports.order_by("pk"))


class TestAdmin:
    @pytest.fixture
    def staff(self, cast: Cast, browse: Browse) -> Client:
        return browse(cast.stef)

    def test_the_open_ones_newest_first_with_menu_and_author_linked(
        self, cast: Cast, staff: Client, post: Post
    ) -> None:
        first, second = reported(post, cast.sam, cast.carla)
        third = reported(PostFactory(author=cast.maria, text=""), cast.sam)[0]
        reporting.handle_reports([second.pk])
        report_post(account=cast.sam, post_id=post.pk, reason="Still there.")
        response = staff.get(LIST)
        assert list(response.context["cl"].result_list) == [first, third]
        html = response.content.decode()
        assert f'<a href="/admin/posts/post/{post.pk}/change/">Soup with a hair in it.</a>' in html
        assert f'<a href="/admin/social/account/{cast.ana.pk}/change/">@ana</a>' in html
        assert f'/change/">menu {third.post_id}</a>' in html
        assert list(staff.get(LIST, {"state": "handled"}).context["cl"].result_list) == [second]
        assert staff.get(LIST, {"state": "all"}).context["cl"].result_count == 3
        for term in ("@ana", str(post.pk)):
            assert list(staff.get(LIST, {"q": term}).context["cl"].result_list) == [first]

    def test_the_number_of_queries_does_not_grow(self, cast: Cast, staff: Client, post: Post) -> None:
        reported(post, cast.sam)
        few = query_count(lambda: staff.get(LIST))
        for _ in range(5):
            reported(PostFactory(author=AccountFactory(cook=True)), AccountFactory(), cast.sam)
        assert query_count(lambda: staff.get(LIST)) == few

    def test_hiding_a_menu_handles_all_that_was_reported_of_it(
        self, cast: Cast, staff: Client, api: Api, post: Post
    ) -> None:
        first, _ = reported(post, cast.sam, cast.carla)
        other = reported(PostFactory(author=cast.maria), cast.sam)[0]
        assert "Menus hidden: 1." in act(staff, "hide_menus", first)
        problem(api(cast.carla).get(f"/api/v1/posts/{post.pk}"), 404, "not_found")
        assert list(Report.objects.filter(handled_at=None)) == [other]
        [entry] = LogEntry.objects.all()
        assert (entry.object_id, entry.change_message) == (str(post.pk), "Hidden: A hair in it.")

    def test_a_menu_that_was_hidden_already_is_no_success_but_its_reports_are_handled(
        self, cast: Cast, staff: Client, post: Post
    ) -> None:
        rows = reported(post, cast.sam)
        hide_post(post_id=post.pk)
        html = act(staff, "hide_menus", *rows)
        assert "Menus that were hidden already: 1." in html
        assert 'class="success"' not in html
        assert not Report.objects.filter(handled_at=None).exists()

    def test_marking_as_handled_leaves_the_menu(self, cast: Cast, staff: Client, post: Post) -> None:
        rows = reported(post, cast.sam, cast.carla)
        assert "Reports handled: 2." in act(staff, "mark_as_handled", *rows)
        assert not Report.objects.filter(handled_at=None).exists()
        assert Post.objects.get(pk=post.pk).hidden_at is None
        assert LogEntry.objects.count() == 2

    def test_too_many_at_once_are_refused_whole(
        self, cast: Cast, staff: Client, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = reported(post, cast.sam, cast.carla)
        monkeypatch.setattr("social.staff.actions.MOST_AT_ONCE", 1)
        for action in ("hide_menus", "mark_as_handled"):
            assert "Choose at most 1" in act(staff, action, *rows)
        assert Report.objects.filter(handled_at=None).count() == 2
        assert Post.objects.get(pk=post.pk).hidden_at is None

    def test_two_of_staff_at_the_same_reports_do_not_wait_for_each_other(self, cast: Cast) -> None:
        posts = [PostFactory(author=cast.ana) for _ in range(4)]
        for post in reversed(posts):  # the order of reports is not that of menus
            reported(post, cast.sam, cast.carla)
        ids = list(Report.objects.values_list("pk", flat=True))
        for _ in range(10):
            Report.objects.update(handled_at=None)
            Post.objects.update(hidden_at=None)
            in_threads(
                [
                    lambda: reporting.hide_reported_posts([post.pk for post in posts]),
                    lambda: reporting.handle_reports(ids),
                ]
            )
            assert not Report.objects.filter(handled_at=None).exists()

    def test_each_action_needs_its_permission(self, cast: Cast, browse: Browse, post: Post) -> None:
        rows, clerk = reported(post, cast.sam), AccountFactory(is_staff=True)
        clerk.user_permissions.add(Permission.objects.get(codename="view_report"))
        for action in ("hide_menus", "mark_as_handled"):
            chosen = {"action": action, "_selected_action": [rows[0].pk]}
            assert browse(clerk).post(LIST, chosen | WHY).status_code == 403
        assert Report.objects.filter(handled_at=None).exists()
        assert Post.objects.get(pk=post.pk).hidden_at is None
        clerk.user_permissions.add(Permission.objects.get(codename="change_report"))
        act(browse(clerk), "mark_as_handled", *rows)
        assert not Report.objects.filter(handled_at=None).exists()

    def test_nobody_edits_a_report_and_a_reported_menu_can_be_deleted(
        self, cast: Cast, staff: Client, post: Post
    ) -> None:
        [row] = reported(post, cast.sam)
        assert staff.get(f"{LIST}add/").status_code == 403
        assert staff.post(f"{LIST}{row.pk}/change/", {"reason": "Else"}).status_code == 403
        assert staff.post(f"/admin/posts/post/{post.pk}/delete/", {"post": "yes"}).status_code == 302
        assert not Post.objects.exists()

    def test_who_may_delete_menus_is_not_stopped_by_reports(
        self, cast: Cast, browse: Browse, post: Post
    ) -> None:
        reported(post, cast.sam)
        clerk = AccountFactory(is_staff=True)
        clerk.user_permissions.set(Permission.objects.filter(codename__in=["view_post", "delete_post"]))
        clerk.user_permissions.add(*Permission.objects.filter(codename__in=["delete_dish", "delete_photo"]))
        assert browse(clerk).post(f"/admin/posts/post/{post.pk}/delete/", {"post": "yes"}).status_code == 302
        assert not Post.objects.exists()
