"""PostgreSQL away: who may find out whether it is back.

While it is away nothing can commit, so an overlay whose mark has lapsed is served as it is. Only then: an error by
itself may mean a busy pool, a full server or a cancelled statement, while others go on committing. So whether it is
away is asked past the pool, by a connection of its own; after that every RETRY_SECONDS, by one thread, at the cost of
a refused connection. Nobody else waits for it.
"""

import threading
import time

import psycopg
from django.db import DatabaseError, InterfaceError, OperationalError, connection

RETRY_SECONDS = 0.25
CONNECT_SECONDS = 1
PROBE_SECONDS = 5.0  # longer than any probe takes

# What a server says that refuses everybody; any other refusal is of one that serves others.
_REFUSING_ALL = ("starting up", "shutting down", "recovery mode", "not yet accepting")


class Outage:
    """Of one process. Times are monotonic."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retry_at: float | None = None  # None: no outage is known

    def may_try(self) -> bool:
        """Whether to ask PostgreSQL; during an outage one thread now and then finds out."""
        if self._retry_at is None:
            return True
        with self._lock:
            now = time.monotonic()
            if self._retry_at is None:
                return True
            if now < self._retry_at:
                return False
            self._retry_at = now + PROBE_SECONDS
        return not self.look()

    def failed(self, error: DatabaseError | InterfaceError) -> bool:
        """After an error: whether PostgreSQL is away, which is then known."""
        return isinstance(error, OperationalError | InterfaceError) and self.look()

    def ended(self) -> None:
        self._retry_at = None

    def look(self) -> bool:
        """Whether PostgreSQL is away, which is then known: to be called by whoever has met an error."""
        away = not server_lives()
        self._retry_at = time.monotonic() + RETRY_SECONDS if away else None
        return away


def server_lives() -> bool:
    """Whether there is a server that lets somebody in, though perhaps not us."""
    parameters = {**connection.get_connection_params(), "connect_timeout": CONNECT_SECONDS}
    try:
        psycopg.connect(**parameters).close()
    except psycopg.Error as error:
        said = str(error)
        return "FATAL" in said and not any(words in said for words in _REFUSING_ALL)
    return True


postgresql = Outage()
