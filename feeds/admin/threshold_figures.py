"""What staff are shown before they move the threshold: sentences, rows and drawings from what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10

from django.conf import settings

from feeds.admin.wording import many
from feeds.drawing import Axis, Band, Chart, Line, Mark
from feeds.drawing.scales import number
from feeds.measuring.graph import Graph
from feeds.measuring.kept import Speed
from feeds.models import FeedSettings
from feeds.planning.suggesting import DAY, Costs, Estimate, Suggestion, estimate, suggest

STEPS = (1, 2, 5)
CURVE_POINTS = 60
LEAST = 10  # followers; lower thresholds are nobody's wish


@dataclass(frozen=True)
class Figures:
    """Everything that the page says of thresholds, for the graph and the speed that were measured."""

    graph: Graph
    speed: Speed
    row: FeedSettings
    in_force: int
    opens: float | None

    @property
    def costs(self) -> Costs:
        rates = self.speed.rates
        return Costs(
            pushes=rates.pushes,
            merge=rates.merge,
            refresh=rates.refresh,
            read=rates.read or 0.0,
            active=self.graph.active,
            opens=self.opens,
            processes=1,
            keeps=settings.FEED_LOCAL_CACHE_SECONDS,
            freshness=self.row.freshness_target,
            budget=self.row.read_budget / 1000,
        )

    def estimate(self, threshold: int | None) -> Estimate:
        return estimate(self.graph.ladder, self.graph.pulls, self.costs, threshold)

    @property
    def most(self) -> int:
        return max((followers for followers, _ in self.graph.cooks), default=0)

    @property
    def candidates(self) -> list[int]:
        """1, 2 and 5 times the powers of ten, from LEAST to the first above the most followed cook."""
        top = 10 ** (ceil(log10(max(self.most, LEAST))) + 1)
        steps = [factor * 10**n for n in range(1, len(str(top))) for factor in STEPS]
        above = next((step for step in steps if step > self.most), steps[-1])
        return [step for step in steps if LEAST <= step <= above]

    @property
    def suggestion(self) -> Suggestion:
        return suggest(self.graph.ladder, self.graph.pulls, self.costs, self.candidates)

    def memory(self, threshold: int | None) -> float | None:
        """Bytes of the feeds of all who are here: as long as stored ones are (where none is, as long as they may
        get), less what a lower threshold would not push into them. None: nothing could be measured."""
        lists = sum(memory.lists for memory in self.speed.memory)
        if not lists:
            return None
        entries = sum(memory.entries for memory in self.speed.memory)
        an_entry = sum(memory.bytes for memory in self.speed.memory) / entries
        here = self.graph.ladder.rung(self.in_force if self.speed.memory[0].real else None).share
        share = self.graph.ladder.rung(threshold).share / here if here else 1.0
        return self.graph.active_viewers * an_entry * min(entries / lists * share, settings.FEED_LENGTH)

    def read_in_words(self, cost: float) -> str:
        """Of a read; where no feed is stored that could be read, only what pulling adds to it."""
        return seconds(cost) if self.speed.rates.read else f"+ {seconds(cost)}"


# --- Numbers in words ---------------------------------------------------------------------------------------


def seconds(value: float) -> str:
    """ "3.2 s", "12 ms", "15 µs" """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{number(value / size)} {unit}"
    return f"{number(round(value * 1e6, 1))} µs" if value else "0"


def size(value: float | None) -> str:
    if value is None:
        return "not measured"
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor:
            return f"{number(round(value / factor, 1))} {unit}"
    return f"{value:,.0f} bytes"


# --- Rows and rules -----------------------------------------------------------------------------------------

LADDER_HEAD = (
    "Threshold",
    "Cooks pulled",
    "Push writes a day",
    "Of push-all",
    "Largest push job",
    "It takes",
    "Pulls a read",
    "One read in 100 pulls",
    "Read",
    "That one read",
    "Memory of feeds",
)


def ladder_rows(figures: Figures, tried: int | None, suggested: int | None) -> list[dict[str, object]]:
    marked = {figures.in_force: "in force", **({suggested: "suggested"} if suggested else {})}
    if tried is not None:
        marked[tried] = "tried" if tried not in marked else f"{marked[tried]}, tried"
    if suggested == figures.in_force:
        marked[figures.in_force] = marked[figures.in_force].replace("suggested", "in force, suggested")
    thresholds: list[int | None] = [None, *sorted({*figures.candidates, *marked}, reverse=True)]
    return [
        {"cells": _cells(figures, threshold), "mark": marked.get(threshold or 0, "")}
        for threshold in thresholds
    ]


def _cells(figures: Figures, threshold: int | None) -> list[str]:
    rung, cost = figures.graph.ladder.rung(threshold), figures.estimate(threshold)
    mean, p99 = figures.graph.pulls(threshold)
    return [
        "none" if threshold is None else f"{threshold:,}",
        f"{rung.pulled:,}",
        f"{rung.pushes * figures.graph.active:,.0f}",
        f"{100 * rung.share:.1f} %",
        f"{rung.largest:,}",
        seconds(cost.job),
        f"{mean:.2f}",
        f"{p99:,}",
        figures.read_in_words(cost.read),
        figures.read_in_words(cost.read_p99),
        size(figures.memory(threshold)),
    ]


def why(figures: Figures, suggestion: Suggestion) -> str:
    """The suggestion and its reasons, with this installation's numbers."""
    if not figures.graph.cooks:
        return "There are no cooks yet, so that any threshold does."
    if not suggestion.fits:
        return _why_none(figures, suggestion)
    threshold = suggestion.threshold
    cost, rung = figures.estimate(threshold), figures.graph.ladder.rung(threshold)
    pulled = f"{many(rung.pulled, 'cook') if rung.pulled else 'nobody'} would be pulled"
    slowest = seconds(cost.read_p99)
    read = f"costs {slowest}" if figures.speed.rates.read else f"has {slowest} added by pulling"
    reasons = (
        f"Suggested: {threshold:,}. Then {pulled}, the largest push job has {many(rung.largest, 'follower')} and"
        f" takes {seconds(cost.job)} of the {figures.row.freshness_target:g} s it may, and one read in a hundred"
        f" {read}, of a budget of {figures.row.read_budget:g} ms."
    )
    low = f"{suggestion.lowest:,}" if suggestion.lowest else "any"
    high = f"{suggestion.highest:,}" if suggestion.highest else "any"
    kept = f"{reasons} Between {low} and {high} both budgets are kept;"
    if cost.a_day is None:
        return f"{kept} which of them is cheapest cannot be told before opens are counted, and it pulls the fewest."
    return (
        f"{kept} there it takes the least processor time: {seconds(cost.a_day)} a day for pushing, pulling and"
        " refreshing."
    )


def _why_none(figures: Figures, suggestion: Suggestion) -> str:
    if suggestion.highest is None:
        return (
            f"No threshold keeps the freshness target of {figures.row.freshness_target:g} s: even the smallest push "
            "job takes longer. Look at the feed Redis and the workers first."
        )
    if suggestion.lowest is None:
        return (
            f"No threshold keeps the read budget of {figures.row.read_budget:g} ms: a read costs "
            f"{seconds(figures.costs.read)} even when nobody is pulled. Set a budget that a read can keep."
        )
    return (
        f"No threshold keeps both budgets: the deadline wants at most {suggestion.highest:,}, the read budget at "
        f"least {suggestion.lowest:,}. Readers see a new menu at once however long the job takes, so that a longer "
        "freshness target is the milder choice; more workers shorten a backlog, not one job."
    )


def rules(figures: Figures) -> list[tuple[str, str]]:
    """The two rules behind a threshold, with this installation's numbers put in."""
    rates, target = figures.speed.rates, figures.row.freshness_target
    reach = rates.pushes * target
    keeps = settings.FEED_LOCAL_CACHE_SECONDS
    posts = sum(posts for _, posts in figures.graph.cooks) / max(len(figures.graph.cooks), 1)
    refreshes = DAY / keeps
    even = refreshes * rates.refresh * rates.pushes / max(posts, 0.01) / max(figures.graph.active, 0.01)
    return [
        (
            "The deadline",
            f"One worker pushes {rates.pushes:,.0f} ids a second here. Within {target:g} s that is {reach:,.0f}"
            f" followers; with {100 * figures.graph.active:.0f} % of them here within the window, a cook of"
            f" {number(reach / max(figures.graph.active, 0.01))} followers is still pushed in time."
            f" The most followed cook has {figures.most:,}.",
        ),
        (
            "The caches",
            f"A pulled cook costs each web process one fetch of {seconds(rates.refresh)} every {keeps:g} s while"
            f" somebody reads, at most {refreshes:,.0f} a day, and each read {seconds(rates.merge)}; a pushed one"
            f" costs an insert of {seconds(1 / rates.pushes)} for each follower who is here. With {posts:.1f} menus a"
            f" day the fetches of one process weigh as much as the inserts of a cook with {number(round(even))}"
            " followers.",
        ),
    ]


# --- Drawings -----------------------------------------------------------------------------------------------


def spread_chart(figures: Figures) -> Chart:
    points = [(float(followers), float(cooks)) for followers, cooks in figures.graph.followers.at_least()]
    return Chart(
        "How cooks are followed",
        Axis("Followers", log=True),
        Axis("Cooks with at least as many", log=True),
        [Line("cooks", points, "dots")],
        [Mark(float(figures.in_force), f"in force: {figures.in_force:,}", kind="current")],
        description="A straight line is a power law: a few hold most follows, and a threshold catches just them.",
    )


def cost_charts(figures: Figures, suggestion: Suggestion, tried: int | None) -> list[Chart]:
    """The largest job against its deadline, and a read against its budget, over all thresholds."""
    top = max(figures.candidates[-1], figures.in_force, tried or 0)
    steps = (LEAST * (top / LEAST) ** (n / (CURVE_POINTS - 1)) for n in range(CURVE_POINTS))
    estimates = [figures.estimate(threshold) for threshold in sorted({round(step) for step in steps})]
    marks = [Mark(float(figures.in_force), f"in force: {figures.in_force:,}", kind="current")]
    if suggestion.threshold and suggestion.threshold != figures.in_force:
        marks.append(
            Mark(float(suggestion.threshold), f"suggested: {suggestion.threshold:,}", kind="suggested")
        )
    if tried and tried not in (figures.in_force, suggestion.threshold):
        marks.append(Mark(float(tried), f"tried: {tried:,}"))
    bands = []
    if suggestion.fits and suggestion.lowest and suggestion.highest:
        bands = [Band(float(suggestion.lowest), float(suggestion.highest), "keeps both budgets")]
    x, target, budget = (
        Axis("Threshold", "followers", log=True),
        figures.row.freshness_target,
        figures.row.read_budget,
    )
    jobs = [(e.threshold, e.job) for e in estimates]
    reads = [(e.threshold, 1000 * e.read_p99) for e in estimates]
    deadline = Mark(target, f"freshness target: {target:g} s", axis="y")
    most = Mark(budget, f"read budget: {budget:g} ms", axis="y")
    job, read = Axis("Largest job", "seconds", log=True), Axis("Read, 99th percentile", "ms", log=True)
    return [
        _cost_chart("How long the largest push job takes", x, job, jobs, [*marks, deadline], bands),
        _cost_chart("What one read in a hundred costs at least", x, read, reads, [*marks, most], bands),
    ]


def _cost_chart(
    title: str,
    x: Axis,
    y: Axis,
    points: Sequence[tuple[int | None, float]],
    marks: Sequence[Mark],
    bands: Sequence[Band],
) -> Chart:
    drawn = [(float(threshold or 0), value) for threshold, value in points]
    return Chart(title, x, y, [Line(y.title, drawn)], marks, bands)
