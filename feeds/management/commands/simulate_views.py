"""Views of a day on a platform that is made up: `simulate_views`. See docs/data.md."""

import time
from collections.abc import Iterable
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.progress import progress
from feeds.loading.simulated_views import Unsimulated, ViewsReport, simulate_views
from feeds.management.arguments import day, whole_number

Visit = TypeVar("Visit")


class Command(BaseCommand):
    help = (
        "Lets customers of the demo or of a seed platform look down their feeds on a day, newest first, open menus "
        "and like some, and records it with the moments of that day. Nobody else is touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--day", type=day, metavar="YYYY-MM-DD", help="in UTC (default: the newest with menus)"
        )
        parser.add_argument(
            "--sessions", type=whole_number(1, 1_000_000), default=1_000, help="visits (default 1,000)"
        )
        parser.add_argument(
            "--seed",
            type=whole_number(0, 2**32 - 1),
            default=1,
            help="the same number makes the same views, as long as accounts, follows and menus are the same "
            "(default 1)",
        )

    def handle(self, **options: Any) -> None:
        started, wanted = time.monotonic(), options["sessions"]

        def watch(visits: Iterable[Visit]) -> Iterable[Visit]:
            return progress(visits, what="Sessions", total=wanted)

        try:
            report = simulate_views(options["day"], sessions=wanted, seed=options["seed"], watch=watch)
        except Unsimulated as error:
            raise CommandError(str(error)) from None
        self._tell(report, wanted)
        self.stdout.write(f"Seconds    {time.monotonic() - started:>10.1f}")

    def _tell(self, report: ViewsReport, wanted: int) -> None:
        self.stdout.write(f"Views of {report.day} (UTC). They are simulated: nobody has looked at anything.")
        short = f", of {wanted:,}: at other times nobody found a menu" if report.sessions < wanted else ""
        self.stdout.write(f"Sessions   {report.sessions:>10,}  (of {report.customers:,} customers{short})")
        written = (("Seen", report.seen), ("Opened", report.opened), ("Liked", report.liked))
        for (what, count), drawn in zip(written, report.drawn, strict=True):
            again = f"  ({drawn - count:,} more were known already)" if count < drawn else ""
            self.stdout.write(f"{what:<10} {count:>10,}{again}")
