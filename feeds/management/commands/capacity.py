"""From daily readers to rates, memory and nodes: `capacity`. See docs/capacity.md."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from feeds.lists import ListsUnavailable
from feeds.management.arguments import number, whole_number
from feeds.management.columns import columns
from feeds.measuring.memory import ListMemory, measure_memory
from feeds.planning.capacity import Delivery, Demand, nodes_for

GIB = 1 << 30
SIZES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
DEFAULTS = {
    "readers": 100e6, "reads": 10.0, "posting": 0.10, "followers": 200.0, "peak": 3.0, "entries": 500,
    "post_bytes": 1_000.0,
}  # fmt: skip
ENTRY_BYTES = 50.0


class Command(BaseCommand):
    help = (
        "Computes posts, reads and inserts a second, memory of feeds and nodes from daily readers; first with an "
        "assumed size of a stored id, then with the sizes that this installation measures. --profile delivery shows "
        "the platform that Courtyard is made for."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--readers", type=number(1, 1e11), help="who read in a day (default 100e6)")
        parser.add_argument("--reads", type=number(0, 1e6), help="reads a day of each (default 10)")
        parser.add_argument(
            "--posting", type=number(0, 1), help="share of them who post once a day (default 0.10)"
        )
        parser.add_argument(
            "--followers", type=number(0, 1e10), help="of a post's author, on average (default 200)"
        )
        parser.add_argument(
            "--peak", type=number(1, 1e4), help="busiest second against the average (default 3)"
        )
        parser.add_argument("--entries", type=whole_number(1, 100_000), help="of a stored feed (default 500)")
        parser.add_argument("--entry-bytes", type=number(1, 1e6), help="assumed of an entry (default 50)")
        parser.add_argument("--post-bytes", type=number(1, 1e9), help="of a post (default 1000)")
        parser.add_argument(
            "--node-memory",
            type=number(0.001, 1e6),
            default=32.0,
            metavar="GIB",
            help="of a node (default 32 GiB)",
        )
        parser.add_argument("--profile", choices=["delivery"], help="a platform with figures of its own")

    def handle(self, **options: Any) -> None:
        given = [name for name in (*DEFAULTS, "entry_bytes") if options[name] is not None]
        if options["profile"]:
            if given:
                names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
                raise CommandError(f"The profile has figures of its own: leave {names} out.")
            self.stdout.write("\n".join(_delivery(Delivery())))
            return
        chosen: dict[str, Any] = {
            name: default if options[name] is None else options[name] for name, default in DEFAULTS.items()
        }
        demand, node = Demand(**chosen), options["node_memory"] * GIB
        assumed = ENTRY_BYTES if options["entry_bytes"] is None else options["entry_bytes"]
        self.stdout.write(_rates(demand))
        self.stdout.write("")
        for line in _sizes(demand, assumed, node):
            self.stdout.write(line)
        self.stdout.write("")
        for line in self._measured(demand, node):
            self.stdout.write(line)

    def _measured(self, demand: Demand, node: float) -> Iterator[str]:
        """The same with what entries take here. That nothing can be measured leaves the sums above as they are."""
        try:
            found = measure_memory(entries=demand.entries)
        except (ListsUnavailable, Error) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            yield f"Nothing was measured: the stores of this installation do not answer ({reason})."
            return
        yield "Measured here, by MEMORY USAGE:"
        for memory in found:
            yield ""
            yield f"  {memory.encoding}: {_source(memory)}, {memory.bytes_an_entry:.1f} bytes an entry"
            needed = demand.feed_bytes(memory.bytes_an_entry)
            yield f"  feeds      {size(needed)}: {_nodes(needed, node)}"


def _source(memory: ListMemory) -> str:
    if memory.real:
        lists = "1 stored feed" if memory.lists == 1 else f"{memory.lists:,} stored feeds"
        return f"{lists} of {memory.entries_a_list:,.0f} entries on average"
    return f"no stored feed has it; a list of {memory.entries:,} entries made for this"


def _rates(demand: Demand) -> str:
    rows = [
        [what, f"{a_day:,.0f}", f"{second:,.0f}/s", f"{peak:,.0f}/s"]
        for what, a_day, second, peak in demand.rates()
    ]
    return columns(["", "a day", "a second", "at the peak"], rows)


def _sizes(demand: Demand, entry_bytes: float, node: float) -> Iterator[str]:
    feeds = demand.feed_bytes(entry_bytes)
    yield f"feeds      {size(feeds)}: {demand.entries:,} entries of {entry_bytes:g} bytes, {_nodes(feeds, node)}"
    yield f"posts      {size(demand.post_bytes_a_year)} a year: {demand.post_bytes:,g} bytes each"


def _nodes(needed: float, node: float) -> str:
    full, roomy = nodes_for(needed, node)
    return f"{full:,} {'node' if full == 1 else 'nodes'} of {node / GIB:g} GiB, {roomy:,} with a quarter kept free"


def size(count: float) -> str:
    """2.5 TB: powers of a thousand."""
    for least, unit in SIZES:
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return f"{count:.0f} bytes"


def _delivery(platform: Delivery) -> Iterator[str]:
    yield (
        f"{platform.cooks:,} cooks, {platform.customers:,} customers who follow {platform.follows} each:"
        f" {platform.followers_a_cook:,.0f} followers a cook on average"
    )
    yield (
        f"{platform.posts:,} posts and {platform.opens:,} opens a day: {platform.opens_a_post:,.0f} opens a post"
    )
    yield f"At lunch {platform.lunch_opens:,} opens in an hour: {platform.lunch_opens_a_second:,.0f} opens a second"
    yield ""
    yield (
        f"Pull alone: {platform.lunch_opens:,} builds of the same feeds an hour, at"
        f" {1000 * platform.build_seconds:g} ms each {platform.database_seconds_a_second:.1f} s of database"
        " every second"
    )
    yield (
        f"A day: {platform.pull_reads:,} pull reads ({platform.opens:,} opens, {platform.follows} authors each),"
        f" against {platform.pushes:,.0f} pushes ({platform.posts:,} posts times their followers)"
    )
