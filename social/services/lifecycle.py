"""Switching accounts off and on. An account that is off is hidden with its menus at once, and shown again at once.

Only its owner brings back what its owner has deactivated, only staff what staff have suspended, and nobody what is
being erased (social/erasing.py). Switching off ends all sessions and tokens.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from social.erasing import enqueue_erasing
from social.errors import Forbidden
from social.models import Account
from social.services.pairs import lock_account, refuse_oneself

Inactive = Account.Inactive


def deactivate_account(account_id: int) -> None:
    """By its owner, who may come back. Harmless to repeat. NotFound."""
    with transaction.atomic():
        account = lock_account(account_id)
        if account.is_active:
            _switch_off(account, Inactive.DEACTIVATED)


def reactivate_account(account_id: int, *, version: int | None = None) -> Account:
    """By its owner, who has deactivated it. Harmless to repeat. Forbidden when it is off for another reason.

    `version`: the authentication version when the owner proved who she is; Forbidden if it has risen since.
    """
    with transaction.atomic():
        account = lock_account(account_id)
        if version not in (None, account.auth_version):
            raise Forbidden(_("This sign-in has ended. Sign in again."))
        if not account.is_active:
            if account.inactive_because != Inactive.DEACTIVATED:
                raise Forbidden(_("This account cannot be reactivated."))
            _switch_on(account)
    return account


def suspend_account(account_id: int, *, by: Account) -> bool:
    """By staff, also of an account that is deactivated; False if it was suspended already. SelfTarget, NotFound,
    Forbidden."""
    refuse_oneself(by, account_id, "You cannot suspend yourself.")
    with transaction.atomic():
        account = lock_account(account_id)
        if account.inactive_because == Inactive.ERASING:
            raise Forbidden(f"{account} is being erased.")
        if account.inactive_because == Inactive.SUSPENDED:
            return False
        _switch_off(account, Inactive.SUSPENDED)
        return True


def restore_account(account_id: int) -> bool:
    """By staff, of an account that is suspended; False if it is active. NotFound, Forbidden."""
    with transaction.atomic():
        account = lock_account(account_id)
        if account.inactive_because in (Inactive.DEACTIVATED, Inactive.ERASING):
            raise Forbidden(f"{account} is {account.get_inactive_because_display()}, not suspended.")
        if account.is_active:
            return False
        _switch_on(account)
        return True


def erase_account(account_id: int) -> None:
    """By its owner, for good: gone for everybody at once, erased in the background. Harmless to repeat. NotFound."""
    with transaction.atomic():
        account = lock_account(account_id)
        if account.inactive_because != Inactive.ERASING:
            _switch_off(account, Inactive.ERASING)
        transaction.on_commit(enqueue_erasing)


def _switch_off(account: Account, because: Inactive) -> None:
    account.is_active, account.inactive_because = False, because
    account.auth_version += 1
    account.save(update_fields=["is_active", "inactive_because", "auth_version"])


def _switch_on(account: Account) -> None:
    account.is_active, account.inactive_because = True, ""
    account.save(update_fields=["is_active", "inactive_because"])
