"""Reads of accounts and follows."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from social.errors import NotFound
from social.models import Account, Follow, Mute
from social.rules import IN_FORCE, blocks

BIGINT_MAX = 2**63 - 1
MOST_OF_AN_EMAIL = 5


def may_know(viewer_id: int | None, account: str = "") -> Q:
    """Accounts that `viewer_id` (None: signed out) may know of: active, and not blocking the viewer.

    Private accounts are among them, so that one can ask to follow; so are those that the viewer blocks, who else
    could not unblock them. Their menus are another matter (social/rules.py, where the path `account` is explained).
    """
    active = Q(**{f"{account}__is_active" if account else "is_active": True})
    return active if viewer_id is None else active & ~blocks(viewer_id, account)


def visible_accounts(viewer_id: int | None) -> QuerySet[Account]:
    return Account.objects.filter(may_know(viewer_id))


def get_visible_account(*, viewer_id: int | None, account_id: int) -> Account:
    """One visible account by id, or NotFound."""
    account = (
        visible_accounts(viewer_id).filter(pk=account_id).first() if 0 < account_id <= BIGINT_MAX else None
    )
    if account is None:
        raise NotFound(_("There is no such account."))
    return account


def get_visible_account_by_name(*, viewer_id: int | None, username: str) -> Account:
    """One visible account by its username, in any case; or NotFound."""
    name = Account.normalize_username(username)
    account = None if "\x00" in name else visible_accounts(viewer_id).filter(username=name).first()
    if account is None:
        raise NotFound(_("There is no such account."))
    return account


def get_inactive_account(*, username: str, password: str) -> Account | None:
    """An account that is off, for who knows its password; to tell her why she cannot sign in."""
    name = Account.normalize_username(username)
    account = Account.objects.filter(username=name, is_active=False).first()
    return account if account is not None and account.check_password(password) else None


def accounts_by_email(email: str) -> list[Account]:
    """Whom to send a link to a new password: accounts of that e-mail, in any case, that their owners may use or bring
    back, and that have a password. The oldest of many: whoever makes others with the same e-mail crowds none out.
    """
    usable = Q(is_active=True) | Q(inactive_because=Account.Inactive.DEACTIVATED)
    found = Account.objects.filter(usable, email__iexact=email).exclude(email="").order_by("pk")
    return [account for account in found[:MOST_OF_AN_EMAIL] if account.has_usable_password()]


def follows(*, follower_id: int, followee_id: int) -> bool:
    return Follow.objects.filter(follower_id=follower_id, followee_id=followee_id).exists()


def following_ids(viewer_id: int) -> set[int]:
    """Ids of the accounts that `viewer_id` follows."""
    return set(Follow.objects.filter(follower_id=viewer_id).values_list("followee_id", flat=True))


def mutes_in_force(viewer_id: int) -> dict[int, datetime | None]:
    """Muted account -> until when (None: until further notice)."""
    return dict(Mute.objects.filter(IN_FORCE, muter_id=viewer_id).values_list("muted_id", "expires_at"))
