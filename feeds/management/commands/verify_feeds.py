import time
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management import BaseCommand, CommandError

from feeds.management.arguments import seconds, whole_number
from feeds.proof.settling import wait_until_drained
from feeds.proof.verify import Tally, verify_viewers
from feeds.proof.viewers import add_viewer_arguments, chosen_viewers, in_processes
from social.paging import MAX_LIMIT

ORIGINS = ("pushed", "pulled", "own", "overlay", "database")


class Command(BaseCommand):
    help = (
        "Walks feeds page by page through the code of the API and compares each with the reference query. "
        "Reads stored lists where they are, stores none, and looking is no activity of the viewer. "
        "Exit status 1 on any difference."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_viewer_arguments(parser)
        limit = whole_number(1, MAX_LIMIT)
        parser.add_argument("--limit", type=limit, default=MAX_LIMIT, help="posts a page (default 100)")
        parser.add_argument(
            "--drained",
            type=seconds,
            metavar="SECONDS",
            help="first wait until the outbox has drained, so that nothing comes from the overlay; fail if it "
            "does not within SECONDS",
        )

    def handle(self, **options: Any) -> None:
        if options["drained"] is not None:
            wait_until_drained(options["drained"])
        started = time.monotonic()
        tally = Tally()
        work = partial(verify_viewers, limit=options["limit"])
        viewers = chosen_viewers(options)
        for part in in_processes(
            work, viewers, processes=options["processes"], label="Verifying", stream=self.stderr
        ):
            tally.add(part)
        self.report(tally, time.monotonic() - started)

    def report(self, tally: Tally, seconds: float) -> None:
        share = tally.stored / tally.checked if tally.checked else 0
        say = self.stdout.write
        say(f"Feeds checked: {tally.checked:,} in {seconds:.1f} s")
        hint = "" if tally.stored == tally.checked else "; viewers' visits and warm_feeds store the rest"
        say(f"Served from stored lists without SQL: {tally.stored:,} ({share:.1%}){hint}")
        if tally.skipped:
            say(f"Skipped, deactivated meanwhile: {tally.skipped:,}")
        say("Posts by source: " + ", ".join(f"{name} {tally.posts[name]:,}" for name in ORIGINS))
        say(f"Differences: {tally.differing:,}")
        for difference in tally.differences:
            say(f"  {difference}")
            for line in difference.explanation:
                say(f"    {line}")
        if tally.differing:
            raise CommandError(
                f"{tally.differing:,} of {tally.checked:,} feeds differ from the reference query."
            )
