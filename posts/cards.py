"""Menus as cards: what the templates show of a post, in the viewer's days.

Values in, values out: `zone` and `today` are arguments.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from typing import Any

from django.utils.translation import gettext as _

from social.times import clock, date_in_words, day_name

DISHES_ON_A_CARD = 4


@dataclass(frozen=True, slots=True)
class Card:
    """A post dict as the API gives it, and beside it what a page needs to place it.

    `heading` opens a day and is empty within it; `for_day` is set when the menu is for another day than the
    one it was posted on; `dishes` are the first few, `more` counts the others. `order_url` is where its cook takes
    orders, empty where she says nothing. `offers` are the tags of each dish that is still to be had, for who looks
    for some: "vegan vegetarian|halal".
    """

    post: dict[str, Any]
    posted: datetime
    day: date
    heading: str
    for_day: str
    dishes: list[dict[str, Any]]
    more: int
    offers: str = ""
    order_url: str = ""
    when: str = ""
    reasons: tuple[str, ...] = ()


def day_cards(
    posts: Iterable[dict[str, Any]], *, zone: tzinfo, today: date, after: date | None = None
) -> list[Card]:
    """Cards in the given order. `after` is the day whose heading is on the page already."""
    cards: list[Card] = []
    for post in posts:
        posted = posted_at(post).astimezone(zone)
        opens = posted.date() != after
        after = posted.date()
        cards.append(_card(post, posted, day_name(after, today) if opens else "", today))
    return cards


def undated_cards(
    posts: Iterable[dict[str, Any]],
    *,
    zone: tzinfo,
    today: date,
    reasons: Mapping[int, tuple[str, ...]] | None = None,
) -> list[Card]:
    """Cards in an order that is not that of days, each with its day. `reasons` by post."""
    cards = []
    for post in posts:
        posted = posted_at(post).astimezone(zone)
        card, day = _card(post, posted, "", today), posted.date()
        when = clock(posted) if day == today else f"{day_name(day, today)}, {clock(posted)}"
        cards.append(replace(card, when=when, reasons=(reasons or {}).get(post["id"], ())))
    return cards


def with_order_urls(cards: Iterable[Card], order_urls: Mapping[int, str]) -> list[Card]:
    """The same cards with the addresses of their cooks, by account. From a list of many one is sent to https only."""
    found = ((card, order_urls.get(card.post["author"]["id"], "")) for card in cards)
    return [replace(card, order_url=url) if url.startswith("https://") else card for card, url in found]


def single_card(post: dict[str, Any], *, zone: tzinfo, today: date) -> Card:
    """The card of a menu's own page: all dishes, and the day it was posted as heading."""
    [card] = day_cards([post], zone=zone, today=today)
    return Card(post, card.posted, card.day, card.heading, card.for_day, post["dishes"], 0)


def _card(post: dict[str, Any], posted: datetime, heading: str, today: date) -> Card:
    dishes, menu_day = post["dishes"], date.fromisoformat(str(post["day"]))
    shown = DISHES_ON_A_CARD
    for_day = _for_day(menu_day, today) if menu_day != posted.date() else ""
    rest = len(dishes[shown:])
    return Card(post, posted, posted.date(), heading, for_day, dishes[:shown], rest, _offers(dishes))


def _offers(dishes: list[dict[str, Any]]) -> str:
    to_be_had = [dish for dish in dishes if not dish["sold_out"]]
    return "|".join(" ".join(all_tags(dish["tags"])) for dish in to_be_had if dish["tags"])


def all_tags(tags: list[str]) -> list[str]:
    """What is vegan is vegetarian too."""
    return sorted({*tags, *(["vegetarian"] if "vegan" in tags else [])})


def _for_day(day: date, today: date) -> str:
    near = {-1: _("For yesterday"), 0: _("For today"), 1: _("For tomorrow")}
    return near.get((day - today).days) or _("For %(day)s") % {"day": date_in_words(day, today)}


def posted_at(post: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(str(post["created_at"]).replace("Z", "+00:00"))


def day_in_address(value: str | None) -> date | None:
    """A day handed on in an address; None if it is absent or damaged, which only repeats a heading."""
    try:
        return date.fromisoformat(value or "")
    except ValueError:
        return None
