"""Publish believable menus now, as their cooks would, and wait for their delivery. See docs/data.md."""

import time
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import pluralize

from feeds.loading.menus import cuisine_named, some_menu
from feeds.loading.progress import progress
from feeds.loading.vocabulary import cities
from feeds.management.arguments import account_id, seconds, whole_number
from feeds.proof.settling import wait_until_drained
from posts.services import publish_post
from social.errors import Refusal
from social.models import Account

MOST_MENUS = 1_000_000


class Command(BaseCommand):
    help = "Publish a menu by each of some cooks, through the same service as the pages and the API."

    def add_arguments(self, parser: CommandParser) -> None:
        menus = whole_number(1, MOST_MENUS)
        authors = parser.add_mutually_exclusive_group(required=True)
        authors.add_argument("--author", type=account_id, nargs="+", action="extend", metavar="ID")
        authors.add_argument("--all-cooks", action="store_true")
        parser.add_argument("--count", type=menus, default=1, help="menus per author (default: 1)")
        parser.add_argument("--interval", type=seconds, default=0, help="seconds between two menus")
        parser.add_argument(
            "--wait", type=seconds, help="seconds to wait for delivery; exit 1 if it takes longer"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        authors = _authors(options["author"])
        started = time.monotonic()
        published = self._publish(authors, options["count"], options["interval"])
        self.stdout.write(f"{_menus(published)} in {time.monotonic() - started:.1f} s.")
        if options["wait"] is not None:
            started = time.monotonic()
            wait_until_drained(options["wait"])
            self.stdout.write(f"Delivered and settled after {time.monotonic() - started:.1f} s.")

    def _publish(self, authors: list[Account], count: int, interval: float) -> int:
        random, turns, published = Random(), authors * count, 0
        try:
            for author in progress(turns, what="Menus", total=len(turns)):
                if published:
                    time.sleep(interval)
                _publish_one(author, random)
                published += 1
        except Refusal as refusal:
            raise CommandError(f"{author}: {refusal} {_menus(published)} before.") from None
        return published


def _menus(published: int) -> str:
    return f"Published {published:,} menu{pluralize(published)}"


def _authors(ids: list[int] | None) -> list[Account]:
    """The named cooks in the order given, or every active one. CommandError before anything is published."""
    cooks = Account.objects.filter(is_cook=True, is_active=True).order_by("pk")
    if ids is None:
        return list(cooks)
    found = cooks.in_bulk(ids)
    missing = [str(author_id) for author_id in ids if author_id not in found]
    if missing:
        raise CommandError(f"No active cook has the id {', '.join(missing)}. Nothing was published.")
    return [found[author_id] for author_id in ids]


def _publish_one(author: Account, random: Random) -> None:
    currency = next((city.currency for city in cities() if city.name == author.city), "EUR")
    menu = some_menu(random, cuisine_named(author.cuisine, random), currency=currency)
    publish_post(author=author, text=menu.text, dishes=menu.dishes, photos=menu.photos)
