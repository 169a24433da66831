"""A new password ends all sessions and tokens, whoever sets it; the same one hashed anew ends none."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from social.authentication import token_pair
from social.errors import Forbidden, InvalidInput
from social.models import Account, TokenFamily
from social.services import change_password, sign_out_everywhere
from tests.factories import PASSWORD, Cast
from tests.feeds.helpers import in_threads

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
NEW = "bread-and-butter-4"


class SignIns:
    """Of ana: a browser, an access token, a refresh token."""

    def __init__(self, ana: Account, api: Api, browse: Browse) -> None:
        self.browser, self.program, self.anybody = browse(ana), api(ana), api(None)
        self.refresh = token_pair(ana)["refresh"]

    def by_page(self) -> bool:
        return b"/sign-up" not in self.browser.get("/").content

    def by_token(self) -> bool:
        return (
            self.program.get("/api/v1/feed").status_code == 200 == self.program.get("/api/v1/me").status_code
        )

    def by_refresh(self) -> bool:
        answer = self.anybody.post("/api/v1/auth/token/refresh", {"refresh": self.refresh}, format="json")
        if answer.status_code == 200:
            self.refresh = answer.json()["refresh"]
        return answer.status_code == 200

    def honoured(self) -> list[bool]:
        return [self.by_page(), self.by_token(), self.by_refresh()]


@pytest.fixture
def sign_ins(cast: Cast, api: Api, browse: Browse) -> SignIns:
    sign_ins = SignIns(cast.ana, api, browse)
    assert sign_ins.honoured() == [True, True, True]
    return sign_ins


def by_service(cast: Cast, browse: Browse) -> None:
    change_password(cast.ana.pk, password=NEW, version=1)


def in_admin(cast: Cast, browse: Browse) -> None:
    form = {"password1": NEW, "password2": NEW}
    assert browse(cast.stef).post(f"/admin/social/account/{cast.ana.pk}/password/", form).status_code == 302


def unusable_in_admin(cast: Cast, browse: Browse) -> None:
    form = {"usable_password": "false", "unset-password": "1"}
    assert browse(cast.stef).post(f"/admin/social/account/{cast.ana.pk}/password/", form).status_code == 302
    assert not Account.objects.get(pk=cast.ana.pk).has_usable_password()


def by_command(cast: Cast, browse: Browse) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("getpass.getpass", lambda prompt="": NEW)
        call_command("changepassword", "ana", stdout=open("/dev/null", "w"))  # noqa: SIM115


def by_model(cast: Cast, browse: Browse) -> None:
    ana = Account.objects.get(pk=cast.ana.pk)
    ana.set_password(NEW)
    ana.save(update_fields=["password"])


def by_signing_out_everywhere(cast: Cast, browse: Browse) -> None:
    sign_out_everywhere(cast.ana.pk)


@pytest.mark.parametrize(
    "change", [by_service, in_admin, unusable_in_admin, by_command, by_model, by_signing_out_everywhere]
)
def test_it_ends_every_sign_in_at_once(
    cast: Cast, sign_ins: SignIns, api: Api, browse: Browse, change: Callable[[Cast, Browse], None]
) -> None:
    change(cast, browse)
    assert sign_ins.honoured() == [False, False, False]
    ana = Account.objects.get(pk=cast.ana.pk)
    assert ana.auth_version == 2
    assert SignIns(ana, api, browse).honoured() == [True, True, True]
    assert SignIns(cast.carla, api, browse).honoured() == [True, True, True]


def test_the_same_password_hashed_anew_ends_nothing(cast: Cast, sign_ins: SignIns, settings: Any) -> None:
    before = Account.objects.get(pk=cast.ana.pk).password
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher", *settings.PASSWORD_HASHERS,
    ]  # fmt: skip
    assert Client().post("/sign-in", {"username": "ana", "password": PASSWORD}).status_code == 302
    ana = Account.objects.get(pk=cast.ana.pk)
    assert ana.password != before
    assert ana.password.startswith("pbkdf2_sha1$")
    assert ana.auth_version == 1
    assert sign_ins.honoured() == [True, True, True]


def test_other_changes_end_nothing(cast: Cast, sign_ins: SignIns) -> None:
    ana = Account.objects.get(pk=cast.ana.pk)
    ana.city = "Braga"
    ana.save()
    assert sign_ins.honoured() == [True, True, True]


def test_a_new_account_begins_at_the_first_version(stores: None) -> None:
    assert Account.objects.create_user("rita", PASSWORD).auth_version == 1


def test_two_at_once_are_two(cast: Cast) -> None:
    def change() -> None:
        ana = Account.objects.get(pk=cast.ana.pk)
        ana.set_password(NEW)
        ana.save()

    in_threads([change] * 4)
    assert Account.objects.get(pk=cast.ana.pk).auth_version == 5


def test_what_proves_who_she_is_does_so_once(cast: Cast) -> None:
    def change(n: int) -> bool:
        try:
            change_password(cast.ana.pk, password=f"{NEW}-{n}", version=1)
        except Forbidden:
            return False
        return True

    assert sorted(in_threads([lambda n=n: change(n) for n in range(4)])) == [False, False, False, True]


def test_the_version_never_falls(cast: Cast, sign_ins: SignIns) -> None:
    """Somebody saves the whole account as it was read before."""
    before = Account.objects.get(pk=cast.ana.pk)
    change_password(cast.ana.pk, password=NEW, version=1)
    before.save()
    Account.objects.filter(pk=cast.ana.pk).update(auth_version=0)
    assert Account.objects.get(pk=cast.ana.pk).auth_version == 2
    assert sign_ins.honoured() == [False, False, False]


def test_a_change_that_is_rolled_back_ends_nothing(cast: Cast, sign_ins: SignIns) -> None:
    with transaction.atomic():
        change_password(cast.ana.pk, password=NEW, version=1)
        transaction.set_rollback(True)
    assert sign_ins.honoured() == [True, True, True]


def test_a_weak_one_is_refused(cast: Cast, sign_ins: SignIns) -> None:
    for password in ("short", "12345678", "password1"):
        with pytest.raises(InvalidInput) as refused:
            change_password(cast.ana.pk, password=password, version=1)
        assert list(refused.value.errors) == ["password"]
    assert sign_ins.honoured() == [True, True, True]


class TestOnThePage:
    def change(self, client: Client, old: str = PASSWORD, new: str = NEW) -> Any:
        return client.post("/settings/password", {"old_password": old, "new_password": new})

    def test_it_keeps_the_browser_in_which_it_is_done(
        self, cast: Cast, sign_ins: SignIns, browse: Browse
    ) -> None:
        client = browse(cast.ana)
        key = client.cookies["sessionid"].value
        assert self.change(client)["Location"] == "/settings/"
        page = client.get("/settings/")
        assert page.status_code == 200
        assert "Your password is changed" in page.content.decode()
        assert b"/sign-up" not in client.get("/").content
        assert client.cookies["sessionid"].value != key
        assert sign_ins.honoured() == [False, False, False]
        assert not TokenFamily.objects.exists()
        assert Account.objects.get(pk=cast.ana.pk).check_password(NEW)

    @pytest.mark.parametrize(
        ("old", "new", "field"),
        [
            ("wrong", NEW, "old_password"),
            ("", NEW, "old_password"),
            (PASSWORD, "short", "new_password"),
            (PASSWORD, "", "new_password"),
            (PASSWORD, "x" * 129, "new_password"),
            (PASSWORD, "a\x00bcdefgh", "new_password"),
        ],
    )
    def test_what_is_not_right_is_said_at_the_field(
        self, cast: Cast, sign_ins: SignIns, browse: Browse, old: str, new: str, field: str
    ) -> None:
        page = self.change(browse(cast.ana), old, new)
        assert page.status_code == 400
        assert list(page.context["password_form"].errors) == [field]
        assert sign_ins.honoured() == [True, True, True]
        assert Account.objects.get(pk=cast.ana.pk).check_password(PASSWORD)

    def test_guessing_the_old_one_is_limited(self, cast: Cast, browse: Browse, settings: Any) -> None:
        settings.RATE_LIMITS, settings.LIMIT_GUESSES = True, (2, 86400)
        client = browse(cast.ana)
        assert [self.change(client, "wrong").status_code for _ in range(2)] == [400, 400]
        page = self.change(client)
        assert page.status_code == 429
        assert int(page["Retry-After"]) >= 1
        assert "Try again in" in page.content.decode()
        assert Account.objects.get(pk=cast.ana.pk).check_password(PASSWORD)

    def test_visitors_sign_in_first(self, cast: Cast) -> None:
        assert self.change(Client())["Location"] == "/sign-in"
        assert Client().get("/settings/password").status_code == 405

    def test_staff_stay_in_admin_after_changing_their_own(self, cast: Cast, browse: Browse) -> None:
        client = browse(cast.stef)
        form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
        assert client.post("/admin/password_change/", form).status_code == 302
        assert client.get("/admin/").status_code == 200

    def test_signing_out_everywhere(self, cast: Cast, sign_ins: SignIns, browse: Browse) -> None:
        client = browse(cast.ana)
        assert "Sign out everywhere, here too" in client.get("/settings/").content.decode()
        page = client.post("/settings/sign-out-everywhere", follow=True)
        assert page.redirect_chain == [("/sign-in", 302)]
        assert "You are signed out everywhere." in page.content.decode()
        assert b"/sign-up" in client.get("/").content
        assert sign_ins.honoured() == [False, False, False]
