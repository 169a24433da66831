"""Believable menus: a few dishes of one kitchen, with prices, a word from the cook, sometimes a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from feeds.loading.pictures import picture_of
from feeds.loading.vocabulary import Cuisine, KnownDish, cuisines, notes

_STEP = Decimal("0.10")


@dataclass(frozen=True, slots=True)
class Menu:
    """The arguments of posts.services.publish_post: dishes and photos as mappings of their models' fields."""

    text: str
    dishes: tuple[dict[str, Any], ...]
    photos: tuple[dict[str, Any], ...]


def some_menu(
    random: Random, cuisine: Cuisine, *, evening: bool = False, currency: str = "EUR", pictured: float = 0.7
) -> Menu:
    """A menu of two to six dishes; `pictured` is the share that shows a dish of it, if one was drawn."""
    chosen = _some_dishes(random, cuisine)
    level = Decimal(random.randint(-10, 15)) / 100  # some kitchens and days are dearer
    dishes = tuple(_dish(dish, level, currency) for dish in chosen)
    photo = next(filter(None, map(picture_of, chosen)), None) if random.random() < pictured else None
    return Menu(_some_text(random, evening), dishes, (photo,) if photo else ())


def cuisine_named(name: str, random: Random) -> Cuisine:
    """The cuisine of that name, or any if nobody here cooks it."""
    known = cuisines()
    return known.get(name) or random.choice(list(known.values()))


def _some_dishes(random: Random, cuisine: Cuisine) -> list[KnownDish]:
    mains = random.sample(cuisine.mains, random.choice((1, 1, 2, 2, 3)))
    sides = random.sample(cuisine.sides, random.choice((1, 1, 2)))
    sweets = random.sample(cuisine.sweets, random.choice((0, 0, 1)))
    return mains + sides + sweets


def _dish(dish: KnownDish, level: Decimal, currency: str) -> dict[str, Any]:
    steps = max(1, round(dish.price * (1 + level) / _STEP))
    price = (steps * _STEP).quantize(Decimal("0.01"))
    return {"name": dish.name, "price": price, "currency": currency, "tags": list(dish.tags)}


def _some_text(random: Random, evening: bool) -> str:
    """One sentence or two; now and then none, as busy cooks do."""
    sentences: Iterator[str] = iter(random.sample(notes("evening" if evening else "noon"), 2))
    wanted = random.choice((0, 1, 1, 1, 1, 1, 1, 2))
    return " ".join(next(sentences) for _ in range(wanted))
