"""The two roles of staff: what each sees and may do on every page of admin, and that nobody makes oneself more."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from courtyard.roles import OPERATOR_PERMISSIONS, OPERATORS, VIEWER_PERMISSIONS, VIEWERS
from feeds.models import Crossing, Outbox, RankingSettings, SettingsChange
from posts.models import Post, Report
from posts.reporting import report_post
from social.models import Account, Block, Follow, FollowRequest, Mute
from tests.factories import AccountFactory, Cast, PhotoFactory, PostFactory

Browse = Callable[[Account | None], Client]


@pytest.fixture
def roles(stores: None) -> None:
    """As a migrate leaves them."""
    call_command("migrate", verbosity=0)


@pytest.fixture
def viewer(roles: None) -> Account:
    return staff_in(VIEWERS, "vera")


@pytest.fixture
def operator(roles: None) -> Account:
    return staff_in(OPERATORS, "otto")


def staff_in(group: str, username: str) -> Account:
    account = AccountFactory(username=username, is_staff=True)
    account.groups.add(Group.objects.get(name=group))
    return account


def permissions_of(group: str) -> set[str]:
    held = Permission.objects.filter(group__name=group).select_related("content_type")
    return {f"{p.content_type.app_label}.{p.codename}" for p in held}


# --- Made once ---------------------------------------------------------------------------------------------------


def test_a_migrate_makes_both(roles: None) -> None:
    assert permissions_of(VIEWERS) == set(VIEWER_PERMISSIONS)
    assert permissions_of(OPERATORS) == set(OPERATOR_PERMISSIONS)


def test_what_a_superuser_changes_stays_after_the_next_migrate(roles: None) -> None:
    group = Group.objects.get(name=OPERATORS)
    group.permissions.remove(Permission.objects.get(codename="change_account"))
    group.permissions.add(Permission.objects.get(codename="delete_post"))
    call_command("migrate", verbosity=0)
    kept = permissions_of(OPERATORS)
    assert ("social.change_account" in kept, "posts.delete_post" in kept) == (False, True)


def test_a_group_is_not_made_before_its_permissions_are_there(roles: None) -> None:
    """A first migrate that stops half-way would leave it without them for good."""
    Group.objects.all().delete()
    missing = Permission.objects.get(codename="retry_outbox")
    content_type, name = missing.content_type, missing.name
    missing.delete()
    try:
        make_now()
        assert {group.name for group in Group.objects.all()} == {VIEWERS}
    finally:
        Permission.objects.create(codename="retry_outbox", content_type=content_type, name=name)
    make_now()
    assert permissions_of(OPERATORS) == set(OPERATOR_PERMISSIONS)


def make_now() -> None:
    from django.apps import apps

    from courtyard.roles import make_roles

    make_roles(apps=apps, using="default")


def test_viewers_see_everything_that_admin_shows_and_operators_delete_nothing() -> None:
    shown = set(admin.site._registry) | {
        inline.model for model in admin.site._registry.values() for inline in model.inlines
    }
    assert {f"{m._meta.app_label}.view_{m._meta.model_name}" for m in shown} <= set(VIEWER_PERMISSIONS)
    assert all(".view_" in permission for permission in VIEWER_PERMISSIONS)
    assert not [p for p in OPERATOR_PERMISSIONS if ".delete_" in p or ".add_" in p]


# --- Every page --------------------------------------------------------------------------------------------------

GET_REFUSED = re.compile(r"/(add|delete|password)/$")
BUTTON = re.compile(r"/\d+/(compare|rebuild)/$")  # takes only what is sent
FOR_OPERATORS = re.compile(r"/feeds/rebuild/$")
# Any staff may sign in and out, change their own password, and look at the index, which shows what they may see.
OF_ALL_STAFF = {
    "/admin/", "/admin/login/", "/admin/logout/", "/admin/password_change/", "/admin/password_change/done/",
    "/admin/jsi18n/", "/admin/autocomplete/", "/admin/r/<path:content_type_id>/<path:object_id>/",
    "/admin/(?P<url>.*)$",
}  # fmt: skip


def routes(patterns: list[Any], before: str = "/") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


def staff_routes() -> list[str]:
    return [route for route in routes(get_resolver().url_patterns) if route.startswith("/admin/")]


@pytest.fixture
def rows(cast: Cast, roles: None) -> dict[str, Any]:
    """One row of everything, by the part of the address that names its table."""
    post = PostFactory(author=cast.ana, photos=[PhotoFactory()])
    report_post(account=cast.sam, post_id=post.pk, reason="A hair in it.")
    entry = LogEntry.objects.log_actions(
        cast.stef.pk, [post], CHANGE, "Hidden: A hair in it.", single_object=True
    )
    change = SettingsChange.objects.create(by=cast.stef, field="threshold", old="1", new="2", reason="A try.")
    crossing = Crossing.objects.create(
        author=cast.ana, opened=True, at=timezone.now(), followers=9, threshold=9
    )
    return {
        "account": cast.carla.pk,
        "accounts": cast.carla.pk,
        "follow": Follow.objects.first().pk,  # type: ignore[union-attr]
        "followrequest": FollowRequest.objects.create(follower=cast.sam, followee=cast.ana).pk,
        "block": Block.objects.create(blocker=cast.sam, blocked=cast.stef).pk,
        "mute": Mute.objects.create(muter=cast.sam, muted=cast.maria).pk,
        "post": post.pk,
        "report": Report.objects.get().pk,
        "outbox": Outbox.objects.filter(kind="published").latest("pk").pk,
        "pulledauthor": cast.maria.pk,
        "feedsettings": 1,
        "rankingsettings": RankingSettings.objects.get_or_create(pk=1)[0].pk,
        "settingschange": change.pk,
        "crossing": crossing.pk,
        "logentry": entry.pk,
        "group": Group.objects.get(name=VIEWERS).pk,
    }


def addresses(rows: dict[str, Any]) -> list[str]:
    """All but OF_ALL_STAFF, with ids of rows of the tables that they name."""
    found = []
    for route in staff_routes():
        if route not in OF_ALL_STAFF and "(?P<app_label>" not in route:
            parts = route.split("/")
            found.append(
                "/".join(str(rows[parts[n - 1]]) if p[:1] == "<" else p for n, p in enumerate(parts))
            )
    return found


def test_no_address_of_admin_is_left_out(rows: dict[str, Any]) -> None:
    """Each can be filled in, so that the tests below ask all of them."""
    assert len(addresses(rows)) > 60
    assert {f"/admin/{m._meta.app_label}/{m._meta.model_name}/" for m in admin.site._registry} <= set(
        addresses(rows)
    )


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_what_they_see(rows: dict[str, Any], browse: Browse, request: Any, role: str) -> None:
    browser = browse(request.getfixturevalue(role))
    wrong = {}
    for address in addresses(rows):
        allowed = not GET_REFUSED.search(address) and not FOR_OPERATORS.search(address)
        allowed |= role == "operator" and (
            address == password_of(rows) or FOR_OPERATORS.search(address) is not None
        )
        wanted = 200 if allowed else 403
        if BUTTON.search(address):
            wanted = 405 if role == "operator" else 403
        status = browser.get(address, follow=True).status_code
        if status != wanted:
            wrong[address] = status
    assert not wrong


def password_of(rows: dict[str, Any]) -> str:
    return f"/admin/social/account/{rows['account']}/password/"


def test_a_viewer_changes_nothing(rows: dict[str, Any], viewer: Account, browse: Browse) -> None:
    """403 wherever something is sent, and what is there stays as it is."""
    browser, before = browse(viewer), state_of_everything()
    sent = {"action": "suspend", "_selected_action": [rows["account"]], "post": "yes", "answered": "yes"}
    wrong = {}
    for address in addresses(rows):
        status = browser.post(address, sent | {"reason": "Because.", "threshold": "1"}).status_code
        # A history and a progress show themselves, and two addresses lead to the page of a row, whatever is sent.
        table, last = address.split("/")[-3:-1]
        harmless = {"history": 200, "progress": 200, str(rows.get(table)): 302}.get(last)
        if last in ("feedsettings", "rankingsettings"):
            harmless = 302
        if status not in (403, 405, harmless):
            wrong[address] = status
    assert not wrong
    assert state_of_everything() == before


def state_of_everything() -> list[Any]:
    rows = [list(model.objects.order_by("pk").values()) for model in admin.site._registry]
    return [[{k: v for k, v in row.items() if k != "last_login"} for row in table] for table in rows]


def test_no_hash_of_a_password_is_shown_to_who_cannot_change_it(
    cast: Cast, viewer: Account, operator: Account, browse: Browse
) -> None:
    stem = f"/admin/social/account/{cast.stef.pk}/change/"
    for account in (viewer, operator):
        html = browse(account).get(stem).content.decode()
        assert "field-username" in html
        assert "field-password" not in html
    assert "field-password" in browse(cast.stef).get(stem).content.decode()


def test_an_operator_moderates(rows: dict[str, Any], cast: Cast, operator: Account, browse: Browse) -> None:
    browser, why = browse(operator), {"answered": "yes", "reason": "A hair in it."}
    deeds = [
        ("social/account", "suspend", cast.ana.pk),
        ("posts/post", "hide_menus", rows["post"]),
        ("posts/report", "mark_as_handled", rows["report"]),
    ]
    for page, action, pk in reversed(deeds):
        sent = {"action": action, "_selected_action": [pk]} | why
        assert browser.post(f"/admin/{page}/", sent).status_code == 302, action
    assert not Account.objects.get(pk=cast.ana.pk).is_active
    assert Post.objects.get(pk=rows["post"]).hidden_at
    assert Report.objects.get().handled_at


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_nobody_makes_oneself_more(rows: dict[str, Any], browse: Browse, request: Any, role: str) -> None:
    account: Account = request.getfixturevalue(role)
    browser, before = browse(account), account.get_all_permissions()
    more = {
        "is_superuser": "on",
        "is_staff": "on",
        "groups": list(Group.objects.values_list("pk", flat=True)),
    }
    more |= {"user_permissions": list(Permission.objects.values_list("pk", flat=True)[:5])}
    page = browser.get(f"/admin/social/account/{rows['account']}/change/")
    form = page.context["adminform"].form
    given = {n: v for n, v in form.initial.items() if n in form.fields and v is not None}
    for pk in (account.pk, rows["account"]):
        browser.post(f"/admin/social/account/{pk}/change/", given | more)
    browser.post("/admin/social/account/add/", {"username": "more", "display_name": "More"} | more)
    group = Group.objects.get(name=VIEWERS)
    browser.post(
        f"/admin/auth/group/{group.pk}/change/", {"name": "x", "permissions": more["user_permissions"]}
    )
    for pk in (account.pk, rows["account"]):
        now = Account.objects.get(pk=pk)
        assert (now.is_superuser, now.is_staff) == (False, pk == account.pk)
        assert now.get_all_permissions() == (before if pk == account.pk else set())
    assert not Account.objects.filter(username="more").exists()


def test_staff_without_a_role_see_no_page_and_customers_none_at_all(
    rows: dict[str, Any], cast: Cast, browse: Browse
) -> None:
    nobody, customer = browse(AccountFactory(is_staff=True)), browse(cast.carla)
    for address in addresses(rows):
        assert nobody.get(address, follow=True).status_code in (403, 404), address
        assert customer.get(address).status_code == 302, address
