"""Publish believable menus now, as their cooks would, and wait for their delivery. See docs/data.md."""

import time
from argparse import ArgumentTypeError
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.menus import cuisine_named, some_menu
from feeds.loading.progress import progress
from feeds.loading.vocabulary import cities
from feeds.proof.settling import wait_until_settled
from posts.services import publish_post
from social.errors import Refusal
from social.models import Account


class Command(BaseCommand):
    help = "Publish a menu by each of some cooks, through the same service as the pages and the API."

    def add_arguments(self, parser: CommandParser) -> None:
        authors = parser.add_mutually_exclusive_group(required=True)
        authors.add_argument("--author", type=int, nargs="+", action="extend", metavar="ID")
        authors.add_argument("--all-cooks", action="store_true")
        parser.add_argument("--count", type=_whole, default=1, help="menus per author (default: 1)")
        parser.add_argument("--interval", type=_seconds, default=0, help="seconds between two menus")
        parser.add_argument(
            "--wait", type=_seconds, help="seconds to wait for delivery; exit 1 if it takes longer"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        authors = _authors(options["author"])
        started = time.monotonic()
        published = self._publish(authors, options["count"], options["interval"])
        self.stdout.write(f"Published {published:,} menus in {time.monotonic() - started:.1f} s.")
        if options["wait"] is not None:
            self._wait(options["wait"])

    def _publish(self, authors: list[Account], count: int, interval: float) -> int:
        random, turns, published = Random(), authors * count, 0
        try:
            for author in progress(turns, what="Menus", total=len(turns)):
                if published:
                    time.sleep(interval)
                _publish_one(author, random)
                published += 1
        except Refusal as refusal:
            raise CommandError(f"{author}: {refusal} Published {published:,} menus before.") from None
        return published

    def _wait(self, seconds: float) -> None:
        started = time.monotonic()
        undelivered = wait_until_settled(seconds)
        if undelivered is not None:
            raise CommandError(
                f"Not settled within {seconds:g} s: {undelivered:,} undelivered rows in the outbox."
            )
        self.stdout.write(f"Delivered and settled after {time.monotonic() - started:.1f} s.")


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


def _whole(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise ArgumentTypeError("must be a whole number from 1 on")
    return int(value)


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86400:
        raise ArgumentTypeError("must be seconds, from 0 to 86400")
    return seconds
