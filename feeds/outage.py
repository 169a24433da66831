"""PostgreSQL away: who may find out whether it is back.

Each attempt costs the pool's whole time-out. What a warm read could go without (renewing the overlay's mark, the
set of pulled authors) is not asked for again before RETRY_SECONDS have passed, and then by one thread only.
"""

import threading
import time

RETRY_SECONDS = 1.0
PROBE_SECONDS = 5.0  # longer than any attempt takes


class Outage:
    """Of one process. Times are monotonic."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retry_at: float | None = None  # None: no outage is known

    def may_try(self) -> bool:
        """Whether to ask PostgreSQL; during an outage True goes to one thread at a time."""
        if self._retry_at is None:
            return True
        with self._lock:
            now = time.monotonic()
            if self._retry_at is not None and now < self._retry_at:
                return False
            self._retry_at = now + PROBE_SECONDS
            return True

    def failed(self) -> None:
        self._retry_at = time.monotonic() + RETRY_SECONDS

    def ended(self) -> None:
        self._retry_at = None


postgresql = Outage()
