"""The dishes of a form, a row each: as typed, with a row more or less, and as the service takes them.

A row may be taken out and put back without scripts: each is a submit, which gives the form back as it was but for
that row. Nothing is kept in between; what was taken out is in the button that puts it back.
"""

import json
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.forms.models import model_to_dict
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from posts.currencies import decimals_of
from posts.models import MAX_DISHES, TAGS, Dish, Post
from posts.templatetags.menus import SYMBOLS, tag_name
from social.forms import TextField

CURRENCIES = (
    "EUR", "USD", "GBP", "BRL", "ARS", "AUD", "CAD", "CHF", "CLP", "COP", "CZK", "DKK", "INR", "JPY", "KRW",
    "MXN", "NOK", "PEN", "PLN", "RON", "SEK", "TRY", "UYU", "ZAR",
)  # fmt: skip
PREFIX = "dishes"
FIRST_ROWS = 4
FIELDS = ("id", "name", "price", "currency", "tags", "sold_out")
PUT_BACK_LENGTH = 5000  # characters of a row in the button that puts it back

Row = dict[str, list[str]]  # field -> what was typed

_MONEY = "|".join(map(re.escape, sorted(SYMBOLS.values(), key=len, reverse=True)))
_AROUND = re.compile(rf"^(?:{_MONEY})\s*|\s*(?:{_MONEY})$")


class PriceField(forms.DecimalField):
    """A price as people write it: "9.50", "9,50", "1.234,50", "€ 9,50"."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(_plain(value) if isinstance(value, str) else value)


def _plain(price: str) -> str:
    """With a point before the cents, and no sign of money. Of point and comma the last is before the cents."""
    digits = _AROUND.sub("", price.strip())
    point, comma = digits.rfind("."), digits.rfind(",")
    if point >= 0 and comma >= 0:
        digits = digits.replace("," if point > comma else ".", "")
    return digits.replace(",", ".") if digits.count(",") == 1 else digits


class DishForm(forms.Form):
    """One row. A row without name and price is not a dish, whatever else is ticked in it. `id` keeps a dish of a menu
    that is edited; `currency` is its own only on menus that mix several.
    """

    id = forms.IntegerField(required=False, widget=forms.HiddenInput)
    name = TextField(label=_("Dish"), max_length=120, required=False)
    price = PriceField(
        label=_("Price"),
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    currency = forms.ChoiceField(label=_("Currency"), required=False)
    tags = forms.MultipleChoiceField(
        label=_("Good to know"), required=False, widget=forms.CheckboxSelectMultiple
    )
    sold_out = forms.BooleanField(label=_("Sold out"), required=False)

    def __init__(self, *args: Any, currencies: Sequence[str] = CURRENCIES, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # At each use, since the names are in the reader's language.
        tags, currency = self.fields["tags"], self.fields["currency"]
        assert isinstance(tags, forms.MultipleChoiceField)
        tags.choices = [(tag, tag_name(tag)) for tag in TAGS]
        assert isinstance(currency, forms.ChoiceField)
        currency.choices = [(code, code) for code in currencies]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, price = cleaned.get("name"), cleaned.get("price")
        if name and price is None and "price" not in self.errors:
            self.add_error("price", _("What does it cost?"))
        if price is not None and not name and "name" not in self.errors:
            self.add_error("name", _("What is it called?"))
        return cleaned


class BaseDishFormSet(forms.BaseFormSet):
    """`mixed`: each row has a currency of its own."""

    mixed = False

    def dishes(self, currency: str, *, kept: bool) -> list[dict[str, Any]]:
        """The rows that are filled in, as the service takes them; `currency` where a row names none. With `kept`, a
        row's `id` keeps that dish.
        """
        rows = [form.cleaned_data for form in self.forms]
        filled = [row for row in rows if row.get("name") and row.get("price") is not None]
        left_out = set() if kept else {"id"}
        return [
            {name: value for name, value in row.items() if name not in left_out}
            | {"currency": row["currency"] or currency}
            for row in filled
        ]


_Rows = cast(
    type[BaseDishFormSet],
    forms.formset_factory(
        DishForm, formset=BaseDishFormSet, extra=0, max_num=MAX_DISHES, absolute_max=MAX_DISHES
    ),
)


def typed_rows(data: Any, *, currencies: Sequence[str] = CURRENCIES) -> BaseDishFormSet:
    """The rows of what was sent. Data that names no rows has none filled in."""
    rows = _rows_in(data)
    made = _Rows(_with_rows(data, rows), prefix=PREFIX, form_kwargs={"currencies": currencies})
    made.mixed = any("currency" in row for row in rows)
    return made


def rows_of(dishes: Sequence[Dish], *, empty: int, again: bool = False) -> BaseDishFormSet:
    """Rows filled in with dishes, and empty ones beside them. `again`: for another menu, nothing of it sold out."""
    filled = [_filled_in(dish, again=again) for dish in dishes]
    mixed = len({dish.currency for dish in dishes}) > 1
    if mixed:
        filled += [{"currency": most_used(dishes)}] * empty
        empty = 0
    made = _Rows(
        prefix=PREFIX,
        initial=filled[:MAX_DISHES],
        form_kwargs={"currencies": currencies_with(dishes)},
    )
    made.extra, made.mixed = empty, mixed
    return made


def most_used(dishes: Iterable[Dish]) -> str:
    """The currency of most of these dishes; empty without any."""
    codes = [dish.currency for dish in dishes]
    return max(codes, key=codes.count, default="")


def currencies_with(dishes: Iterable[Dish]) -> list[str]:
    """What there is to choose from, with those that dishes have already."""
    return [*CURRENCIES, *sorted({dish.currency for dish in dishes} - set(CURRENCIES))]


def dishes_of(post: Post) -> list[Dish]:
    return list(post.dishes.all())


def _filled_in(dish: Dish, *, again: bool) -> dict[str, Any]:
    price = number_format(dish.price, decimals_of(dish.price, dish.currency), use_l10n=True)
    row = model_to_dict(dish) | {"price": price}
    return row | {"id": None, "sold_out": False} if again else row


# --- A row more, a row less ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A row that was taken out: what it is called, and what the button that puts it back sends."""

    name: str
    value: str


def add_row(data: Any) -> Any:
    """The same data with an empty row at the end, if there is room for it."""
    rows = _rows_in(data)
    last = rows[-1].get("currency") if rows else None
    return _with_rows(data, [*rows, {"currency": last} if last else {}][:MAX_DISHES])


def take_out_row(data: Any, number: Any) -> tuple[Any, TakenOut | None]:
    """The same data without a row (counted from 0, as typed), and the row unless it was empty."""
    rows = _rows_in(data)
    place = int(number) if str(number).isascii() and str(number).isdecimal() and len(str(number)) < 6 else -1
    if not 0 <= place < len(rows):
        return _with_rows(data, rows), None
    row = rows.pop(place)
    name = "".join(row.get("name", []))[:120].strip() or "".join(row.get("price", []))[:20].strip()
    value = json.dumps([place, row], separators=(",", ":"))
    fits = bool(name) and len(value) <= PUT_BACK_LENGTH
    return _with_rows(data, rows), TakenOut(name, value) if fits else None


def put_row_back(data: Any, value: str) -> tuple[Any, int]:
    """The same data with a row that was taken out, and its number; damage puts nothing back."""
    rows = _rows_in(data)
    try:
        place, row = json.loads(value[:PUT_BACK_LENGTH])
        row = {str(name): [str(word) for word in words] for name, words in row.items() if name in FIELDS}
        place = min(max(int(place), 0), len(rows))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return _with_rows(data, rows), -1
    rows.insert(place, row)
    return _with_rows(data, rows[:MAX_DISHES]), place


def without_ids(data: Any, *, keep: Container[int]) -> Any:
    """The same data, with no `id` that is not among these."""
    rows = _rows_in(data)
    for row in rows:
        if not any(
            word.isascii() and word.isdecimal() and int(word[:19]) in keep for word in row.get("id", [])
        ):
            row.pop("id", None)
    return _with_rows(data, rows)


def _rows_in(data: Any) -> list[Row]:
    rows: list[Row] = []
    for n in range(_row_count(data)):
        typed = {field: data.getlist(f"{PREFIX}-{n}-{field}") for field in FIELDS}
        rows.append({field: words for field, words in typed.items() if words})
    return rows


def _with_rows(data: Any, rows: Sequence[Row]) -> Any:
    """`data` with exactly these rows."""
    made = data.copy()
    for name in [name for name in made if name.startswith(f"{PREFIX}-")]:
        del made[name]
    for n, row in enumerate(rows):
        for field, words in row.items():
            made.setlist(f"{PREFIX}-{n}-{field}", words)
    made[f"{PREFIX}-TOTAL_FORMS"] = str(len(rows))
    made[f"{PREFIX}-INITIAL_FORMS"] = "0"
    return made


def _row_count(data: Any) -> int:
    """How many rows were sent; damage is none."""
    value = str(data.get(f"{PREFIX}-TOTAL_FORMS", ""))
    count = int(value) if value.isascii() and value.isdecimal() and len(value) < 6 else 0
    return min(count, MAX_DISHES)
