"""Cards by table: days, headings, prices. Nothing runs."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from posts.cards import day_cards, day_in_address
from posts.templatetags.menus import price, tag_name, telling
from social.templatetags.people import initials
from social.times import day_name, exact_time, until

TODAY = date(2026, 3, 10)


def post(created_at: str, day: str = "2026-03-10", dishes: int = 0) -> dict:
    return {
        "id": 1,
        "created_at": created_at,
        "day": day,
        "dishes": [{"name": str(n), "tags": [], "sold_out": False} for n in range(dishes)],
    }


def headings(*times: str, zone: str = "UTC", after: date | None = None) -> list[str]:
    return [
        card.heading for card in day_cards(map(post, times), zone=ZoneInfo(zone), today=TODAY, after=after)
    ]


def test_each_day_is_headed_once():
    times = ("2026-03-10T09:00:00Z", "2026-03-10T08:00:00Z", "2026-03-09T08:00:00Z", "2026-03-01T08:00:00Z")
    assert headings(*times) == ["Today", "", "Yesterday", "Sunday, 1 March"]


def test_days_begin_at_the_viewers_midnight():
    assert headings("2026-03-10T02:00:00Z", zone="America/Sao_Paulo") == ["Yesterday"]
    assert headings("2026-03-09T23:30:00Z", zone="Europe/Berlin") == ["Today"]


def test_a_day_that_is_headed_above_is_not_headed_again():
    assert headings("2026-03-10T09:00:00Z", "2026-03-09T09:00:00Z", after=TODAY) == ["", "Yesterday"]


@pytest.mark.parametrize(
    ("day", "words"),
    [("2026-03-10", ""), ("2026-03-11", "For tomorrow"), ("2026-03-14", "For Saturday, 14 March")],
)
def test_a_menu_for_another_day_says_so(day, words):
    [card] = day_cards([post("2026-03-10T09:00:00Z", day)], zone=UTC, today=TODAY)
    assert card.for_day == words


@pytest.mark.parametrize(("dishes", "shown", "more"), [(0, 0, 0), (4, 4, 0), (5, 4, 1), (7, 4, 3)])
def test_a_card_has_at_most_four_dishes(dishes, shown, more):
    [card] = day_cards([post("2026-03-10T09:00:00Z", dishes=dishes)], zone=UTC, today=TODAY)
    assert (len(card.dishes), card.more) == (shown, more)


def test_another_year_is_named():
    assert day_name(date(2025, 3, 9), TODAY) == "Sunday, 9 March 2025"


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (datetime(2026, 3, 10, 23, 49), "until 23:49"),
        (datetime(2026, 3, 11, 9, 42), "until tomorrow, 9:42"),
        (datetime(2026, 3, 17, 9, 42), "until Tuesday, 17 March, 9:42"),
        (datetime(2027, 1, 1, 0, 5), "until Friday, 1 January 2027, 0:05"),
    ],
)
def test_an_end_is_named_as_people_say_it(end, words):
    assert until(end, TODAY) == words


@pytest.mark.parametrize(
    ("amount", "currency", "language", "words"),
    [
        ("9.50", "EUR", "en", "€9.50"),
        ("1234.50", "GBP", "en", "£1,234.50"),
        ("9.50", "BRL", "pt-br", "R$\u00a09,50"),
        ("900.00", "JPY", "en", "¥900"),
        ("9000.00", "KRW", "en", "₩9,000"),
        ("1500.00", "ISK", "en", "ISK\u00a01,500"),
        ("1500.00", "XOF", "en", "XOF\u00a01,500"),
        ("9.50", "KRW", "en", "₩9.50"),
        ("9.50", "CZK", "en", "CZK\u00a09.50"),
    ],
)
def test_prices_are_written_as_the_reader_writes_them(amount, currency, language, words):
    with translation.override(language):
        assert price({"price": amount, "currency": currency}) == words


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Ana", "A"), ("Ana de Sousa", "AS"), ("čeněk", "Č"), ("", ""), ("✨ mei", "M"), ("نور", "ن")],
)
def test_initials(name, letters):
    assert initials(name) == letters


def test_small_words():
    assert telling(["vegan", "vegetarian", "spicy"]) == ["vegan", "spicy"]
    assert telling(["vegetarian"]) == ["vegetarian"]
    assert tag_name("gluten_free") == "gluten free"
    assert tag_name("future_tag") == "future tag"
    assert day_in_address("2026-13-45") is None
    moment = datetime(2026, 3, 10, 9, 5, tzinfo=timezone(timedelta(hours=1), "CET"))
    assert exact_time(moment) == "Tuesday, 10 March 2026, 9:05 (CET)"
