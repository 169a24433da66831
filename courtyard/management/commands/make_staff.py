"""Make a staff account that is no superuser, or give one another role. See docs/data.md."""

import secrets
import sys
from typing import Any

from django.contrib.auth.models import Group
from django.core.management.base import CommandError, CommandParser
from django.db import IntegrityError, transaction

from courtyard.roles import OPERATORS, ROLES, VIEWERS
from feeds.management.staff_accounts import StaffCommand, new_staff_account
from social.models import Account

NAMES = {"viewer": VIEWERS, "operator": OPERATORS}
TAKEN = "The username {} is taken by an account that is no staff, and stays a customer's. Choose another."


class Command(StaffCommand):
    help = (
        "Make a staff account who sees all of admin (viewer), or also moderates and runs the feed (operator). "
        "A staff account that is there already gets the role instead of the other one and keeps its password."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=NAMES, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        role = Group.objects.filter(name=NAMES[options["role"]]).first()
        if role is None:
            raise CommandError(f"There is no group {NAMES[options['role']]!r}. `migrate` makes it anew.")
        username = Account.normalize_username(options["username"].removeprefix("@"))
        colleague = None if "\x00" in username else _staff_of_that_name(username)
        if colleague is None:
            self._make(username, role)
        else:
            self._change(colleague, role)

    def _change(self, account: Account, role: Group) -> None:
        if account.is_superuser:
            raise CommandError(f"{account} is a superuser, who may do everything already.")
        with transaction.atomic():
            account.groups.remove(*Group.objects.filter(name__in=ROLES).exclude(pk=role.pk))
            account.groups.add(role)
        self.stdout.write(f"{account.username} is now one of the {role.name}.")

    def _make(self, username: str, role: Group) -> None:
        account = new_staff_account(username, is_superuser=False, taken=TAKEN)
        password = ""
        try:
            if sys.stdin.isatty():
                password = self.ask_password(account)
        except KeyboardInterrupt:
            self.stdout.write("")  # the cursor is behind the prompt
            raise CommandError("No staff account was made.") from None
        made_up = "" if password else secrets.token_urlsafe(12)
        account.set_password(password or made_up)
        try:
            with transaction.atomic():
                account.save()
                account.groups.add(role)
        except IntegrityError:  # somebody has signed up with it this very moment
            raise CommandError(TAKEN.format(account.username)) from None
        self.stdout.write(f"Made the staff account {account.username}, one of the {role.name}.")
        if made_up:
            self.stdout.write(f"Its password, shown only now: {made_up}")


def _staff_of_that_name(username: str) -> Account | None:
    return Account.objects.filter(username=username, is_staff=True).first()
