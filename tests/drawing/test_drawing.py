"""Charts: what is in the picture, where, and that nothing breaks it."""

import re
from datetime import UTC, datetime
from itertools import pairwise
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from feeds.drawing import Axis, Band, Chart, Line, Mark, draw, draw_file
from feeds.drawing.chart import MOST_ROWS
from feeds.drawing.scales import Scale, number

SVG = "{http://www.w3.org/2000/svg}"


def chart(points, *, log=False, kind="line", **more):
    return Chart(
        "A title",
        Axis("Followers", log=log),
        Axis("Pushes", "a day", log=log),
        [Line("pushes", points, kind)],
        **more,
    )


def parsed(chart_):
    return ElementTree.fromstring(draw(chart_))


def words_in(picture):
    return [text.text for text in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"), (1, "1"), (10_000, "10,000"), (999_999, "999,999"), (1_500_000, "1.5 M"), (2e9, "2 G"),
        (2.5e12, "2.5 T"), (0.5, "0.5"), (0.05, "0.05"), (12.345, "12.3"), (1234.5, "1,234"), (-3, "-3"),
        (float("nan"), "–"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_people_do(value, written):
    assert number(value) == written


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0, 10, False, [0, 2, 4, 6, 8, 10]),
        (0, 0.3, False, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        (3, 97, False, [20, 40, 60, 80]),
        (1, 1_000_000, True, [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]),
        (30, 900, True, [50, 100, 200, 500]),
        (1e-3, 1e9, True, [1e-3, 1e-1, 1e1, 1e3, 1e5, 1e7, 1e9]),
    ],
)
def test_ticks_are_round_numbers_inside_the_range(low, high, log, ticks):
    assert Scale(low, high, 0, 100, log).ticks() == pytest.approx(ticks)


def test_a_scale_is_straight_in_what_it_measures():
    assert [Scale(1, 10_000, 0, 400, log=True).at(value) for value in (1, 10, 10_000)] == pytest.approx(
        [0, 100, 400]
    )
    assert [Scale(0, 50, 300, 0).at(value) for value in (0, 25, 50, 99)] == [300, 150, 0, 0]


def test_ticks_of_time_are_whole_minutes_of_the_current_zone():
    start = datetime(2026, 5, 3, 11, 58, 20, tzinfo=UTC).timestamp()
    with timezone.override(ZoneInfo("Asia/Kolkata")):
        times = Chart(
            "t", Axis("Time", times=True), Axis("Lag"), [Line("lag", [(start, 1), (start + 3600, 2)])]
        )
        assert [word for word in words_in(parsed(times)) if word and ":" in word] == [
            "17:30",
            "17:40",
            "17:50",
            "18:00",
            "18:10",
            "18:20",
        ]


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("kind", ["line", "steps", "dots", "bars", "area"])
@pytest.mark.parametrize(
    "points", [[], [(1, 1)], [(0, 0), (5, 0)], [(2, 7), (2, 7)], [(1, 1e9), (1e9, 1e-9)], [(-4, -2), (3, 5)]]
)
def test_whatever_the_data_are_there_is_a_picture_and_nothing_leaves_it(points, kind, log):
    for text in (draw(chart(points, kind=kind, log=log)), draw_file(chart(points, kind=kind, log=log))):
        assert "nan" not in text
        assert "inf" not in text
        picture = ElementTree.fromstring(text.encode())
        for element in picture.iter():
            for name in ("x", "cx"):
                assert -1 <= float(element.get(name, 0)) <= 721
            for name in ("y", "cy"):
                assert -1 <= float(element.get(name, 0)) <= 321


def test_what_a_logarithm_cannot_show_is_left_out_and_said():
    some = chart([(1, 0), (10, 5), (0, 5), (100, 9)], log=True)
    assert some.left_out == 2
    assert "Not drawn, since it is not above zero: 2 of the values." in some.summary
    assert chart([(1, 0), (10, 5)]).summary == ""


def test_nothing_drawn_is_said():
    assert "Nothing to draw yet" in words_in(parsed(chart([])))


def test_marks_are_drawn_where_they_are_and_their_labels_apart():
    marks = [
        Mark(100, "now 100", kind="current"),
        Mark(110, "suggested 110", kind="suggested"),
        Mark(5, "at most 5", axis="y"),
    ]
    picture = parsed(chart([(10, 1), (1000, 10)], log=True, marks=marks, bands=[Band(50, 500, "good")]))
    lines = {
        element.get("class"): element.get("d")
        for element in picture.iter(f"{SVG}path")
        if "mark" in element.get("class", "")
    }
    where = {kind: float(re.match(r"M([\d.]+) ", d)[1]) for kind, d in lines.items()}
    assert where["mark current"] < where["mark suggested"]
    heights = [
        float(text.get("y"))
        for text in picture.iter(f"{SVG}text")
        if text.get("class", "").startswith("mark-label") and text.get("text-anchor") == "middle"
    ]
    assert len(set(heights)) == 2  # they would lie on each other in one row
    assert "good" in words_in(picture)


def test_labels_of_lines_that_end_together_are_moved_apart():
    lines = [Line(f"line {n}", [(0, 0), (10, 5)]) for n in range(3)]
    picture = parsed(Chart("t", Axis("x"), Axis("y"), lines))
    heights = sorted(
        float(text.get("y")) for text in picture.iter(f"{SVG}text") if "label" in text.get("class", "")
    )
    assert len(heights) == 3
    assert all(later - earlier >= 14 for earlier, later in pairwise(heights))


def test_every_word_is_escaped():
    evil = "</title><script>alert(1)</script>"
    text = draw(
        Chart(
            evil,
            Axis(evil),
            Axis(evil),
            [Line(evil, [(0, 1)]), Line("b", [(1, 2)])],
            [Mark(1, evil)],
            [Band(0, 1, evil)],
            evil,
        )
    )
    assert "<script" not in text
    ElementTree.fromstring(text)
    assert "style=" not in text  # which the pages' content policy forbids


def test_the_table_says_the_same_in_numbers():
    both = Chart(
        "t", Axis("Followers"), Axis("Share", "%"), [Line("a", [(1, 10), (2, 20)]), Line("b", [(2, 5.5)])]
    )
    assert both.table() == (
        ["Followers", "a: Share (%)", "b: Share (%)"],
        [["1", "10", ""], ["2", "20", "5.5"]],
    )
    long = chart([(n, n) for n in range(10_000)])
    rows = long.table()[1]
    assert (len(rows), rows[0][0], rows[-1][0]) == (MOST_ROWS, "0", "9,999")


@pytest.mark.parametrize(("value", "ends"), [(0, (0, 1)), (5, (0, 10)), (-4, (-8, 1))])
def test_a_value_that_is_always_the_same_is_drawn_against_zero(value, ends):
    scale = Scale.over([value, value], 0, 100, log=False)
    assert (scale.low, scale.high) == ends
