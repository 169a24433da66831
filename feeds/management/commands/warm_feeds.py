import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from feeds.proof.viewers import add_viewer_arguments, chosen_viewers, in_processes
from feeds.proof.warm import warm_viewers


class Command(BaseCommand):
    help = "Opens feeds as their viewers would: these become active and their lists are built."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_viewer_arguments(parser)

    def handle(self, **options: Any) -> None:
        started, opened, built = time.monotonic(), 0, 0
        for part in in_processes(
            warm_viewers,
            chosen_viewers(options),
            processes=options["processes"],
            label="Warming",
            stream=self.stderr,
        ):
            opened, built = opened + part[0], built + part[1]
        seconds = time.monotonic() - started
        self.stdout.write(f"Feeds opened: {opened:,} ({built:,} built) in {seconds:.1f} s")
