"""Reports, menus and accounts in admin: one leads to the next, a reason is asked for, and what is done is in force on
the next request of everybody."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from rest_framework.test import APIClient

from posts.models import Post, Report
from posts.reporting import report_post
from social.models import Account
from social.services import deactivate_account
from tests.factories import AccountFactory, Cast, PhotoFactory, PostFactory
from tests.feeds.helpers import query_count, warm

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
ACCOUNTS, MENUS, REPORTS = "/admin/social/account/", "/admin/posts/post/", "/admin/posts/report/"
WHY = {"answered": "yes", "reason": "A hair in it."}


@pytest.fixture
def staff(cast: Cast, browse: Browse) -> Client:
    return browse(cast.stef)


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana, text="Soup of the day.", photos=[PhotoFactory()])


def do(staff: Client, page: str, action: str, *rows: Any, **fields: str) -> Any:
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    return staff.post(page, chosen | fields)


# --- In force on the next request --------------------------------------------------------------------------------


class TestInForce:
    def test_a_hidden_menu_is_gone_for_all_and_comes_back(
        self, cast: Cast, staff: Client, api: Api, browse: Browse, post: Post
    ) -> None:
        reader, cook, page, visitor = api(cast.carla), api(cast.ana), browse(cast.carla), browse(None)

        def seen() -> list[bool]:
            return [
                post.pk in [p["id"] for p in reader.get("/api/v1/feed").json()["posts"]],
                reader.get(f"/api/v1/posts/{post.pk}").status_code == 200,
                cook.get(f"/api/v1/posts/{post.pk}").status_code == 200,
                f'id="menu-{post.pk}"' in page.get("/").content.decode(),
                visitor.get(f"/menus/{post.pk}").status_code == 200,
            ]

        warm(cast.carla)
        assert seen() == [True] * 5
        do(staff, MENUS, "hide_menus", post, **WHY)
        assert seen() == [False] * 5
        do(staff, MENUS, "restore_menus", post)
        assert seen() == [True] * 5

    def test_a_suspended_cook_is_signed_out_and_gone_for_all_and_comes_back(
        self, cast: Cast, staff: Client, api: Api, browse: Browse, post: Post
    ) -> None:
        reader, page, visitor = api(cast.carla), browse(cast.carla), browse(None)
        token, session = api(cast.ana), browse(cast.ana)

        def seen() -> list[bool]:
            return [
                post.pk in [p["id"] for p in reader.get("/api/v1/feed").json()["posts"]],
                reader.get(f"/api/v1/posts/{post.pk}").status_code == 200,
                f'id="menu-{post.pk}"' in page.get("/").content.decode(),
                visitor.get("/@ana").status_code == 200,
            ]

        def signed_in() -> list[bool]:
            return [
                token.get("/api/v1/feed").status_code == 200,
                token.get("/api/v1/me").status_code == 200,
                session.get("/settings/").status_code == 200,
                'href="/sign-in"' not in session.get("/").content.decode(),
            ]

        for account in (cast.carla, cast.ana):
            warm(account)
        assert (seen(), signed_in()) == ([True] * 4, [True] * 4)
        do(staff, ACCOUNTS, "suspend", cast.ana, **WHY)
        assert (seen(), signed_in()) == ([False] * 4, [False] * 4)
        do(staff, ACCOUNTS, "restore", cast.ana)
        assert (seen(), signed_in()) == ([True] * 4, [False] * 4)
        token, session = api(Account.objects.get(pk=cast.ana.pk)), browse(Account.objects.get(pk=cast.ana.pk))
        assert signed_in() == [True] * 4


# --- The reason --------------------------------------------------------------------------------------------------

ASKING = [(ACCOUNTS, "suspend", "Suspend @ana"), (MENUS, "hide_menus", "Hide this menu"),
          (REPORTS, "hide_menus", "Hide the reported menu")]  # fmt: skip


@pytest.fixture
def rows(cast: Cast, post: Post) -> dict[str, Any]:
    report_post(account=cast.sam, post_id=post.pk, reason="There is a hair in it.")
    return {ACCOUNTS: cast.ana, MENUS: post, REPORTS: Report.objects.get()}


def untouched(rows: dict[str, Any]) -> bool:
    return (
        Account.objects.get(pk=rows[ACCOUNTS].pk).is_active
        and Post.objects.get(pk=rows[MENUS].pk).hidden_at is None
        and not LogEntry.objects.exists()
    )


class TestReason:
    @pytest.mark.parametrize(("page", "action", "title"), ASKING)
    def test_it_is_asked_for_and_stands_in_the_log(
        self, staff: Client, rows: dict[str, Any], page: str, action: str, title: str
    ) -> None:
        html = do(staff, page, action, rows[page]).content.decode()
        assert f"<h1>{title}</h1>" in html
        assert "With the next request" in html
        assert untouched(rows)
        sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
        sent.pop("csrfmiddlewaretoken", None)
        staff.post(page, sent | {"reason": "  A hair\r\n in it. "})
        [entry] = LogEntry.objects.all()
        done = "Suspended" if action == "suspend" else "Hidden"
        assert (entry.change_message, entry.user.username) == (f"{done}: A hair in it.", "stef")

    @pytest.mark.parametrize(("page", "action", "title"), ASKING)
    @pytest.mark.parametrize(
        ("reason", "words"),
        [
            ("", "Must not be empty."),
            (" \u200b\n", "Must not be empty."),
            ("a" * 301, "at most 300"),
            ("a\x00b", "Null characters are not allowed."),
        ],
    )
    def test_one_that_says_nothing_is_asked_for_again(
        self, staff: Client, rows: dict[str, Any], page: str, action: str, title: str, reason: str, words: str
    ) -> None:
        html = do(staff, page, action, rows[page], answered="yes", reason=reason).content.decode()
        assert words in html
        assert untouched(rows)

    def test_hostile_text_is_escaped_and_kept_in_the_form(self, staff: Client, rows: dict[str, Any]) -> None:
        Account.objects.filter(pk=rows[ACCOUNTS].pk).update(display_name="<script>alert(1)</script>")
        reason = "<img src=x onerror=alert(1)>" + "a" * 300
        html = do(staff, ACCOUNTS, "suspend", rows[ACCOUNTS], answered="yes", reason=reason).content.decode()
        assert "&lt;script&gt;alert(1)" in html
        assert "&lt;img src=x" in html
        assert "<img src=x" not in html
        assert "<script>alert" not in html

    def test_all_of_a_list_are_exactly_those_that_were_shown(self, staff: Client, cast: Cast) -> None:
        """Who signs up while staff read the question is not suspended."""
        html = do(staff, ACCOUNTS, "suspend", cast.ana, select_across="1").content.decode()
        late = AccountFactory()
        chosen = re.findall(r'name="_selected_action" value="(\d+)"', html)
        assert len(chosen) == Account.objects.count() - 1
        assert 'name="select_across"' not in html
        staff.post(ACCOUNTS, {"action": "suspend", "_selected_action": chosen} | WHY)
        assert [a.pk for a in Account.objects.filter(is_active=True)] == [cast.stef.pk, late.pk]


# --- From one to the next ----------------------------------------------------------------------------------------


def links(html: str) -> set[str]:
    return set(re.findall(r'href="(/admin/[^"]+)"', html.replace("&amp;", "&")))


class TestWays:
    def test_report_to_menu_to_cook_and_back(self, staff: Client, cast: Cast, rows: dict[str, Any]) -> None:
        menu, cook = f"{MENUS}{rows[MENUS].pk}/change/", f"{ACCOUNTS}{cast.ana.pk}/change/"
        reporter = f"{ACCOUNTS}{cast.sam.pk}/change/"
        assert {menu, cook, reporter} <= links(staff.get(REPORTS).content.decode())
        page = staff.get(menu).content.decode()
        assert {cook, reporter, f"{REPORTS}?state=all&q={rows[MENUS].pk}"} <= links(page)
        assert "There is a hair in it." in page
        page = staff.get(cook).content.decode()
        assert {menu, f"{MENUS}?q=ana", f"{REPORTS}?state=all&q=ana"} <= links(page)
        assert "There is a hair in it." in page
        for address in links(page):
            assert staff.get(address, follow=True).status_code == 200, address

    @pytest.mark.parametrize(
        ("page", "action", "back"),
        [(ACCOUNTS, "suspend", "restore"), (MENUS, "hide_menus", "restore_menus")],
    )
    def test_a_row_s_own_page_has_the_button_and_is_come_back_to(
        self, staff: Client, rows: dict[str, Any], page: str, action: str, back: str
    ) -> None:
        address = f"{page}{rows[page].pk}/change/"
        for name, why in ((action, WHY), (back, {}), (action, WHY)):
            html = staff.get(address).content.decode()
            assert re.findall(r'name="action" value="(\w+)"', html) == [name]
            answer = do(staff, page, name, rows[page], from_page="yes", **why)
            assert (answer.status_code, answer["Location"]) == (302, address)
        html = staff.get(address).content.decode()
        assert re.search(r"(Suspended|Hidden): A hair in it\.</span> <span class=\"cy-note\">@stef, \d", html)
        assert " UTC" in html

    def test_the_question_leads_back_to_the_page_it_came_from(
        self, staff: Client, rows: dict[str, Any]
    ) -> None:
        html = do(staff, MENUS, "hide_menus", rows[MENUS], from_page="yes").content.decode()
        assert f'<a href="{MENUS}{rows[MENUS].pk}/change/">Cancel' in html
        assert f'<a href="{MENUS}">Cancel' in do(staff, MENUS, "hide_menus", rows[MENUS]).content.decode()

    def test_an_account_that_is_off_otherwise_offers_what_can_be_done(
        self, staff: Client, cast: Cast
    ) -> None:
        deactivate_account(cast.carla.pk)
        html = staff.get(f"{ACCOUNTS}{cast.carla.pk}/change/").content.decode()
        assert "Deactivated by its owner" in html
        assert re.findall(r'name="action" value="(\w+)"', html) == ["suspend"]

    def test_hiding_from_the_list_of_menus_handles_what_was_reported(
        self, staff: Client, rows: dict[str, Any]
    ) -> None:
        do(staff, MENUS, "hide_menus", rows[MENUS], **WHY)
        assert Report.objects.get().handled_at

    def test_a_menu_that_its_cook_has_just_deleted_is_no_error(
        self, staff: Client, rows: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from posts.admin import menus

        gone, monkey = rows[MENUS].pk, menus.restore_post
        monkeypatch.setattr(
            menus,
            "restore_post",
            lambda post_id: (Post.objects.filter(pk=gone).delete(), monkey(post_id=post_id))[1],
        )
        html = staff.post(
            MENUS, {"action": "restore_menus", "_selected_action": [gone]}, follow=True
        ).content.decode()
        assert "Menus that were not hidden: 1." in html

    def test_pages_ask_as_much_for_many_as_for_few(
        self, staff: Client, cast: Cast, rows: dict[str, Any]
    ) -> None:
        pages = [f"{ACCOUNTS}{cast.ana.pk}/change/", f"{MENUS}{rows[MENUS].pk}/change/"]
        for page in pages:
            staff.get(page)  # what a process remembers for good
        few = [query_count(lambda page=page: staff.get(page)) for page in pages]
        for n in range(15):
            reported = PostFactory(author=cast.ana)
            for post_id in (reported.pk, rows[MENUS].pk):
                report_post(account=AccountFactory(), post_id=post_id, reason=f"Hair {n}.")
            LogEntry.objects.log_actions(cast.stef.pk, [cast.ana], 2, f"Deed {n}.")
        assert [query_count(lambda page=page: staff.get(page)) for page in pages] == few
        html = staff.get(pages[0]).content.decode()
        assert len(re.findall(r"<li><a[^>]*>Hair \d+\.</a>", html)) == 5
        assert len(re.findall(r"Deed \d+\.", html)) == 5
