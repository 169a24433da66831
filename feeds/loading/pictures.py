"""Pictures for menus: the project's own drawings in static/demo, by the kind of dish they show."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders

from feeds.loading.vocabulary import KnownDish

_FOLDER = "demo"
_GROUND = re.compile(r'<path fill="(#[0-9a-f]{6})" d="M0 0h1200v900H0z"/>')


def picture_of(dish: KnownDish) -> dict[str, Any] | None:
    """The fields of a Photo that shows `dish`, or None where no drawing fits."""
    fields = _drawings().get(dish.picture)
    return fields | {"alt": dish.name} if fields else None


@cache
def _drawings() -> dict[str, dict[str, Any]]:
    """Fields of a Photo by kind of dish: `stew.svg` shows stews."""
    found = finders.find(_FOLDER)
    return {path.stem: _fields(path) for path in sorted(Path(str(found)).glob("*.svg"))} if found else {}


def _fields(drawing: Path) -> dict[str, Any]:
    """Address and, where the drawing has one colour behind it, that colour as the placeholder."""
    fields = {"url": f"{settings.STATIC_URL}{_FOLDER}/{drawing.name}"}
    ground = _GROUND.search(drawing.read_text("utf-8"))
    return fields | {"placeholder": ground[1]} if ground else fields
