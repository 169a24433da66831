"""Make the demo neighbourhood in an empty database. See docs/data.md."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.neighbourhood import demo_logins, make_neighbourhood
from social.models import Account


class Command(BaseCommand):
    help = "Fill an empty database with a small neighbourhood of cooks, customers and menus."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing where there is any account")
        parser.add_argument("--logins", action="store_true", help="print who may sign in (alone: only that)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["if_empty"] or not options["logins"]:
            self._make(if_empty=options["if_empty"])
        if options["logins"]:
            for username, password, what in demo_logins():
                self.stdout.write(f"username {username:<10} password {password}   {what}")

    def _make(self, *, if_empty: bool) -> None:
        if not Account.objects.exists():
            report = make_neighbourhood()
            self.stdout.write(f"{report.cooks} cooks, {report.customers} customers, {report.menus} menus.")
        elif not if_empty:
            raise CommandError(
                "There are accounts in this database; the demo is for an empty one. Nothing was made."
            )
