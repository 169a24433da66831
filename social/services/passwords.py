"""Passwords, and the end of all sign-ins."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from social.errors import Forbidden, InvalidInput
from social.models import Account, TokenFamily
from social.services.pairs import lock_account


def change_password(account_id: int, *, password: str, version: int) -> Account:
    """The account with a new password, which has ended all its sessions and tokens. InvalidInput by field, NotFound.

    `version`: the authentication version when the owner proved who she is; Forbidden if it has risen since. So what
    proves it, a link or an old password, does so once.
    """
    with transaction.atomic():
        account = lock_account(account_id)
        if account.auth_version != version:
            raise Forbidden(_("This sign-in has ended. Sign in again."))
        try:
            validate_password(password, account)
        except ValidationError as error:
            raise InvalidInput(_("Nothing was changed."), errors={"password": error.messages}) from None
        account.set_password(password)
        account.save(update_fields=["password"])
        _forget_tokens(account)
    return account


def sign_out_everywhere(account_id: int) -> None:
    """Ends all sessions and tokens of the account at once. NotFound."""
    with transaction.atomic():
        account = lock_account(account_id)
        account.auth_version += 1
        account.save(update_fields=["auth_version"])
        _forget_tokens(account)


def _forget_tokens(account: Account) -> None:
    """The version has ended them; their rows need not wait until they expire."""
    TokenFamily.objects.filter(account=account).delete()
