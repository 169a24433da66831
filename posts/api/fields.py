"""Fields of a menu in requests."""

import re
from datetime import date
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from posts.models import END_OF_DAYS, FIRST_DAY

# More than nothing, six digits at most, two decimals at most.
PRICE = r"^(?:[1-9][0-9]{0,5}(?:\.[0-9]{1,2})?|0\.(?:0[1-9]|[1-9][0-9]?))$"
# The days of the years 2000 to 2999, leap days in leap years.
DAY = (
    r"^2(?:[0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[048]00|[0-9](?:0[48]|[2468][048]|[13579][26]))-02-29)$"
)


class PriceField(serializers.DecimalField):
    """A price as text: as a number it would be rounded somewhere."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_digits=8, decimal_places=2, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        if not isinstance(data, str) or not re.fullmatch(PRICE, data):
            raise serializers.ValidationError('Must be a price like "6.50", more than 0 and below a million.')
        return Decimal(data)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": PRICE, "maxLength": 9}


class DayField(serializers.DateField):
    """A day that pages can show, in one spelling only."""

    def to_internal_value(self, data: Any) -> date:
        if not isinstance(data, str) or not re.fullmatch(DAY, data):
            years = f"{FIRST_DAY.year} to {END_OF_DAYS.year - 1}"
            raise serializers.ValidationError(f"Must be a date like 2026-05-31, from {years}.")
        return date.fromisoformat(data)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date", "pattern": DAY}
