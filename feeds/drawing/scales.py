"""Values to pixels, ticks, and numbers as people write them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import timezone

TIME_STEPS = (60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400)
MOST_TICKS = 7


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of values on a range of pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, *, log: bool) -> "Scale":
        """The range of the values; one that they do not span is made around them."""
        known = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
        low, high = (min(known), max(known)) if known else (1.0, 10.0) if log else (0.0, 1.0)
        if low == high:
            low, high = (low / 2, high * 2) if log else (min(2 * low, 0.0), max(2 * high, 1.0))
        return cls(low, high, start, end, log)

    def at(self, value: float) -> float:
        """The pixel of a value; what lies outside is drawn at the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, *, times: bool = False) -> list[float]:
        if times:
            return self._time_ticks()
        return self._log_ticks() if self.log else self._plain_ticks(MOST_TICKS)

    def _plain_ticks(self, most: int) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / (most - 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(n * step, 12) for n in range(first, last + 1)]

    def _log_ticks(self) -> list[float]:
        """Powers of ten, evenly left out when they are many; with their twos and fives when they are few."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        factors = (1, 2, 5) if last - first <= 2 else (1,)
        stride = max(1, math.ceil((last - first) / MOST_TICKS))
        ticks = [factor * 10.0**n for n in range(first, last + 1, stride) for factor in factors]
        return [tick for tick in ticks if self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)]

    def _time_ticks(self) -> list[float]:
        """Whole minutes, hours or days of the current time zone."""
        span = self.high - self.low
        step = next((step for step in TIME_STEPS if span / step <= MOST_TICKS), None)
        step = step or 86400 * math.ceil(span / 86400 / MOST_TICKS)
        shift = datetime.fromtimestamp(self.low, timezone.get_current_timezone()).utcoffset()
        offset = shift.total_seconds() if shift else 0
        first = math.ceil((self.low + offset) / step)
        last = math.floor((self.high + offset) / step)
        return [n * step - offset for n in range(first, last + 1)]


def number(value: float) -> str:
    """10,000; 1.5 M; 0.05: three digits that count, and thousands apart."""
    if not math.isfinite(value):
        return "–"
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{_short(value / size)} {letter}"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else _short(value)


def _short(value: float) -> str:
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{round(value, decimals):,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def moment(seconds: float) -> str:
    """12:05, or the day where it begins, in the current time zone."""
    local = datetime.fromtimestamp(seconds, UTC).astimezone(timezone.get_current_timezone())
    return f"{local:%-d %b}" if (local.hour, local.minute) == (0, 0) else f"{local:%H:%M}"
