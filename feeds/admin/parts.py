"""Pages of staff that are made of parts: each says itself what kept it from being read, and none holds up the page.

PostgreSQL has PART_SECONDS for each statement and PAGE_SECONDS for all parts of a page together; Redis has its own
time-out (REDIS_TIMEOUT).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import DatabaseError, OperationalError, transaction

from feeds.lists import ListsUnavailable
from feeds.proof.one_feed import bound_statements
from social.errors import Refusal, Unavailable

PART_SECONDS = 2.0
PAGE_SECONDS = 5.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """`value`, or in words why there is none."""

    value: T | None
    problem: str = ""


class Parts:
    """`seconds` for all of them, `each` for a statement."""

    def __init__(self, seconds: float = PAGE_SECONDS, each: float = PART_SECONDS) -> None:
        self._deadline, self._each = time.monotonic() + seconds, each

    def read(self, what: Callable[[], T]) -> Part[T]:
        """What a function answers. It may read from PostgreSQL and Redis, and must not write."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return Part(None, "Not looked at: the parts before took too long.")
        try:
            with transaction.atomic():
                bound_statements(min(left, self._each))
                return Part(what())
        except ListsUnavailable as error:
            return Part(None, f"The feed Redis is away ({error}).")
        except OperationalError:
            return Part(None, f"PostgreSQL did not answer within {self._each:g} s.")
        except (DatabaseError, Unavailable):
            return Part(None, "PostgreSQL and Redis could not answer.")
        except Refusal as refusal:
            return Part(None, str(refusal))
