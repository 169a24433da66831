"""A read's way to PostgreSQL: counted, and open to a few reads at a time.

A process lets FEED_BUILDS reads at once ask PostgreSQL for what is not stored, so that an emptied Redis is no storm
on the database. A read that gets no turn within FEED_BUILD_WAIT_SECONDS, or that finds PostgreSQL away, raises Away:
its page is made of what there is (feeds/degraded.py).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import InterfaceError, OperationalError

from feeds.outage import postgresql


class Away(Exception):
    """PostgreSQL is down, or has no time for this read."""


class Turns:
    """At most FEED_BUILDS are taken at a time, in this process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = 0

    def take(self, seconds: float) -> bool:
        """Wait for a turn; False: none was free for so long."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._taken < settings.FEED_BUILDS, seconds):
                return False
            self._taken += 1
            return True

    def give_back(self) -> None:
        with self._changed:
            self._taken -= 1
            self._changed.notify()


turns = Turns()


class Access:
    """Of one read. `queries` counts its trips, not the shared once-a-second ones. `limited` off: for commands, which
    stand in nobody's way. A context manager, which gives the turn back."""

    def __init__(self, *, limited: bool = True) -> None:
        self.queries = 0
        self._limited = limited
        self._has_turn = False

    def __enter__(self) -> "Access":
        return self

    def __exit__(self, *error: object) -> None:
        if self._has_turn:
            self._has_turn = False
            turns.give_back()

    @contextmanager
    def trip(self, *, urgent: bool = False) -> Iterator[None]:
        """Around each use of PostgreSQL. `urgent`: small, and without it there is no answer at all. Away."""
        if not self._limited:
            self.queries += 1
            yield
            return
        if not self._has_turn and not urgent:
            if not turns.take(settings.FEED_BUILD_WAIT_SECONDS):
                raise Away("too many reads are asking PostgreSQL")
            self._has_turn = True
        if not postgresql.may_try():
            raise Away("PostgreSQL is away")
        self.queries += 1
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            postgresql.failed(error)
            raise Away(str(error)) from error
