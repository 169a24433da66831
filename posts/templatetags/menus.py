"""Prices, times and tags of menus, as the reader's language writes them."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django import template
from django.utils.formats import date_format, number_format, time_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

register = template.Library()

SYMBOLS = {
    "EUR": "€", "USD": "$", "GBP": "£", "BRL": "R$", "JPY": "¥", "INR": "₹", "MXN": "MX$", "CAD": "CA$",
    "AUD": "A$", "KRW": "₩", "TRY": "₺", "UAH": "₴", "ILS": "₪", "VND": "₫", "NGN": "₦",
}  # fmt: skip
WITHOUT_CENTS = {"JPY", "KRW", "VND", "CLP"}


@register.filter
def price(dish: dict[str, Any]) -> str:
    """`{price: "9.50", currency: "EUR"}` as "€9.50", "€ 9,50" and so on."""
    amount, currency = Decimal(dish["price"]), dish["currency"]
    decimals = 0 if currency in WITHOUT_CENTS and amount == int(amount) else 2
    digits = number_format(amount, decimal_pos=decimals, use_l10n=True, force_grouping=True)
    symbol = SYMBOLS.get(currency, currency)
    close = (get_language() or "en").startswith("en") and symbol != currency
    return f"{symbol}{digits}" if close else f"{symbol}\u00a0{digits}"


@register.filter
def telling(tags: list[str]) -> list[str]:
    """The tags worth their room: what is vegan is vegetarian anyway."""
    return [tag for tag in tags if tag != "vegetarian" or "vegan" not in tags]


@register.filter
def tag_name(tag: str) -> str:
    """A tag in words; an unknown one is shown as it is."""
    names = {
        "vegetarian": _("vegetarian"), "vegan": _("vegan"), "halal": _("halal"), "kosher": _("kosher"),
        "gluten_free": _("gluten free"), "dairy_free": _("dairy free"),
        "contains_nuts": _("contains nuts"), "spicy": _("spicy"),
    }  # fmt: skip
    return names.get(tag, tag.replace("_", " "))


@register.filter
def clock(moment: datetime) -> str:
    """ "9:42", in the zone `moment` is in."""
    return time_format(moment, _("G:i"))


@register.filter
def exact_time(moment: datetime) -> str:
    """For hovering and for screen readers: day, time and zone."""
    return f"{date_format(moment, _('l, j F Y'))}, {time_format(moment, _('G:i'))} ({moment:%Z})"
