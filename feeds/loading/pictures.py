"""Pictures for menus: the project's own drawings in static/demo, by the kind of dish they show."""

from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders

from feeds.loading.vocabulary import KnownDish

_FOLDER = "demo"


def picture_of(dish: KnownDish) -> dict[str, Any] | None:
    """The fields of a Photo that shows `dish`, or None where no drawing fits."""
    file = _drawings().get(dish.picture)
    return {"url": f"{settings.STATIC_URL}{_FOLDER}/{file}", "alt": dish.name} if file else None


@cache
def _drawings() -> dict[str, str]:
    """File names by kind: `stew.svg` shows stews."""
    found = finders.find(_FOLDER)
    return {path.stem: path.name for path in sorted(Path(str(found)).glob("*.svg"))} if found else {}
