"""What thresholds would cost on a platform that does not exist: `simulate_threshold`. See docs/capacity.md."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from feeds.loading.edges import Findings, UnreadableGraph, read_edges
from feeds.loading.progress import progress
from feeds.management.arguments import number, whole_number
from feeds.management.columns import columns
from feeds.management.drawings import svg_path, write_charts
from feeds.planning.distribution import Followers
from feeds.planning.ladder import Rung
from feeds.planning.simulation import (
    RUNGS,
    cost_chart,
    draw_followers,
    followers_of_edges,
    ladder_of,
    spread_chart,
)

MOST_USERS = 10_000_000
DRAWN = {"users": 1_000_000, "alpha": 1.1, "minimum": 20, "seed": 3}


class Command(BaseCommand):
    help = (
        "Draws follower counts from a power law, or takes those of an edge list, and prints what each threshold "
        "would cost: accounts that are pulled, inserts a day, the largest job, pulls a read. Everybody posts once "
        "a day and everybody reads. Needs no database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        # Without a default: what was given beside --graph has to be told from what was not.
        parser.add_argument("--users", type=whole_number(2, MOST_USERS), help="accounts (default 1,000,000)")
        parser.add_argument("--alpha", type=number(0.5, 10), help="exponent of the power law (default 1.1)")
        parser.add_argument(
            "--minimum", type=whole_number(1, MOST_USERS), help="least followers of anybody (default 20)"
        )
        parser.add_argument(
            "--seed",
            type=whole_number(0, 2**32 - 1),
            help="the same number draws the same counts (default 3)",
        )
        parser.add_argument(
            "--graph", metavar="FILE", help="take the follows of an edge list instead, as load_graph"
        )
        parser.add_argument(
            "--thresholds",
            type=whole_number(1, MOST_USERS * 100),
            nargs="+",
            metavar="N",
            help="instead of 1,000,000, 100,000, 10,000, 5,000, 1,000",
        )
        parser.add_argument("--plot", metavar="FILE.svg", help="draw spread and costs into a file")

    def handle(self, **options: Any) -> None:
        plot = svg_path(options["plot"], "--plot")
        followers = self._graph(options) if options["graph"] else self._drawn(options)
        ladder = ladder_of(followers)
        thresholds = [None, *options["thresholds"]] if options["thresholds"] else list(RUNGS)
        rungs = ladder.rungs(thresholds)
        self.stdout.write(_spread(followers))
        self.stdout.write("")
        self.stdout.write(_costs(rungs))
        if plot is not None:
            write_charts(plot, [spread_chart(followers), cost_chart(ladder, rungs, followers.most)])
            self.stdout.write(f"\nDrawn into {plot}")

    def _drawn(self, options: dict[str, Any]) -> Followers:
        given: dict[str, Any] = {
            name: default if options[name] is None else options[name] for name, default in DRAWN.items()
        }
        watch = lambda accounts: progress(accounts, what="Drawing")  # noqa: E731
        return draw_followers(watch=watch, **given)

    def _graph(self, options: dict[str, Any]) -> Followers:
        drawn = [f"--{name}" for name in DRAWN if options[name] is not None]
        if drawn:
            raise CommandError(f"The follows of --graph are not drawn: leave {', '.join(drawn)} out.")
        findings = Findings()
        try:
            followers = followers_of_edges(read_edges(options["graph"], findings))
            findings.raise_if_unusable()
        except UnreadableGraph as error:
            raise CommandError(f"{options['graph']}: {error}") from None
        return followers


def _spread(followers: Followers) -> str:
    return columns(
        ["accounts", "follows", "mean", "median", "p99", "p99.99", "max", "top 0.1 % hold"],
        [
            [
                f"{len(followers):,}",
                f"{followers.total:,}",
                f"{followers.mean:,.0f}",
                f"{followers.percentile(0.5):,}",
                f"{followers.percentile(0.99):,}",
                f"{followers.percentile(0.9999):,}",
                f"{followers.most:,}",
                f"{100 * followers.share_of_top(0.001):.0f} %",
            ]
        ],
    )


def _costs(rungs: list[Rung]) -> str:
    return columns(
        ["threshold", "pulled", "push writes a day", "of push-all", "largest push", "pulls a read"],
        [
            [
                "none" if rung.threshold is None else f"{rung.threshold:,}",
                f"{rung.pulled:,}",
                f"{rung.pushes:,.0f}",
                f"{100 * rung.share:.1f} %",
                f"{rung.largest:,}",
                f"{rung.pulls:,.2f}",
            ]
            for rung in rungs
        ],
    )
