"""Rankers are pure and total, whatever the candidates, the weights and the clock; and monotone as they say."""

from dataclasses import replace
from math import isfinite, isnan, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.ranking.rankers import TurnsRanker, WeightedRanker
from feeds.ranking.values import Affinity, Candidate
from feeds.ranking.weights import Weight, complete

NOW = 1_790_000_000.0
DAY = 86_400.0

moments = st.floats(NOW - 400 * DAY, NOW + 400 * DAY)
few_moments = st.lists(moments, max_size=5).map(tuple)
affinities = st.builds(Affinity, few_moments, few_moments, st.none() | moments)
candidates = st.builds(
    Candidate,
    post_id=st.integers(1, 2**53 - 1),
    author_id=st.integers(1, 6),
    created_at=moments,
    words=st.text("abc ", max_size=12),
    sold_out=st.floats(0, 1),
    likes=st.integers(0, 10**6),
    impressions=st.integers(0, 10**6),
    openings=st.integers(0, 10**6),
    seen=st.booleans(),
    affinity=affinities,
)


@st.composite
def menus_of_several(draw):
    """Each once; what the viewer has done about an author is the same for all of hers."""
    menus = draw(st.lists(candidates, max_size=12, unique_by=lambda candidate: candidate.post_id))
    of_author = {menu.author_id: menu.affinity for menu in menus}
    return [replace(menu, affinity=of_author[menu.author_id]) for menu in menus]


def weights_of(ranker):
    return st.fixed_dictionaries(
        {weight.name: st.floats(weight.low, weight.high) for weight in ranker.weights}
    )


RANKERS = [WeightedRanker(), TurnsRanker()]
any_ranker = pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)


@any_ranker
@given(data=st.data(), now=st.floats(0, 4e9))
def test_every_candidate_is_scored_once_in_an_order_that_depends_on_nothing_else(ranker, data, now):
    menus, weights = data.draw(menus_of_several()), data.draw(weights_of(ranker))
    scored = ranker.score(menus, weights, now)
    assert sorted(one.post_id for one in scored) == sorted(menu.post_id for menu in menus)
    assert {one.post_id: one.candidate for one in scored} == {menu.post_id: menu for menu in menus}
    shuffled = data.draw(st.permutations(menus))
    assert [one.post_id for one in ranker.score(shuffled, weights, now)] == [one.post_id for one in scored]
    for one in scored:
        assert isfinite(one.score)
        assert one.score >= 0
        assert set(one.parts) == set(ranker.parts)
        assert one.score == pytest.approx(prod(one.parts.values()))
    keys = [(-one.score, -one.post_id) for one in scored]
    assert keys == sorted(set(keys))


# What is done to a candidate, and the part that must rise with it, or stay; nothing else may move.
BETTER = {
    "younger": ("recency", lambda c: replace(c, created_at=c.created_at + 3_600)),
    "opened once more": (
        "openings",
        lambda c: replace(c, affinity=replace(c.affinity, opened_at=(*c.affinity.opened_at, NOW - DAY))),
    ),
    "opened later": (
        "openings",
        lambda c: replace(
            c, affinity=replace(c.affinity, opened_at=tuple(at + DAY for at in c.affinity.opened_at))
        ),
    ),
    "liked once more": (
        "likes",
        lambda c: replace(c, affinity=replace(c.affinity, liked_at=(*c.affinity.liked_at, NOW - DAY))),
    ),
    "followed": ("follow", lambda c: replace(c, affinity=replace(c.affinity, followed_at=NOW))),
    "opened by one more": ("engagement", lambda c: replace(c, openings=c.openings + 1)),
    "liked by one more": ("engagement", lambda c: replace(c, likes=c.likes + 1)),
    "seen by fewer": ("engagement", lambda c: replace(c, impressions=c.impressions // 2)),
    "less of it sold out": ("sold_out", lambda c: replace(c, sold_out=c.sold_out / 2)),
    "not seen": ("seen", lambda c: replace(c, seen=False)),
}


@pytest.mark.parametrize("change", BETTER)
@given(candidate=candidates, weights=weights_of(WeightedRanker))
def test_what_is_better_never_lowers(change, candidate, weights):
    part, improved = BETTER[change]
    [before] = WeightedRanker().score([candidate], weights, NOW)
    [after] = WeightedRanker().score([improved(candidate)], weights, NOW)
    assert after.parts[part] >= before.parts[part] * (1 - 1e-12)
    others = set(WeightedRanker.parts) - {part}
    assert {name: after.parts[name] for name in others} == {name: before.parts[name] for name in others}


class TestAsDocumented:
    defaults = complete(WeightedRanker.weights, {})

    def parts(self, candidate, **weights):
        [one] = WeightedRanker().score([candidate], self.defaults | weights, NOW)
        return one.parts

    def menu(self, **facts):
        return Candidate(1, 1, facts.pop("created_at", NOW), **facts)

    def test_what_nothing_is_known_of_is_neutral(self):
        assert set(self.parts(self.menu()).values()) == {1.0}

    def test_recency_is_a_power_of_age(self):
        six_hours = self.menu(created_at=NOW - 6 * 3600)
        assert self.parts(six_hours, age_hours=6, gravity=2)["recency"] == pytest.approx(0.25)
        assert self.parts(six_hours, gravity=0)["recency"] == 1
        assert self.parts(self.menu(created_at=NOW + 99))["recency"] == 1  # a clock that is ahead

    def test_openings_and_likes_fade_by_half_lives(self):
        once = Affinity(opened_at=(NOW - 14 * DAY,), liked_at=(NOW,), followed_at=NOW - 7 * DAY)
        parts = self.parts(
            self.menu(affinity=once),
            openings_weight=1,
            likes_weight=2,
            follow_weight=1,
            openings_half_life=14,
        )
        assert parts["openings"] == pytest.approx(1 + 0.405465)  # ln 1.5
        assert parts["likes"] == pytest.approx(1 + 2 * 0.693147)  # ln 2
        assert parts["follow"] == pytest.approx(1.5)

    def test_a_few_openings_do_not_make_a_success(self):
        few = self.menu(openings=1, impressions=1)
        many = self.menu(openings=500, impressions=1000)
        parts = {"engagement_exponent": 1, "usual_share": 0.1, "smoothing": 20}
        assert self.parts(few, **parts)["engagement"] == pytest.approx((1 + 2) / 21 / 0.1)
        assert self.parts(many, **parts)["engagement"] == pytest.approx((500 + 2) / 1020 / 0.1)

    def test_the_interest_of_others_is_bounded(self):
        loved = self.menu(likes=10**9)
        assert self.parts(loved, engagement_exponent=1)["engagement"] == 10
        ignored = self.menu(impressions=10**9)
        assert self.parts(ignored, engagement_exponent=1)["engagement"] == pytest.approx(0.1)

    def test_sold_out_and_seen(self):
        half = self.menu(sold_out=0.5, seen=True)
        parts = self.parts(half, sold_out_factor=0.2, seen_factor=0)
        assert parts["sold_out"] == pytest.approx(0.6)
        assert parts["seen"] == 0

    def test_what_was_seen_goes_to_the_end_and_is_not_lost(self):
        seen = self.menu(seen=True)
        others = [Candidate(n, 1, NOW - n * DAY) for n in range(2, 40)]
        scored = WeightedRanker().score([seen, *others], self.defaults | {"seen_factor": 0}, NOW)
        assert scored[-1].candidate == seen

    def test_one_cook_after_the_other(self):
        menus = [Candidate(post_id, author, NOW) for post_id, author in [(1, 1), (2, 1), (3, 2), (4, 1)]]
        scored = TurnsRanker().score(menus, {"seen_factor": 0.5}, NOW)
        assert [one.post_id for one in scored] == [4, 3, 2, 1]


class TestWeights:
    gravity = Weight("gravity", 1.2, 0, 5, "exponent", "")

    @pytest.mark.parametrize("value", [-0.1, 5.1, float("nan"), float("inf")])
    def test_out_of_range(self, value):
        assert self.gravity.problem_with(value) == "gravity must be from 0 to 5."
        assert complete([self.gravity], {"gravity": value}) == {"gravity": 1.2}

    @pytest.mark.parametrize("stored", [{"gravity": "2"}, {"gravity": None}, {"of_another_ranker": 3}, {}])
    def test_what_does_not_fit_is_the_default(self, stored):
        assert complete([self.gravity], stored) == {"gravity": 1.2}

    def test_what_fits_is_taken(self):
        assert complete([self.gravity], {"gravity": 0}) == {"gravity": 0.0}

    @any_ranker
    def test_all_have_a_default_in_their_range_and_words(self, ranker):
        for weight in ranker.weights:
            assert weight.problem_with(weight.default) is None
            assert weight.help.endswith(".")
            assert not isnan(weight.default)
