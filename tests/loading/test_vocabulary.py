from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from feeds.loading.menus import some_menu
from feeds.loading.people import Usernames, slug, some_bio, some_cook
from feeds.loading.vocabulary import Cuisine, cities, cuisines, neighbours, peoples
from posts.models import TAGS
from social.models import username_rule

CUISINES = list(cuisines().values())


@pytest.mark.parametrize("cuisine", CUISINES, ids=lambda cuisine: cuisine.name)
def test_every_dish_can_be_stored_and_shown(cuisine: Cuisine) -> None:
    dishes = [*cuisine.mains, *cuisine.sides, *cuisine.sweets]
    assert cuisine.people in peoples()
    assert len({dish.name for dish in dishes}) == len(dishes)
    for dish in dishes:
        assert 0 < len(dish.name) <= 120
        assert Decimal(1) < dish.price < Decimal(30)
        assert set(dish.tags) <= set(TAGS)
        drawing = Path(settings.BASE_DIR) / "templates/static/demo" / f"{dish.picture}.svg"
        assert not dish.picture or drawing.exists()


def test_vegan_dishes_are_vegetarian_too() -> None:
    for cuisine in CUISINES:
        for dish in (*cuisine.mains, *cuisine.sides, *cuisine.sweets):
            assert "vegan" not in dish.tags or "vegetarian" in dish.tags, dish.name


def test_no_vegetarian_dish_is_shown_by_meat_or_fish() -> None:
    with_meat_or_fish = {"fish", "grill", "meatballs", "noodles", "rice", "rolls", "sandwich", "stew"}
    for cuisine in CUISINES:
        for dish in (*cuisine.mains, *cuisine.sides, *cuisine.sweets):
            assert "vegetarian" not in dish.tags or dish.picture not in with_meat_or_fish, dish.name


@pytest.mark.parametrize("cuisine", CUISINES, ids=lambda cuisine: cuisine.name)
def test_menus_have_two_to_six_different_dishes(cuisine: Cuisine) -> None:
    random = Random(2)
    for _ in range(200):
        names = [dish["name"] for dish in some_menu(random, cuisine).dishes]
        assert 2 <= len(names) <= 6
        assert len(set(names)) == len(names)


def test_usernames_are_valid_and_never_given_twice() -> None:
    usernames, taken = Usernames({"lina.moreau"}), set()
    for people in peoples().values():
        for given in people.given:
            for family in people.family:
                taken.add(usernames.take(f"{given} {family}"))
    assert "lina.moreau" not in taken
    assert "lina.moreau2" in taken
    assert len(taken) >= sum(len(people.given) * len(people.family) for people in peoples().values())
    for username in taken:
        username_rule(username)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Élodie Lefèvre", "elodie.lefevre"),
        ("Amina El Idrissi", "amina.elidrissi"),
        ("Şule Yıldız", "sule.yildiz"),
    ],
)
def test_names_become_plain_letters(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_profiles_fit_their_columns() -> None:
    for city in cities():
        for cuisine in CUISINES:
            assert len(some_bio(Random(1), cuisine.name, city)) <= 500
    for neighbour in neighbours():
        assert neighbour.cuisine in cuisines()
        assert neighbour.city in {city.name for city in cities()}
        username_rule(neighbour.username)


def test_the_same_seed_makes_the_same_cook() -> None:
    assert some_cook(Random(3), Usernames()) == some_cook(Random(3), Usernames())
