"""Counters that end by themselves: in Redis for all processes, in this process while Redis is away.

What they count is not precious. The feed Redis may evict or lose them, and then counting begins anew.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from django.core.cache import caches

logger = logging.getLogger(__name__)

ALIAS = "limits"
AWAY_SECONDS = (
    2.0  # Redis is not asked again for so long after it failed: a hung one costs a time-out each time
)
MOST_IN_PROCESS = 10_000  # counters; those that were counted longest ago go first


class ProcessCounters:
    """A bounded number of counters in memory."""

    def __init__(self, most: int = MOST_IN_PROCESS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def add(self, key: str, number: int, seconds: float) -> int:
        """The counter after adding `number`; a new one ends in so many seconds."""
        now = time.monotonic()
        with self._lock:
            count, end = self._counters.pop(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + seconds
            count = max(0, count + number)
            self._counters[key] = count, end
            if len(self._counters) > self._most:
                self._counters.popitem(last=False)
        return count

    def forget(self, key: str) -> None:
        with self._lock:
            self._counters.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._counters.clear()

    def __len__(self) -> int:
        return len(self._counters)


in_process = ProcessCounters()
_away_until = float("-inf")


def add(key: str, number: int, *, seconds: int) -> int:
    """The counter after adding `number` (or after taking it away); a new one ends in so many seconds."""
    if _redis_is_there():
        try:
            return _add_in_redis(key, number, seconds)
        except Exception as error:  # whatever is wrong with Redis, or with what is in the key
            _redis_failed(error)
    return in_process.add(key, number, seconds)


def _add_in_redis(key: str, number: int, seconds: int) -> int:
    """Each step is atomic. A counter is made with its expiry, so that none is left without one."""
    cache = caches[ALIAS]
    for _ in range(2):
        try:
            return int(cache.incr(key, number))
        except ValueError:  # not there; or evicted between the two steps, and then once more
            if cache.add(key, max(0, number), seconds):
                return max(0, number)
    return max(0, number)


def forget(*keys: str) -> None:
    for key in keys:
        in_process.forget(key)
    _try(lambda: caches[ALIAS].delete_many(keys))


def mark(key: str, *, seconds: int) -> None:
    """Remember `key` for so long, as long as Redis does."""
    _try(lambda: caches[ALIAS].set(key, 1, seconds))


def is_marked(key: str) -> bool:
    """Whether `key` is remembered; nothing is while Redis is away."""
    return bool(_try(lambda: caches[ALIAS].get(key)))


def _try(ask: Callable[[], object]) -> object:
    if not _redis_is_there():
        return None
    try:
        return ask()
    except Exception as error:
        _redis_failed(error)
        return None


def _redis_is_there() -> bool:
    return time.monotonic() >= _away_until


def _redis_failed(error: Exception) -> None:
    global _away_until
    _away_until = time.monotonic() + AWAY_SECONDS
    logger.warning("Limits are counted in this process: Redis is away (%s)", error)


def forget_outage() -> None:
    global _away_until
    _away_until = float("-inf")
