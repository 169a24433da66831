from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from feeds.models import PulledAuthor, SettingsChange
from feeds.threshold import MOST_FOLLOWERS, current_threshold, set_threshold

MOST_REASON = SettingsChange._meta.get_field("reason").max_length or 0


class Command(BaseCommand):
    help = "Sets from how many followers on an author is pulled instead of pushed, as staff do in admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("followers", type=int, nargs="?", help="the new threshold")
        parser.add_argument(
            "--reason", default="set_threshold", help="for the history, at most 300 characters"
        )
        parser.add_argument("--default", action="store_true", help="back to FANOUT_THRESHOLD")

    def handle(self, **options: Any) -> None:
        followers = options["followers"]
        if followers is None and not options["default"]:
            self.stdout.write(f"The threshold is {current_threshold():,} followers.")
            return
        if followers is not None and options["default"]:
            raise CommandError("Give a number or --default, not both.")
        if followers is not None and not 1 <= followers <= MOST_FOLLOWERS:
            raise CommandError(f"The threshold must be 1 to {MOST_FOLLOWERS:,}.")
        if len(options["reason"]) > MOST_REASON:
            raise CommandError(f"The reason must be at most {MOST_REASON} characters.")
        set_threshold(followers, reason=options["reason"])
        pulled = PulledAuthor.objects.filter(until_id=None).count()
        authors = "1 author is" if pulled == 1 else f"{pulled:,} authors are"
        self.stdout.write(f"The threshold is {current_threshold():,} followers; {authors} pulled.")
