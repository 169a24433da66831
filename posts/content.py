"""What may stand on a menu. Values in, values out; InvalidInput, by field, says what may not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from posts.models import END_OF_DAYS, FIRST_DAY, MAX_DISHES, MAX_PHOTOS, TEXT_LENGTH, Dish
from social.errors import InvalidInput
from social.text import clean_text

DISH_FIELDS = ("position", "name", "price", "currency", "tags", "sold_out")
NOT_SAVED = _("The menu was not saved.")


def clean_menu_text(text: str) -> str:
    """`text` trimmed and fit to be stored and shown."""
    try:
        return clean_text(text, max_length=TEXT_LENGTH, multiline=True)
    except ValueError as error:
        raise InvalidInput(NOT_SAVED, errors={"text": [str(error)]}) from None


def check_menu(*, text: str, day: date | None, dishes: int, photos: int = 0) -> None:
    """A menu has something to say, a day that pages can show, and not too many dishes and photos."""
    if not text and not dishes:
        raise InvalidInput(NOT_SAVED, errors={"text": [_("Write a text or add a dish.")]})
    if day is not None and not FIRST_DAY <= day < END_OF_DAYS:
        years = {"first": FIRST_DAY.year, "last": END_OF_DAYS.year - 1}
        message = gettext("Must be from %(first)d to %(last)d.") % years
        raise InvalidInput(NOT_SAVED, errors={"day": [message]})
    if dishes > MAX_DISHES or photos > MAX_PHOTOS:
        most = {"dishes": MAX_DISHES, "photos": MAX_PHOTOS}
        raise InvalidInput(gettext("A menu has at most %(dishes)d dishes and %(photos)d photos.") % most)


@dataclass(frozen=True, slots=True)
class DishChanges:
    """What turns the dishes of a menu into others: unsaved rows, changed rows, keys of rows to delete."""

    added: list[Dish]
    changed: list[Dish]
    removed: list[int]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


NO_CHANGES = DishChanges([], [], [])


def dish_changes(post_id: int, current: Iterable[Dish], wanted: Sequence[Mapping[str, Any]]) -> DishChanges:
    """How the dishes `current` of a menu become `wanted`, mappings of Dish's fields in the order they are shown.

    An `id` keeps that dish, and of its fields those that are left out; a dish that no `id` names goes.
    """
    left = {dish.pk: dish for dish in current}
    added, changed = [], []
    for position, given in enumerate(wanted):
        fields = {"position": position} | {name: value for name, value in given.items() if name != "id"}
        if given.get("id") is None:
            added.append(Dish(post_id=post_id, **fields))
        elif (dish := left.pop(given["id"], None)) is None:
            message = _("This menu has no such dish, or it is named twice. Look at the menu again.")
            raise InvalidInput(NOT_SAVED, errors={"dishes": [message]})
        elif _take(dish, fields):
            changed.append(dish)
    return DishChanges(added, changed, list(left))


def _take(dish: Dish, fields: Mapping[str, Any]) -> bool:
    """Give a dish new values; whether any is another than before."""
    different = {name: value for name, value in fields.items() if getattr(dish, name) != value}
    for name, value in different.items():
        setattr(dish, name, value)
    return bool(different)
