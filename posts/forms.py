"""The form of a menu: a text, a day, dishes as rows; and when it is new, a picture."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.conf import settings
from django.forms.models import model_to_dict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from posts.currencies import decimals_of
from posts.models import ALT_LENGTH, MAX_DISHES, REASON_LENGTH, TAGS, TEXT_LENGTH, Dish, Post
from posts.templatetags.menus import tag_name
from social.forms import TextField
from social.selectors import BIGINT_MAX

CURRENCIES = (
    "EUR", "USD", "GBP", "BRL", "ARS", "AUD", "CAD", "CHF", "CLP", "COP", "CZK", "DKK", "INR", "JPY", "KRW",
    "MXN", "NOK", "PEN", "PLN", "RON", "SEK", "TRY", "UYU", "ZAR",
)  # fmt: skip
FIRST_ROWS = 4
MORE_ROWS = 1


class PriceField(forms.DecimalField):
    """A price with a point or a comma before the cents."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value.count(",") == 1 and "." not in value:
            value = value.replace(",", ".")
        return super().to_python(value)


class MenuForm(forms.Form):
    text = TextField(
        label=_("What is it about?"),
        max_length=TEXT_LENGTH,
        multiline=True,
        required=False,
        help_text=_("A sentence or two; where to fetch it, until when."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    day = forms.DateField(
        label=_("For which day?"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class NewMenuForm(MenuForm):
    """`once` is drawn for each form that is shown: sent twice, it publishes once. `kept` is a photo that an earlier
    attempt has uploaded already, when something else was not right.
    """

    photo = forms.FileField(
        label=_("Photo"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": "image/jpeg,image/png,image/webp,image/gif"}),
    )
    photo_alt = TextField(
        label=_("What is on the photo?"),
        max_length=ALT_LENGTH,
        required=False,
        help_text=_("For people who cannot see it."),
    )
    kept = forms.IntegerField(required=False, min_value=1, max_value=BIGINT_MAX, widget=forms.HiddenInput)
    once = forms.RegexField(r"^[\w-]{1,64}\Z", required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        most = f"{settings.MEDIA_MAX_BYTES / (1 << 20):g}"
        self.fields["photo"].help_text = gettext(
            "JPEG, PNG, WebP or GIF, up to %(most)s MB. What the file says of place and time is removed."
        ) % {"most": most}

    def fill_in(self, **values: Any) -> None:
        """Give fields other values than were sent."""
        data: Any = self.data
        self.data = filled = data.copy()
        for name, value in values.items():
            filled[name] = value

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        pictured = cleaned.get("photo") or cleaned.get("kept")
        if pictured and not cleaned.get("photo_alt") and "photo_alt" not in self.errors:
            self.add_error("photo_alt", _("Say in a few words what is on the photo."))
        return cleaned


class DishForm(forms.Form):
    """One row. A row without name and price is not a dish, whatever else is ticked in it."""

    name = TextField(label=_("Dish"), max_length=120, required=False)
    price = PriceField(
        label=_("Price"),
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    currency = forms.ChoiceField(label=_("Currency"), choices=[(c, c) for c in CURRENCIES], initial="EUR")
    tags = forms.MultipleChoiceField(
        label=_("Good to know"), required=False, widget=forms.CheckboxSelectMultiple
    )
    sold_out = forms.BooleanField(label=_("Sold out"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # At each use, since the names are in the reader's language.
        tags = self.fields["tags"]
        assert isinstance(tags, forms.MultipleChoiceField)
        tags.choices = [(tag, tag_name(tag)) for tag in TAGS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, price = cleaned.get("name"), cleaned.get("price")
        if name and price is None and "price" not in self.errors:
            self.add_error("price", _("What does it cost?"))
        if price is not None and not name and "name" not in self.errors:
            self.add_error("name", _("What is it called?"))
        return cleaned


class EditedDishForm(DishForm):
    """A row of a menu that is edited: `id` keeps that dish. The menu's own currencies are offered too."""

    id = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, more_currencies: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        currency = self.fields["currency"]
        assert isinstance(currency, forms.ChoiceField)
        currency.choices = [(code, code) for code in (*CURRENCIES, *more_currencies)]


class ReportForm(forms.Form):
    reason = TextField(
        label=_("What is wrong with it?"),
        max_length=REASON_LENGTH,
        multiline=True,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class BaseDishFormSet(forms.BaseFormSet):
    def dishes(self) -> list[dict[str, Any]]:
        """The rows that are filled in, as the service takes them."""
        rows = [form.cleaned_data for form in self.forms]
        return [row for row in rows if row.get("name") and row.get("price") is not None]


def _rows_class(form: type[DishForm], empty: int) -> type[BaseDishFormSet]:
    made = forms.formset_factory(
        form, formset=BaseDishFormSet, extra=empty, max_num=MAX_DISHES, absolute_max=MAX_DISHES
    )
    return cast(type[BaseDishFormSet], made)


DishFormSet = _rows_class(DishForm, FIRST_ROWS)
EditedDishFormSet = _rows_class(EditedDishForm, MORE_ROWS)


def dish_rows(data: Any = None, *, more: int = 0) -> BaseDishFormSet:
    """The rows of a new menu, empty or as typed, with `more` beside those."""
    return DishFormSet(_counted(data, more), prefix="dishes")


def rows_of(post: Post, data: Any = None, *, more: int = 0) -> BaseDishFormSet:
    """The rows of a menu that is edited: filled in, or as typed with `more` beside those."""
    dishes = [_filled_in(dish) for dish in post.dishes.all()]
    others = sorted({dish["currency"] for dish in dishes} - set(CURRENCIES))
    return EditedDishFormSet(
        _counted(data, more),
        prefix="dishes",
        initial=None if data is not None else dishes,
        form_kwargs={"more_currencies": others},
    )


def _filled_in(dish: Dish) -> dict[str, Any]:
    return model_to_dict(dish) | {"price": f"{dish.price:.{decimals_of(dish.price, dish.currency)}f}"}


def _counted(data: Any, more: int) -> Any:
    """What was typed, with its count of rows in bounds. Data that names no rows has none filled in."""
    if data is not None:
        data = data.copy()
        data["dishes-TOTAL_FORMS"] = str(min(_row_count(data) + more, MAX_DISHES))
        data["dishes-INITIAL_FORMS"] = "0"
    return data


def _row_count(data: Any) -> int:
    value = str(data.get("dishes-TOTAL_FORMS", ""))
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 6 else 0
