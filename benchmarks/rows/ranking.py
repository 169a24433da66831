"""The ranked order: scoring and arranging its candidates, against everything else that its first page does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.test import override_settings

from benchmarks.bench import Bench
from benchmarks.checking import check_equal
from benchmarks.outcome import Goal, Outcome
from benchmarks.row import Row
from benchmarks.rows.in_process import block, interleave_blocks, warm
from feeds.access import Access
from feeds.ranking import serving
from feeds.ranking.arranging import arrange
from feeds.ranking.candidates import find_candidates
from feeds.ranking.current import current_weights
from feeds.ranking.rankers import current_ranker
from feeds.ranking.serving import read_ranked
from feeds.ranking.signals import read_signals, to_candidates
from feeds.ranking.values import Candidate, Placed, Scored
from feeds.reader import Reader
from feeds.reading import LOOKING
from feeds.reference import reference_feed_ids

_ALL_DAYS = 10 * 365 * 86_400.0  # the platform's cooks write less in three days than there are candidates
_VIEWERS = 20


def ranking_alone(bench: Bench) -> Outcome:
    """`ours`: candidates of a viewer into an order. `reference`: her first page with that order known beforehand."""
    with override_settings(FEED_RANK_WINDOW=_ALL_DAYS):
        viewers = list(dict.fromkeys(bench.zipf_viewers))[:_VIEWERS]
        warm(viewers)
        known = {viewer: _candidates(viewer) for viewer in viewers}
        weights, now = current_weights(), datetime.now(UTC).timestamp()
        orders = {viewer: rank(candidates, weights, now) for viewer, candidates in known.items()}
        for viewer in viewers:
            newest = reference_feed_ids(viewer)[: settings.FEED_RANK_CANDIDATES]
            if len(newest) < settings.FEED_RANK_CANDIDATES:
                raise RuntimeError(f"viewer {viewer} has only {len(newest)} candidates")
            check_equal("candidates", sorted(c.post_id for c in known[viewer]), sorted(newest))
            page = [item.post_id for item in read_ranked(viewer).items]
            check_equal("ranked page", sorted(set(page) - set(newest)), [])
        outcome = interleave_blocks(
            bench,
            block(viewers, lambda viewer: rank(known[viewer], weights, now), calls=bench.scale.calls),
            block(viewers, lambda viewer: _rest(viewer, orders[viewer]), calls=bench.scale.calls),
        )
    outcome.notes.append(
        f"{settings.FEED_RANK_CANDIDATES} candidates; the whole first page is the sum of both"
    )
    return outcome


def rank(candidates: Sequence[Candidate], weights: dict[str, float], now: float) -> list[Placed]:
    return arrange(current_ranker().score(candidates, weights, now), now)


def _candidates(viewer: int) -> list[Candidate]:
    with Access(limited=False) as access:
        reader = Reader(viewer, None, LOOKING, access)
        found = find_candidates(reader, above=0)
        signals = read_signals(viewer, found.items, datetime.now(UTC) - timedelta(seconds=1))
        return to_candidates(found.items, found.source_of, signals)


def _rest(viewer: int, order: list[Placed]) -> Any:
    with _known_beforehand(order):
        return read_ranked(viewer)


@contextmanager
def _known_beforehand(order: list[Placed]) -> Iterator[None]:
    """What ranks answers at once."""
    scored = [one.scored for one in order]

    class Known:
        parts, weights = current_ranker().parts, current_ranker().weights

        def score(self, candidates: Any, weights: Any, now: float) -> list[Scored]:
            return scored

    before = serving.current_ranker, serving.arrange
    serving.current_ranker, serving.arrange = Known, lambda scored, now: order  # type: ignore[assignment]
    try:
        yield
    finally:
        serving.current_ranker, serving.arrange = before


ROWS = (
    Row("ranking", "scoring and arranging 300 candidates", "the rest of the first page of the ranked order",
        Goal(1.0, 0.5, more=False), ranking_alone),
)  # fmt: skip
