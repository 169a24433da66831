"""The languages that a reader may choose from."""

from django import template
from django.conf import settings
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def spoken_languages() -> list[dict[str, str]]:
    """Each as it calls itself, and whether it is the one that is spoken here."""
    here = get_language()
    return [
        {"code": code, "name": name, "pressed": "true" if code == here else "false"}
        for code, name in settings.LANGUAGES
    ]
