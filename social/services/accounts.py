"""Making an account, and what its owner changes of it."""

from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from social.errors import InvalidInput
from social.models import Account
from social.services.avatars import prepare_avatar
from social.services.pairs import lock_account
from social.services.requests import accept_all_requests

PROFILE_FIELDS = (
    "display_name", "bio", "city", "cuisine", "order_url", "time_zone", "language", "is_cook", "is_private",
)  # fmt: skip


def create_account(*, username: str, password: str, **fields: Any) -> Account:
    """A new account with a checked password. InvalidInput by field, also for a username that is taken."""
    account = Account(username=Account.normalize_username(username), **fields)
    account.display_name = account.display_name or account.username
    errors: dict[str, list[str]] = {}
    try:
        account.full_clean(exclude=["password", "created_at"])
    except ValidationError as error:
        errors |= error.message_dict
    try:
        validate_password(password, account)
    except ValidationError as error:
        errors["password"] = error.messages
    if errors:
        raise InvalidInput(_("The account was not made."), errors=errors)
    account.set_password(password)
    try:
        with transaction.atomic():
            account.save()
    except IntegrityError:  # taken between the check and the insert
        raise InvalidInput(
            _("The account was not made."), errors={"username": [_("This username is taken.")]}
        ) from None
    return account


def update_account(account_id: int, **changes: Any) -> Account:
    """The account with `changes` of PROFILE_FIELDS, as it is now. InvalidInput by field, NotFound, Unavailable.

    `avatar_media_id` among them is a photo of the account, or None for no avatar.

    Going public accepts the pending requests in the same transaction. The row is changed first: a request that is
    being made at this moment is waited for and accepted too, and later ones find a public account. Going private
    keeps the followers.
    """
    avatar = None
    if "avatar_media_id" in changes:
        avatar = prepare_avatar(account_id, changes.pop("avatar_media_id"))
    assert changes.keys() <= set(PROFILE_FIELDS)
    with transaction.atomic():
        account = lock_account(account_id)
        goes_public = account.is_private and not changes.get("is_private", True)
        for name, value in changes.items():
            setattr(account, name, value)
        try:
            account.clean_fields(exclude={field.name for field in Account._meta.fields} - changes.keys())
        except ValidationError as error:
            raise InvalidInput(_("Nothing was changed."), errors=error.message_dict) from None
        account.save(update_fields=list(changes))
        if goes_public:
            accept_all_requests(account)
        if avatar is not None:
            avatar(account)
    return account
