from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from feeds.epoch import current_epoch, raise_epoch
from feeds.lists import ListsUnavailable, commands, execute, keys_at
from feeds.management.arguments import account_id
from feeds.proof.viewers import chosen_viewers


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
            with transaction.atomic():
                raise_epoch()
            self.stdout.write(
                "No stored feed or card is read any more; the next visit of each viewer builds hers from "
                f"PostgreSQL (epoch {current_epoch()})."
            )
            return
        viewers = chosen_viewers(options | {"sample": None})
        try:
            keys = keys_at(current_epoch())
            names = [name for v in viewers for name in (keys.feed(v), keys.timeline(v), keys.follows(v))]
            execute(keys, [commands.delete_command(*names)])
        except ListsUnavailable as error:
            raise CommandError(f"The feed Redis is away: {error}") from None
        self.stdout.write(f"Feeds deleted: {len(viewers):,}. The next read of each builds it again.")
