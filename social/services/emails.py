"""The e-mail to which a link to a new password is sent."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from social.errors import InvalidInput
from social.models import Account
from social.new_passwords import tell_address_of_before
from social.services.pairs import lock_account


def change_email(account_id: int, *, email: str) -> Account:
    """The account with another e-mail, or none. Links that were sent before end, and the address of before is told.
    InvalidInput by field, NotFound.
    """
    with transaction.atomic():
        account = lock_account(account_id)
        before, account.email = account.email, email
        try:
            account.clean_fields(exclude={field.name for field in Account._meta.fields} - {"email"})
        except ValidationError as error:
            raise InvalidInput(_("Nothing was changed."), errors=error.message_dict) from None
        account.save(update_fields=["email"])
        if before and before.casefold() != email.casefold():
            tell_address_of_before(account, before)
    return account
