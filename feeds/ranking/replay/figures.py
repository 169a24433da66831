"""From places to figures: values in, values out. A place is 1 for the first; None: the order leaves the menu out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from feeds.drawing import Axis, Chart, Line

DEEPEST = 100  # place that is drawn
Ranks = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Figures:
    """`mean_reciprocal`: of 1/place, 0 for what is left out. `first_five`, `first_twenty`: shares of all views."""

    views: int
    mean_reciprocal: float
    first_five: float
    first_twenty: float
    left_out: int


def figures_of(ranks: Ranks) -> Figures:
    views = len(ranks)
    return Figures(
        views,
        sum(1 / rank for rank in ranks if rank is not None) / views if views else 0.0,
        share_within(ranks, 5),
        share_within(ranks, 20),
        ranks.count(None),
    )


def share_within(ranks: Ranks, place: int) -> float:
    """Of all, at that place or above."""
    return sum(rank is not None and rank <= place for rank in ranks) / len(ranks) if ranks else 0.0


def places_chart(title: str, orders: Mapping[str, Ranks]) -> Chart:
    """One line an order: the share of views at each place or above."""
    lines = [
        Line(name, [(place, 100 * share_within(ranks, place)) for place in range(1, DEEPEST + 1)], "steps")
        for name, ranks in orders.items()
    ]
    return Chart(
        title,
        Axis("Place", log=True, low=1, high=DEEPEST),
        Axis("Viewed menus at this place or above", "%", low=0, high=100),
        lines,
        description="Replayed views. They were made under the order of that day, which favours it.",
    )
