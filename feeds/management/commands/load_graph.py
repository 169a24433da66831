"""Load a follow graph: `load_graph follows.txt.gz`. See docs/data.md."""

import time
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.edges import UnreadableGraph
from feeds.loading.graph import GraphReport, load_graph


class Command(BaseCommand):
    help = "Load accounts and follows from an edge list; what is there already is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", help="lines of follower<TAB>followee, plain or gzip; - for standard input"
        )
        parser.add_argument("--password", help="for every new account (default: no sign-in with a password)")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        try:
            report = load_graph(options["file"], password=make_password(options["password"]))
        except UnreadableGraph as error:
            raise CommandError(f"{options['file']}: {error}\nNothing was loaded.") from None
        self._tell(report, time.monotonic() - started)

    def _tell(self, report: GraphReport, seconds: float) -> None:
        self.stdout.write(f"Accounts       {report.accounts:>10,}  ({report.new_accounts:,} new)")
        self.stdout.write(f"Follows        {report.follows:>10,}  ({report.new_follows:,} new)")
        if report.duplicates:
            self.stdout.write(f"Duplicates     {report.duplicates:>10,}  lines, taken as one follow each")
        self.stdout.write(f"Most followed  {report.most_followers:>10,}  followers: {report.most_followed}")
        self.stdout.write(f"Seconds        {seconds:>10.1f}")
