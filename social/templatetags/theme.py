"""Light or dark, as a visitor has chosen; without a choice the device decides."""

from typing import Any

from django import template

from social.pages.theme import COOKIE, THEMES

register = template.Library()


@register.simple_tag(takes_context=True)
def chosen_theme(context: dict[str, Any]) -> str:
    """light, dark, or nothing."""
    request = context.get("request")
    chosen = request.COOKIES.get(COOKIE, "") if request is not None else ""
    return chosen if chosen in THEMES else ""
