"""Staff suspend and restore accounts, and look at what lies between two."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from feeds.reading import read_feed
from social.models import Account, Block, Follow, FollowRequest, Mute
from social.services import deactivate_account, erase_account
from tests.admin.test_admin import fields_of
from tests.factories import AccountFactory, Cast, PostFactory

Browse = Callable[[Account | None], Client]
ACCOUNTS = "/admin/social/account/"


@pytest.fixture
def staff(cast: Cast, browse: Browse) -> Client:
    PostFactory(author=cast.ana)
    return browse(cast.stef)


def act(client: Client, action: str, *accounts: Account, **fields: Any) -> str:
    chosen = {"action": action, "_selected_action": [account.pk for account in accounts]}
    chosen |= {"answered": "yes", "reason": "Sells what is no food."}
    response = client.post(ACCOUNTS, chosen | fields, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_a_suspended_cook_vanishes_and_comes_back_at_once(staff: Client, cast: Cast) -> None:
    assert len(read_feed(cast.carla.pk).items) == 1
    assert "Accounts suspended: 1." in act(staff, "suspend", cast.ana)
    assert read_feed(cast.carla.pk).items == []
    assert "Suspended by staff" in staff.get(ACCOUNTS, {"q": "ana"}).content.decode()
    assert "Accounts restored: 1." in act(staff, "restore", cast.ana)
    assert len(read_feed(cast.carla.pk).items) == 1
    messages = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert list(messages) == ["Suspended: Sells what is no food.", "Restored."]


def test_what_is_refused_is_said_and_the_rest_is_done(staff: Client, cast: Cast) -> None:
    erase_account(cast.sam.pk)
    html = act(staff, "suspend", cast.ana, cast.sam, cast.stef)
    assert "Accounts suspended: 1." in html
    assert "@sam is being erased." in html
    assert "You cannot suspend yourself." in html
    deactivate_account(cast.carla.pk)
    assert "@carla is deactivated by its owner, not suspended." in act(staff, "restore", cast.carla)
    assert not Account.objects.get(pk=cast.carla.pk).is_active


def test_what_was_refused_or_so_already_is_no_success(staff: Client, cast: Cast) -> None:
    assert "Accounts suspended: 1." in act(staff, "suspend", cast.ana)
    html = act(staff, "suspend", cast.ana, cast.stef)
    assert '<li class="warning">Accounts that were suspended already: 1.</li>' in html
    assert '<li class="warning">You cannot suspend yourself.</li>' in html
    assert 'class="success"' not in html
    html = act(staff, "restore", cast.sam)
    assert '<li class="warning">Accounts that were active already: 1.</li>' in html
    assert 'class="success"' not in html
    assert LogEntry.objects.count() == 1


def test_all_accounts_at_once_are_too_many(
    staff: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("social.staff.actions.MOST_AT_ONCE", 2)
    assert "Choose at most 2" in act(staff, "suspend", cast.ana, select_across="1")
    assert not Account.objects.filter(is_active=False).exists()


def test_the_form_does_not_switch_an_account(staff: Client, cast: Cast) -> None:
    address = f"{ACCOUNTS}{cast.ana.pk}/change/"
    fields = fields_of(staff.get(address))
    assert not {"is_active", "inactive_because", "auth_version", "is_private"} & set(fields)
    wishes = {"is_active": "", "inactive_because": "suspended", "is_private": "on", "auth_version": "9"}
    assert staff.post(address, fields | wishes).status_code == 302
    ana = Account.objects.get(pk=cast.ana.pk)
    assert (ana.is_active, ana.inactive_because, ana.is_private, ana.auth_version) == (True, "", False, 1)


@pytest.mark.parametrize(("permission", "allowed"), [("view_account", False), ("change_account", True)])
def test_suspending_takes_the_permission_to_change_accounts(
    cast: Cast, browse: Browse, permission: str, allowed: bool
) -> None:
    helper = AccountFactory(is_staff=True)
    helper.user_permissions.add(Permission.objects.get(codename=permission))
    chosen = {"action": "suspend", "_selected_action": [cast.ana.pk], "answered": "yes", "reason": "Spam."}
    assert browse(helper).post(ACCOUNTS, chosen).status_code == (302 if allowed else 403)
    assert Account.objects.get(pk=cast.ana.pk).is_active != allowed


@pytest.mark.parametrize("name", ["followrequest", "block", "mute"])
def test_what_people_did_to_each_other_is_found_and_ended(staff: Client, cast: Cast, name: str) -> None:
    rows = {
        "followrequest": FollowRequest.objects.create(follower=cast.sam, followee=cast.ana),
        "mute": Mute.objects.create(muter=cast.sam, muted=cast.maria),
        "block": Block.objects.create(blocker=cast.sam, blocked=cast.stef),
    }
    address, row = f"/admin/social/{name}/", rows[name]
    assert list(staff.get(address, {"q": "@Sam"}).context["cl"].queryset) == [row]
    assert list(staff.get(address, {"q": "ana"}).context["cl"].queryset) == []
    assert staff.get(f"{address}{row.pk}/change/").status_code == 200
    assert staff.get(f"{address}add/").status_code == 403
    assert staff.post(f"{address}{row.pk}/change/", {}).status_code == 403
    assert staff.post(f"{address}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not type(row).objects.filter(pk=row.pk).exists()


def test_an_unmute_by_staff_shows_in_the_next_read(staff: Client, cast: Cast) -> None:
    mute = Mute.objects.create(muter=cast.carla, muted=cast.ana)
    assert read_feed(cast.carla.pk).items == []
    staff.post(f"/admin/social/mute/{mute.pk}/delete/", {"post": "yes"})
    assert len(read_feed(cast.carla.pk).items) == 1


def test_a_follow_beside_a_block_is_refused_in_words(staff: Client, cast: Cast) -> None:
    Block.objects.create(blocker=cast.ana, blocked=cast.sam)
    fields = {"follower": cast.sam.pk, "followee": cast.ana.pk}
    response = staff.post("/admin/social/follow/add/", fields)
    assert response.status_code == 200
    assert "One of the two blocks the other." in response.content.decode()
    assert not Follow.objects.filter(follower=cast.sam).exists()


def test_staff_who_may_edit_accounts_make_nobody_staff(
    cast: Cast, browse: Callable[[Account], Client]
) -> None:
    editor = AccountFactory(is_staff=True)
    editor.user_permissions.set(Permission.objects.filter(codename__in=["view_account", "change_account"]))
    browser, address = browse(editor), f"/admin/social/account/{cast.sam.pk}/change/"
    form = browser.get(address).context["adminform"].form
    assert not {"is_staff", "is_superuser", "groups", "user_permissions"} & form.fields.keys()
    fields = {
        name: value for name, value in form.initial.items() if name in form.fields and value is not None
    }
    assert browser.post(address, fields | {"is_superuser": "on", "is_staff": "on"}).status_code == 302
    sam = Account.objects.get(pk=cast.sam.pk)
    assert (sam.is_superuser, sam.is_staff) == (False, False)
    assert browser.get(f"/admin/social/account/{cast.sam.pk}/password/").status_code == 200


def test_accounts_of_staff_are_for_superusers_to_change(
    cast: Cast, browse: Callable[[Account], Client]
) -> None:
    editor = AccountFactory(is_staff=True)
    editor.user_permissions.set(Permission.objects.filter(codename__in=["view_account", "change_account"]))
    browser = browse(editor)
    for colleague in (editor, cast.stef):
        address = f"/admin/social/account/{colleague.pk}"
        assert browser.get(f"{address}/change/").status_code == 200
        assert (
            browser.post(f"{address}/change/", {"username": "hers", "is_superuser": "on"}).status_code == 403
        )
        assert browser.get(f"{address}/password/").status_code == 403
    html = act(browser, "suspend", cast.stef)
    assert "@stef is staff: only superusers suspend and restore colleagues." in html
    assert Account.objects.get(pk=cast.stef.pk).is_active
