"""Types of commands' arguments: what is out of bounds is refused with the bounds."""

import math
from argparse import ArgumentTypeError
from collections.abc import Callable

GREATEST_ID = 2**63 - 1
LONGEST_SECONDS = 86400


def whole_number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"must be a whole number from {least} to {most:,}, not {text!r}")
        return int(text)

    return parse


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= LONGEST_SECONDS:
        raise ArgumentTypeError(f"must be seconds, from 0 to {LONGEST_SECONDS}, not {text!r}")
    return value


account_id = whole_number(1, GREATEST_ID)
