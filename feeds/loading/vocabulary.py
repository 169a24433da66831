"""The word lists of words/*.txt as frozen values. Text files, so that anybody who cooks may correct them.

Everything random takes its `Random` from the caller: the same seed says the same words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random

_FOLDER = Path(__file__).parent / "words"


@dataclass(frozen=True, slots=True)
class People:
    """Given and family names that go together."""

    given: tuple[str, ...]
    family: tuple[str, ...]

    def name(self, random: Random) -> str:
        return f"{random.choice(self.given)} {random.choice(self.family)}"


@dataclass(frozen=True, slots=True)
class City:
    name: str
    currency: str
    neighbourhoods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownDish:
    """A dish as the list has it; `picture` says which kind of picture shows it, empty if none does."""

    name: str
    price: Decimal
    tags: tuple[str, ...]
    picture: str


@dataclass(frozen=True, slots=True)
class Cuisine:
    name: str
    people: str
    mains: tuple[KnownDish, ...]
    sides: tuple[KnownDish, ...]
    sweets: tuple[KnownDish, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A cook of the demo."""

    username: str
    display_name: str
    city: str
    cuisine: str
    bio: str


@cache
def peoples() -> dict[str, People]:
    """People by name, in the order of the file."""
    return {heading: _people(lines) for heading, lines in _sections("names.txt")}


@cache
def cities() -> tuple[City, ...]:
    return tuple(
        City(name, currency, tuple(_split(places, ",")))
        for name, currency, places in (_split(line, "|") for line in _lines("places.txt"))
    )


@cache
def cuisines() -> dict[str, Cuisine]:
    """Cuisines by name, in the order of the file."""
    return {
        cuisine.name: cuisine for cuisine in (_cuisine(*section) for section in _sections("cuisines.txt"))
    }


@cache
def notes(kind: str) -> tuple[str, ...]:
    """Sentences: `noon` and `evening` above menus, `bio` (with {cuisine} and {place}) on profiles."""
    return tuple(dict(_sections("notes.txt"))[kind])


@cache
def neighbours() -> tuple[Neighbour, ...]:
    """The cooks of the demo; the first is the one whose login is documented."""
    return tuple(Neighbour(*_split(line, "|")) for line in _lines("neighbourhood.txt"))


def _people(lines: list[str]) -> People:
    lists = dict(_split(line, ":") for line in lines)
    return People(tuple(_split(lists["given"], ",")), tuple(_split(lists["family"], ",")))


def _cuisine(heading: str, lines: list[str]) -> Cuisine:
    name, people = _split(heading, "|")
    courses: dict[str, list[KnownDish]] = {"main": [], "side": [], "sweet": []}
    for line in lines:
        course, dish, price, tags, picture = _split(line, "|")
        courses[course].append(KnownDish(dish, Decimal(price), tuple(tags.split()), picture))
    return Cuisine(name, people, *(tuple(courses[course]) for course in ("main", "side", "sweet")))


def _sections(file: str) -> Iterator[tuple[str, list[str]]]:
    heading, lines = "", list[str]()
    for line in [*_lines(file), "= "]:
        if not line.startswith("= "):
            lines.append(line)
            continue
        if heading:
            yield heading, lines
        heading, lines = line[2:].strip(), []


def _lines(file: str) -> Iterator[str]:
    for line in (_FOLDER / file).read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def _split(line: str, separator: str) -> list[str]:
    return [part.strip() for part in line.split(separator)]
