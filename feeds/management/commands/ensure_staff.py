"""Make the first staff account, where there is none. See docs/data.md."""

import os
import secrets
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import IntegrityError, transaction

from feeds.management.staff_accounts import StaffCommand, new_staff_account
from social.models import Account

DEFAULT_USERNAME = "staff"
# The password to make up, from bin/run, which shows it with the address once everything has started.
MADE_UP = "COURTYARD_MADE_UP_PASSWORD"
TAKEN = "The username {} is taken by an account that is no staff. Set STAFF_USERNAME to another."


class Command(StaffCommand):
    help = "Make a staff account unless there is one: from STAFF_USERNAME and STAFF_PASSWORD, or by asking."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--login", action="store_true", help="only print who signs in at /admin/")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["login"]:
            self._tell()
        elif not _staff_exists():
            username, password = os.environ.get("STAFF_USERNAME", ""), os.environ.get("STAFF_PASSWORD", "")
            if password:
                self._make(username or DEFAULT_USERNAME, password)
            elif sys.stdin.isatty():
                self._ask(username)
            else:
                self._make_up(username or DEFAULT_USERNAME)

    def _tell(self) -> None:
        """The first staff account; with its password while that is the one that was made up for this run."""
        staff = Account.objects.filter(is_staff=True, is_active=True).order_by("id").first()
        if staff is None:
            return
        made_up = os.environ.get(MADE_UP, "")
        if made_up and staff.check_password(made_up):
            known = f"{made_up}   made up, shown only now"
        else:
            known = "as it was set"
        self.stdout.write(f"username {staff.username:<10} password {known}")

    def _make_up(self, username: str) -> None:
        """Nobody chose. A password that is made up is shown once and stored nowhere."""
        shown_later = os.environ.get(MADE_UP, "")
        password = shown_later or secrets.token_urlsafe(12)
        if self._make(username, password) and not shown_later:
            self.stdout.write(f"Its password, shown only now: {password}")

    def _ask(self, username: str) -> None:
        self.stdout.write("There is no staff account yet. Staff look after accounts and the feed at /admin/.")
        try:
            account = self._ask_account(username)
            password = self.ask_password(account)
        except KeyboardInterrupt:
            self.stdout.write("")  # the cursor is behind the prompt
            raise CommandError("No staff account was made.") from None
        if password:
            self._make(account.username, password)
        else:
            self._make_up(account.username)

    def _ask_account(self, username: str) -> Account:
        """By a name that may be; an unsuitable one from the environment is refused."""
        while not username:
            answer = self.answer(input, f"Username (Enter: {DEFAULT_USERNAME}): ").strip()
            answer = answer or DEFAULT_USERNAME
            try:
                return _checked(answer)
            except CommandError as error:
                self.stderr.write(str(error))
                if answer == DEFAULT_USERNAME:
                    raise
        return _checked(username)

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
            raise CommandError(TAKEN.format(account.username)) from None
        self.stdout.write(f"Made the staff account {account.username}.")
        return True


def _staff_exists() -> bool:
    return Account.objects.filter(is_staff=True).exists()


def _checked(username: str) -> Account:
    """An unsaved superuser. CommandError."""
    return new_staff_account(username, is_superuser=True, taken=TAKEN)
