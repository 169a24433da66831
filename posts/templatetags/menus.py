"""Prices and tags of menus, as the reader's language writes them."""

from decimal import Decimal
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from posts.cards import all_tags
from posts.currencies import decimals_of

register = template.Library()

SYMBOLS = {
    "EUR": "€", "USD": "$", "GBP": "£", "BRL": "R$", "JPY": "¥", "INR": "₹", "MXN": "MX$", "CAD": "CA$",
    "AUD": "A$", "KRW": "₩", "TRY": "₺", "UAH": "₴", "ILS": "₪", "VND": "₫", "NGN": "₦",
}  # fmt: skip


# Where a symbol alone would be taken for another country's money.
CLEARER = {"pt-br": {"USD": "US$"}}


@register.filter
def price(dish: dict[str, Any]) -> str:
    """`{price: "9.50", currency: "EUR"}` as "€9.50", "€ 9,50" and so on."""
    amount, currency = Decimal(dish["price"]), dish["currency"]
    digits = number_format(
        amount, decimal_pos=decimals_of(amount, currency), use_l10n=True, force_grouping=True
    )
    language = get_language() or "en"
    symbol = CLEARER.get(language, {}).get(currency) or SYMBOLS.get(currency, currency)
    close = language == "en" and symbol != currency
    return f"{symbol}{digits}" if close else f"{symbol}\u00a0{digits}"


@register.filter
def implied(tags: list[str]) -> str:
    """All that a dish with these tags is, for the script that shows which dishes fit."""
    return " ".join(all_tags(tags))


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
