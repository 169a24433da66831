from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from feeds.lists import ListsUnavailable
from feeds.management.arguments import account_id
from feeds.proof.viewers import chosen_viewers
from feeds.rebuilding import delete_feeds, forget_all_feeds


class Command(BaseCommand):
    help = "Makes stored feeds unreachable, so that the next read of each builds it from PostgreSQL."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--all", action="store_true", help="every stored list, card and account card")
        which.add_argument(
            "--account",
            type=account_id,
            metavar="ID",
            nargs="+",
            help="the feeds of these accounts",
        )

    def handle(self, **options: Any) -> None:
        if options["all"]:
            epoch = forget_all_feeds()
            self.stdout.write(
                "No stored feed or card is read any more; the next visit of each viewer builds hers from "
                f"PostgreSQL (epoch {epoch})."
            )
            return
        viewers = chosen_viewers(options | {"sample": None})
        try:
            delete_feeds(viewers)
        except ListsUnavailable as error:
            raise CommandError(f"The feed Redis is away: {error}") from None
        self.stdout.write(f"Feeds deleted: {len(viewers):,}. The next read of each builds it again.")
