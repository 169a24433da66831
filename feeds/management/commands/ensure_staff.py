"""Make the first staff account, where there is none. See docs/data.md."""

import os
import secrets
import sys
from getpass import getpass
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction

from social.models import Account

DEFAULT_USERNAME = "staff"


class Command(BaseCommand):
    help = "Make a staff account unless there is one: from STAFF_USERNAME and STAFF_PASSWORD, or by asking."

    def handle(self, *args: Any, **options: Any) -> None:
        if _staff_exists():
            return
        username, password = os.environ.get("STAFF_USERNAME", ""), os.environ.get("STAFF_PASSWORD", "")
        if username and password:
            self._make(username, password)
        elif sys.stdin.isatty():
            self._ask(username)
        else:
            self._generate(username or DEFAULT_USERNAME, password)

    def _generate(self, username: str, password: str) -> None:
        """Nobody to ask. A generated password is shown this once and stored nowhere."""
        generated = password or secrets.token_urlsafe(12)
        if self._make(username, generated) and not password:
            self.stdout.write(f"Its password, shown only now: {generated}")

    def _ask(self, username: str) -> None:
        try:
            username = (
                username or input(f"Username of the first staff account [{DEFAULT_USERNAME}]: ").strip()
            )
            account = _checked(username or DEFAULT_USERNAME)
            password = self._ask_password(account)
        except (EOFError, KeyboardInterrupt):
            raise CommandError("No staff account was made.") from None
        self._make(account.username, password)

    def _ask_password(self, account: Account) -> str:
        while True:
            password = getpass("Password: ")
            try:
                validate_password(password, account)
            except ValidationError as error:
                self.stderr.write("\n".join(error.messages))
                continue
            if password == getpass("The same again: "):
                return password
            self.stderr.write("The two are not the same.")

    def _make(self, username: str, password: str) -> bool:
        """False: another starter was faster, which is as good."""
        account = _checked(username)
        account.set_password(password)
        try:
            with transaction.atomic():
                account.save()
        except IntegrityError:
            if _staff_exists():
                return False
            raise CommandError(_taken(account.username)) from None
        self.stdout.write(f"Made the staff account {account.username}.")
        return True


def _staff_exists() -> bool:
    return Account.objects.filter(is_staff=True).exists()


def _checked(username: str) -> Account:
    """An unsaved staff account. A customer of that name is never promoted: the account is somebody's."""
    username = Account.normalize_username(username)
    account = Account(username=username, display_name="Staff", is_staff=True, is_superuser=True)
    try:
        account.clean_fields(exclude=["password", "created_at"])
    except ValidationError as error:
        raise CommandError("; ".join(error.messages)) from None
    if Account.objects.filter(username=username).exists():
        raise CommandError(_taken(username))
    return account


def _taken(username: str) -> str:
    return f"The username {username} is taken by an account that is no staff. Set STAFF_USERNAME to another."
