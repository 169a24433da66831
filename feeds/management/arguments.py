"""Types of commands' arguments: what is out of bounds is refused with the bounds."""

import math
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date

from posts.models import END_OF_DAYS, FIRST_DAY

GREATEST_ID = 2**63 - 1
LONGEST_SECONDS = 86400


def whole_number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"must be a whole number from {least} to {most:,}, not {text!r}")
        return int(text)

    return parse


def number(least: float, most: float, what: str = "a number") -> Callable[[str], float]:
    """Written in any way that Python knows: 0.1, 100e6."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise ArgumentTypeError(f"must be {what} from {least:,g} to {most:,g}, not {text!r}")
        return value

    return parse


seconds = number(0, LONGEST_SECONDS, "seconds,")


account_id = whole_number(1, GREATEST_ID)


def day(text: str) -> date:
    """2026-05-31, of the years in which menus may be."""
    try:
        value = date.fromisoformat(text)
    except ValueError:
        value = date.min
    if not FIRST_DAY <= value < END_OF_DAYS:
        raise ArgumentTypeError(f"must be a day as 2026-05-31, not {text!r}")
    return value
