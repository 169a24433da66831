"""Rankers: candidates and a moment in, every one of them scored out. FEED_RANKER names the one in force."""

from collections.abc import Sequence
from functools import cache
from math import log1p
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from feeds.ranking.values import Affinity, Candidate, Scored
from feeds.ranking.weights import Values, Weight

HOUR, DAY = 3_600.0, 86_400.0
LEAST_INTEREST, MOST_INTEREST = 0.1, 10.0


class Ranker(Protocol):
    """The contract: a class without arguments, whose `score` is pure.

    It answers each candidate once, the best first, in an order that depends on nothing but its arguments: ties go to
    the newer post. Scores are finite and not negative, each the product of its parts; `parts` names all parts that
    there can be. `weights` are offered to staff; `score` is given a value for each. Clocks may be wrong: a candidate
    may be younger than `now`.
    """

    parts: ClassVar[tuple[str, ...]]
    weights: ClassVar[tuple[Weight, ...]]

    def score(self, candidates: Sequence[Candidate], weights: Values, now: float) -> list[Scored]: ...


def best_first(scored: Sequence[Scored]) -> list[Scored]:
    """By score, and of equal ones the newer post first: a total order, since ids are unique."""
    return sorted(scored, key=lambda one: (-one.score, -one.post_id))


class WeightedRanker:
    """Engagement, weighted by affinity, divided by a growing function of age.

        recency     1 / (1 + age / age_hours) ^ gravity
        openings    1 + openings_weight * ln(1 + the viewer's openings of the author, each halved every half-life)
        likes       1 + likes_weight * ln(1 + the viewer's likes of the author, likewise)
        follow      1 + follow_weight * (1, halved every half-life since the follow)
        engagement  (smoothed share of those who saw it and opened or liked it / usual share) ^ engagement_exponent
        sold_out    1 - (1 - sold_out_factor) * share of dishes that are sold out
        seen        seen_factor if the viewer has seen it

    Each part rises, or stays, with what it is named after: never falls with an opening, a like, a follow, a younger
    post; never rises with age, impressions, sold-out dishes, having been seen.
    """

    parts = ("recency", "openings", "likes", "follow", "engagement", "sold_out", "seen")
    weights = (
        Weight("gravity", 1.2, 0, 5, "exponent", "How fast a menu sinks as it ages. 0: age does not count."),
        Weight("age_hours", 6, 0.1, 72, "hours", "The age from which sinking begins in earnest."),
        Weight("openings_weight", 0.6, 0, 10, "", "What it counts that the viewer opens this cook's menus."),
        Weight("openings_half_life", 14, 0.1, 365, "days", "After which an opening counts half."),
        Weight("likes_weight", 0.6, 0, 10, "", "What it counts that the viewer likes this cook's menus."),
        Weight("likes_half_life", 30, 0.1, 365, "days", "After which a like counts half."),
        Weight("follow_weight", 0.5, 0, 10, "", "What it counts that the viewer has just followed this cook."),
        Weight("follow_half_life", 7, 0.1, 365, "days", "After which a follow counts half as fresh."),
        Weight("engagement_exponent", 0.5, 0, 3, "exponent", "How much the interest of others counts. 0: not."),
        Weight("usual_share", 0.1, 0.001, 1, "share", "Of those who see a menu, the share that usually opens it."),
        Weight("smoothing", 20, 1, 10_000, "accounts", "Up to about so many seen, a menu is taken for a usual one."),
        Weight("like_worth", 3, 0, 100, "openings", "How many openings a like is worth."),
        Weight("sold_out_factor", 0.3, 0, 1, "factor", "For a menu of which everything is sold out."),
        Weight("seen_factor", 0.4, 0, 1, "factor", "For a menu that the viewer has seen. 0: it goes to the end."),
    )  # fmt: skip

    def score(self, candidates: Sequence[Candidate], weights: Values, now: float) -> list[Scored]:
        # One loop without calls: for hundreds of candidates half of the time would go into calling.
        gravity, scale = weights["gravity"], weights["age_hours"] * HOUR
        usual, smoothing = weights["usual_share"], weights["smoothing"]
        exponent, like_worth = weights["engagement_exponent"], weights["like_worth"]
        sold_out_costs, seen_factor = 1 - weights["sold_out_factor"], weights["seen_factor"]
        closeness: dict[int, tuple[float, float, float]] = {}  # the same for all menus of an author
        scored = []
        for one in candidates:
            if (close := closeness.get(one.author_id)) is None:
                close = closeness[one.author_id] = _closeness(one.affinity, weights, now)
            openings, likes, follow = close
            age = now - one.created_at
            recency = (1 + age / scale) ** -gravity if age > 0 else 1.0
            interested = one.openings + like_worth * one.likes + usual * smoothing
            share = interested / (one.impressions + smoothing) / usual
            if share < LEAST_INTEREST:
                share = LEAST_INTEREST
            elif share > MOST_INTEREST:
                share = MOST_INTEREST
            engagement = share**exponent
            sold_out = 1 - sold_out_costs * one.sold_out
            seen = seen_factor if one.seen else 1.0
            score = recency * openings * likes * follow * engagement * sold_out * seen
            parts = {
                "recency": recency,
                "openings": openings,
                "likes": likes,
                "follow": follow,
                "engagement": engagement,
                "sold_out": sold_out,
                "seen": seen,
            }
            scored.append(Scored(one, score, parts))
        return best_first(scored)


def _closeness(affinity: Affinity, weights: Values, now: float) -> tuple[float, float, float]:
    """openings, likes, follow."""
    opened = sum(_fading(at, weights["openings_half_life"], now) for at in affinity.opened_at)
    liked = sum(_fading(at, weights["likes_half_life"], now) for at in affinity.liked_at)
    since = affinity.followed_at
    followed = 0.0 if since is None else _fading(since, weights["follow_half_life"], now)
    return (
        1 + weights["openings_weight"] * log1p(opened),
        1 + weights["likes_weight"] * log1p(liked),
        1 + weights["follow_weight"] * followed,
    )


def _fading(at: float, half_life_days: float, now: float) -> float:
    """1 for what happens now, a half after each half-life."""
    return 0.5 ** (max(0.0, now - at) / (half_life_days * DAY))


class TurnsRanker:
    """An example of another: every cook's newest menu, then every cook's second, and so on; what the viewer has seen
    comes after what she has not."""

    parts = ("turn", "seen")
    weights = (Weight("seen_factor", 0.5, 0, 1, "factor", "For a menu that the viewer has seen."),)

    def score(self, candidates: Sequence[Candidate], weights: Values, now: float) -> list[Scored]:
        turns: dict[int, int] = {}
        scored = []
        for candidate in sorted(candidates, key=lambda one: -one.post_id):
            turn = turns[candidate.author_id] = turns.get(candidate.author_id, 0) + 1
            parts = {"turn": 1 / turn, "seen": weights["seen_factor"] if candidate.seen else 1.0}
            scored.append(Scored(candidate, parts["turn"] * parts["seen"], parts))
        return best_first(scored)


@cache
def _made(path: str) -> Ranker:
    return import_string(path)()


def current_ranker() -> Ranker:
    """The one that FEED_RANKER names. ImportError."""
    return _made(settings.FEED_RANKER)
