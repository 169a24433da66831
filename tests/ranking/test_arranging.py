"""The arrangement loses nothing but repetitions, crowds nobody in, and drowns no cook who seldom posts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.ranking.arranging import FRESH_SECONDS, MOST_OF_AUTHOR, ROW, arrange, repetitions, spread
from feeds.ranking.rankers import best_first
from feeds.ranking.values import Candidate, Scored

NOW = 1_790_000_000.0


def scored(post_id, author, score, *, age=FRESH_SECONDS * 2, words=""):
    return Scored(Candidate(post_id, author, NOW - age, words), score, {"any": score})


@st.composite
def rankings(draw, most_authors=8):
    authors = draw(st.lists(st.integers(1, most_authors), max_size=60))
    return best_first(
        [
            scored(n, author, draw(st.floats(0, 10)), age=draw(st.sampled_from([60, 2 * FRESH_SECONDS])))
            for n, author in enumerate(authors, 1)
        ]
    )


def authors_of(placed):
    return [one.scored.candidate.author_id for one in placed]


@given(rankings())
def test_each_stands_once_in_a_repeatable_order(ranking):
    placed = spread(ranking, NOW)
    assert sorted(one.post_id for one in placed) == sorted(one.post_id for one in ranking)
    assert [one.post_id for one in spread(ranking, NOW)] == [one.post_id for one in placed]


@given(rankings())
def test_no_author_has_more_than_two_of_ten_in_a_row_while_there_are_others(ranking):
    authors = authors_of(spread(ranking, NOW))
    for place, author in enumerate(authors):
        before = Counter(authors[max(0, place - ROW + 1) : place])
        if before[author] >= MOST_OF_AUTHOR:
            assert all(before[other] >= MOST_OF_AUTHOR for other in authors[place:]), place


@given(rankings())
def test_menus_of_one_author_stay_in_the_order_of_their_scores(ranking):
    placed = spread(ranking, NOW)
    for author in {one.candidate.author_id for one in ranking}:
        before = [one.post_id for one in ranking if one.candidate.author_id == author]
        assert [one.post_id for one in placed if one.scored.candidate.author_id == author] == before


@given(rankings(most_authors=40))
def test_where_nobody_crowds_the_scores_alone_decide(ranking):
    once = best_first({one.candidate.author_id: one for one in reversed(ranking)}.values())
    placed = spread(once, NOW)
    lifted = {one.post_id for one in placed if one.lifted}
    rest = [one.post_id for one in placed if one.post_id not in lifted]
    assert rest == [one.post_id for one in once if one.post_id not in lifted]


def test_the_best_first_and_others_between_a_crowd():
    crowd = [scored(n, 1, 100 - n) for n in range(1, 6)]
    others = [scored(10 + n, 10 + n, 10 - n) for n in range(8)]
    placed = [one.post_id for one in spread([*crowd, *others], NOW)]
    assert placed == [1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 3, 4, 5]


def test_a_fresh_menu_of_a_cook_who_seldom_posts_is_among_the_first_ten():
    loud = [scored(1000 - n, n % 7, 100 - n / 10) for n in range(290)]
    rare = scored(1, 99, 0.001, age=60)
    placed = spread([*loud, rare], NOW)
    assert [one.post_id for one in placed].index(1) == ROW - 1
    assert [one.lifted for one in placed].count(True) == 1


def test_so_are_several_one_in_each_ten():
    loud = [scored(1000 - n, n % 7, 100 - n / 10) for n in range(100)]
    rare = [scored(n, 100 + n, 0.001, age=60) for n in (1, 2, 3)]
    placed = [one.post_id for one in spread(best_first([*loud, *rare]), NOW)]
    assert [placed.index(n) for n in (3, 2, 1)] == [9, 19, 29]


def test_who_stands_among_the_first_ten_anyway_needs_no_lift():
    rare = scored(999, 99, 50, age=60)
    later = scored(998, 98, 0.5, age=60)
    loud = [scored(n, n % 7, 10 - n / 100) for n in range(1, 60)]
    placed = spread(best_first([rare, later, *loud]), NOW)
    assert placed[0].post_id == 999
    assert not placed[9].lifted
    assert placed[19].post_id == 998


class TestRepetitions:
    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            ("Soup of the day and rice", "Soup of the day and rice"),
            ("Feijoada com arroz e laranja hoje", "Feijoada com arroz e laranja, hoje"),
            ("SOUP of the day  and rice", "soup of the day and rice"),
            ("rice and soup of the day", "soup of the day and rice"),
            ("Menu 12: soup of the day and rice", "Menu 12: rice and soup of the day"),
        ],
    )
    def test_the_newest_stands_for_them(self, older, newer):
        menus = [Candidate(1, 7, NOW, older), Candidate(2, 7, NOW, newer)]
        assert repetitions(menus) == {1}
        assert repetitions(menus[::-1]) == {1}

    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            ("Soup of the day and rice", "Roast duck with oranges"),
            ("Ready from twelve, table 12.", "Ready from twelve, table 13."),
            ("", ""),
            ("Soup", "Soup and bread"),
        ],
    )
    def test_another_menu(self, older, newer):
        assert repetitions([Candidate(1, 7, NOW, older), Candidate(2, 7, NOW, newer)]) == set()

    def test_of_another_cook(self):
        assert (
            repetitions([Candidate(1, 7, NOW, "Soup of the day"), Candidate(2, 8, NOW, "Soup of the day")])
            == set()
        )

    def test_what_is_left_out_is_the_older_wherever_it_stands(self):
        best = scored(1, 7, 9.0, words="Soup of the day and rice")
        newest = scored(2, 7, 1.0, words="Soup of the day and rice")
        other = scored(3, 8, 5.0, words="Soup of the day and rice")
        assert [one.post_id for one in arrange([best, other, newest], NOW)] == [3, 2]
