"""How a page draws a person who has no picture."""

import unicodedata
from zlib import crc32

from django import template
from django.utils.formats import number_format

from social.discovery import known_cities

register = template.Library()
register.simple_tag(known_cities)

TINTS = 8  # as many .tint-… as the style sheet has


@register.filter
def initials(name: str) -> str:
    """The first letters of the first and the last word: "Ana de Sousa" is "AS"."""
    letters = [word[0] for word in name.split() if unicodedata.category(word[0])[0] in "LN"]
    return "".join(letters[:1] + letters[1:][-1:]).upper()


@register.filter
def tint(username: str) -> int:
    """The same colour for the same person on every page."""
    return crc32(username.encode()) % TINTS


@register.filter
def grouped(count: int) -> str:
    """A number with its thousands apart, as the reader's language writes it."""
    return number_format(count, use_l10n=True, force_grouping=True)


@register.filter
def web_address(value: str) -> str:
    """An address people may be sent to: http or https, or nothing."""
    return value if value.startswith(("https://", "http://")) else ""
