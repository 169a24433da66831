from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from feeds.management.arguments import whole_number
from feeds.proof.doctor import Finding, diagnose
from posts.ids import MAX_ID
from social.models import Account

MARKS = {True: "yes", False: "NO", None: ""}


class Command(BaseCommand):
    help = (
        "Says why a viewer sees a menu, or does not: each condition of the rules, where its id is stored, how it was "
        "delivered, and what the feed shows. Exit status 1 when the feed is not as the rules want it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("viewer", help="@username, or the id of an account")
        parser.add_argument("post", type=whole_number(1, MAX_ID), help="the id of a menu")

    def handle(self, **options: Any) -> None:
        found = diagnose(_account(options["viewer"]), options["post"])
        self._show("What the rules say", found.rules)
        self._show("Where its id is", found.places)
        self._show("How it was delivered", found.delivery)
        self.stdout.write("")
        if not found.exact:
            raise CommandError(found.verdict)
        self.stdout.write(found.closing)

    def _show(self, title: str, findings: list[Finding]) -> None:
        self.stdout.write(f"\n{title}")
        width = max((len(finding.name) for finding in findings), default=0)
        for finding in findings:
            self.stdout.write(f"  {MARKS[finding.holds]:3}  {finding.name:{width}}  {finding.value}".rstrip())


def _account(text: str) -> Account:
    name = Account.normalize_username(text.removeprefix("@"))
    accounts = Account.objects.filter(username=name)
    if text.isascii() and text.isdecimal() and len(text) < 19 and not accounts.exists():
        accounts = Account.objects.filter(pk=int(text))
    account = None if "\x00" in name else accounts.first()
    if account is None:
        raise CommandError(f"There is no account {text}.")
    return account
