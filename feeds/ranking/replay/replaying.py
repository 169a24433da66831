"""The same candidates in several orders, and where each viewed menu stands in them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection, transaction

from feeds.ranking.arranging import arrange
from feeds.ranking.rankers import current_ranker
from feeds.ranking.replay.candidates import Menus, candidates_at, oldest_at
from feeds.ranking.replay.missing import why_missing
from feeds.ranking.replay.past import read_past
from feeds.ranking.replay.sessions import (
    PAUSE_SECONDS,
    Session,
    bounds_of,
    draw_some,
    sessions_of,
    with_begins,
)
from feeds.ranking.values import Candidate
from feeds.ranking.weights import Values

NEWEST_FIRST = "newest first"
Watch = Callable[[Sequence[Session]], Iterable[Session]]


@dataclass(frozen=True, slots=True)
class Report:
    """`found` sessions of the day, of which some were replayed; `ranks` by order, one for each replayed view, in the
    same sequence for all. `missing`: how many views were no candidates, by reason."""

    day: date
    found: int
    sessions: int
    views: int
    candidates: int  # of all sessions together
    ranks: Mapping[str, Sequence[int | None]]
    missing: Counter[str]

    @property
    def replayed(self) -> int:
        return len(self.ranks[NEWEST_FIRST])


def replay(
    day: date, orders: Mapping[str, Values], *, most: int, seed: int, watch: Watch = lambda sessions: sessions
) -> Report:
    """At most `most` sessions of a day (UTC), newest first and by each of the weights in `orders`.

    No order knows anything of after its session began, and PostgreSQL refuses to write anything meanwhile.
    """
    with _looking_only():
        every = sessions_of(day)
        sessions = with_begins(draw_some(every, most, seed))
        first, end = bounds_of(day)
        since = oldest_at(datetime.fromtimestamp(first.timestamp() - PAUSE_SECONDS, first.tzinfo))
        past = read_past({session.viewer_id for session in sessions}, since=since, until=end)
        ranks: dict[str, list[int | None]] = {name: [] for name in (NEWEST_FIRST, *orders)}
        missing, candidates = list[tuple[Session, int]](), 0
        menus = Menus()
        for session in watch(sessions):
            found = candidates_at(session.viewer_id, session.moment, menus=menus, past=past)
            candidates += len(found)
            known = {candidate.post_id for candidate in found}
            viewed = [post_id for post_id in session.post_ids if post_id in known]
            missing += [(session, post_id) for post_id in session.post_ids if post_id not in known]
            if viewed:
                for name, order in orders_of(found, orders, session.began).items():
                    ranks[name] += ranks_of(viewed, order)
        return Report(
            day,
            len(every),
            len(sessions),
            sum(len(session.post_ids) for session in sessions),
            candidates,
            ranks,
            why_missing(missing),
        )


def orders_of(
    candidates: Sequence[Candidate], orders: Mapping[str, Values], now: float
) -> dict[str, list[int]]:
    """Ids of the candidates in each order; pure. The ranked ones leave repetitions out."""
    placed = {NEWEST_FIRST: sorted((one.post_id for one in candidates), reverse=True)}
    for name, weights in orders.items():
        scored = current_ranker().score(candidates, weights, now)
        placed[name] = [one.post_id for one in arrange(scored, now)]
    return placed


def ranks_of(viewed: Iterable[int], order: Sequence[int]) -> list[int | None]:
    """The place of each, 1 for the first; None where it is left out."""
    places = {post_id: place for place, post_id in enumerate(order, 1)}
    return [places.get(post_id) for post_id in viewed]


@contextmanager
def _looking_only() -> Iterator[None]:
    """All that is read is of one moment."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
