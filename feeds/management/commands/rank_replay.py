"""What other weights would have done for menus that were viewed: `rank_replay`. See docs/operations.md."""

import time
from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.progress import progress
from feeds.management.arguments import day, whole_number
from feeds.management.columns import columns
from feeds.management.drawings import svg_path, write_charts
from feeds.ranking.current import current_weights
from feeds.ranking.rankers import current_ranker
from feeds.ranking.replay.figures import figures_of, places_chart
from feeds.ranking.replay.replaying import Report, replay
from feeds.ranking.replay.sessions import Session, newest_day
from feeds.ranking.weights import Values

TODAYS, PROPOSED = "today's weights", "proposed"
BIAS = (
    "This compares orders on what was viewed under the order of that day, which favours that order (what stands high "
    "is viewed more): it shows no gain by itself."
)


class Command(BaseCommand):
    help = (
        "Replays recorded views of a day: puts what each viewer could choose from in order as it would have been "
        "when the session began, newest first, by today's weights and by proposed ones, and prints where the menus "
        "that were viewed would have stood. Writes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--day", type=day, metavar="YYYY-MM-DD", help="in UTC (default: the newest with views)"
        )
        parser.add_argument(
            "--sessions",
            type=whole_number(1, 1_000_000),
            default=1_000,
            help="at most so many (default 1,000)",
        )
        parser.add_argument(
            "--seed",
            type=whole_number(0, 2**32 - 1),
            default=1,
            help="the same number draws the same sessions (default 1)",
        )
        parser.add_argument(
            "--weights", nargs="+", metavar="NAME=VALUE", help="to try; the others stay as they are today"
        )
        parser.add_argument("--output", metavar="FILE.svg", help="draw the places into a file")

    def handle(self, **options: Any) -> None:
        started = time.monotonic()
        drawing = svg_path(options["output"], "--output")
        orders: dict[str, Values] = {TODAYS: current_weights()}
        if options["weights"]:
            orders[PROPOSED] = {**orders[TODAYS], **_proposed(options["weights"])}
        newest = newest_day()
        if newest is None:
            raise CommandError("No views are recorded: nobody has opened a menu so far.")
        report = replay(
            options["day"] or newest, orders, most=options["sessions"], seed=options["seed"], watch=_watch
        )
        if not report.found:
            raise CommandError(f"No views are recorded of {report.day} (UTC). The newest are of {newest}.")
        self._tell(report, options["seed"])
        if drawing is not None:
            write_charts(drawing, [places_chart(f"Viewed menus of {report.day}", report.ranks)])
            self.stdout.write(f"Drawn into {drawing}")
        self.stdout.write(f"Seconds: {time.monotonic() - started:.1f}")

    def _tell(self, report: Report, seed: int) -> None:
        drawn = f", drawn with seed {seed}" if report.sessions < report.found else ""
        self.stdout.write(
            f"{report.day} (UTC): {report.sessions:,} of {report.found:,} sessions{drawn}; {report.views:,} views of"
            f" menus, {report.replayed:,} of them replayed; {report.candidates / report.sessions:,.0f} candidates a"
            " session."
        )
        self.stdout.write("")
        self.stdout.write(_table(report))
        self.stdout.write("")
        if report.missing:
            reasons = "; ".join(f"{count:,} {why}" for why, count in report.missing.most_common())
            self.stdout.write(f"Not replayed: {reasons}.")
        self.stdout.write(BIAS)


def _table(report: Report) -> str:
    header = ["order", "views", "sessions", "mean reciprocal rank", "in first 5", "in first 20", "left out"]
    rows = []
    for name, ranks in report.ranks.items():
        figures = figures_of(ranks)
        rows.append(
            [
                name,
                f"{figures.views:,}",
                f"{report.sessions:,}",
                f"{figures.mean_reciprocal:.3f}",
                f"{100 * figures.first_five:.1f} %",
                f"{100 * figures.first_twenty:.1f} %",
                f"{figures.left_out:,}",
            ]
        )
    return columns(header, rows)


def _proposed(given: Sequence[str]) -> dict[str, float]:
    """CommandError for what no ranking could use."""
    weights = {weight.name: weight for weight in current_ranker().weights}
    values: dict[str, float] = {}
    for text in given:
        name, _, written = text.partition("=")
        if name not in weights:
            raise CommandError(f"--weights: there is no weight {name!r}. There are {', '.join(weights)}.")
        if name in values:
            raise CommandError(f"--weights: {name} is given twice.")
        values[name] = _as_number(written)
        if problem := weights[name].problem_with(values[name]):
            raise CommandError(f"--weights: {problem} It is {written!r}.")
    return values


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def _watch(sessions: Sequence[Session]) -> Iterable[Session]:
    return progress(sessions, what="Sessions", total=len(sessions))
