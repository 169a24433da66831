"""Believable people: names, usernames that are free, where they live, what they say of themselves."""

import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from random import Random

from feeds.loading.vocabulary import City, Cuisine, cities, cuisines, notes, peoples

# Letters that do not fall apart into a base letter and an accent.
_PLAIN = str.maketrans({"ł": "l", "Ł": "l", "ı": "i", "đ": "d", "Đ": "d", "ø": "o", "ß": "ss", "æ": "ae"})


@dataclass(frozen=True, slots=True)
class Person:
    display_name: str
    username: str
    city: City


@dataclass(frozen=True, slots=True)
class Cook:
    """A person who cooks; `bio` is what the profile says."""

    person: Person
    cuisine: Cuisine
    bio: str


class Usernames:
    """Gives each person a username of her own: `lina.moreau`, then `lina.moreau2`, `lina.moreau3` …"""

    def __init__(self, taken: Container[str] = ()) -> None:
        self._taken = taken
        self._numbers: dict[str, int] = {}

    def take(self, display_name: str) -> str:
        base = slug(display_name)
        while True:
            number = self._numbers.get(base, 0) + 1
            self._numbers[base] = number
            username = base if number == 1 else f"{base}{number}"
            if username not in self._taken:
                return username


def slug(display_name: str) -> str:
    """`Élodie Lefèvre` as `elodie.lefevre`; at most 24 characters, which leaves room for a number."""
    plain = (
        unicodedata.normalize("NFKD", display_name.translate(_PLAIN).lower())
        .encode("ascii", "ignore")
        .decode()
    )
    first, *rest = ("".join(filter(str.isalnum, word)) for word in plain.split())
    return ".".join(filter(None, (first, "".join(rest))))[:24].rstrip(".")


def some_person(random: Random, usernames: Usernames, *, people: str | None = None) -> Person:
    """Somebody of `people`, or of any."""
    known = peoples()
    name = known[people or random.choice(list(known))].name(random)
    return Person(name, usernames.take(name), random.choice(cities()))


def some_cook(random: Random, usernames: Usernames) -> Cook:
    cuisine = random.choice(list(cuisines().values()))
    person = some_person(random, usernames, people=cuisine.people)
    return Cook(person, cuisine, some_bio(random, cuisine.name, person.city))


def some_bio(random: Random, cuisine: str, city: City) -> str:
    place = f"{random.choice(city.neighbourhoods)}, {city.name}"
    return random.choice(notes("bio")).format(cuisine=cuisine, place=place)
