"""What the commands have in common that make staff accounts: names that may be, and passwords asked for."""

from collections.abc import Callable
from getpass import getpass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from social.models import Account


class StaffCommand(BaseCommand):
    def ask_password(self, account: Account) -> str:
        """Typed twice; empty: make one up."""
        while password := self.answer(getpass, "Password (Enter: one is made up and shown): "):
            try:
                validate_password(password, account)
            except ValidationError as error:
                self.stderr.write("\n".join(error.messages))
                continue
            if password == self.answer(getpass, "The same again: "):
                break
            self.stderr.write("The two are not the same.")
        return password

    def answer(self, ask: Callable[[str], str], prompt: str) -> str:
        """What is typed; the end of input is Enter."""
        try:
            return ask(prompt)
        except EOFError:
            self.stdout.write("")
            return ""


def new_staff_account(username: str, *, is_superuser: bool, taken: str) -> Account:
    """Unsaved. CommandError: no such username may be, or (`taken`) it is a customer's, who is never promoted."""
    username = Account.normalize_username(username)
    account = Account(username=username, display_name="Staff", is_staff=True, is_superuser=is_superuser)
    try:
        account.clean_fields(exclude=["password", "created_at"])
    except ValidationError as error:
        raise CommandError("; ".join(error.messages)) from None
    if Account.objects.filter(username=username).exists():
        raise CommandError(taken.format(username))
    return account
