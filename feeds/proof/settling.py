"""Waiting until what was written has reached every stored list."""

import time

from django.conf import settings
from django.core.management import CommandError
from django.db import connection

_LOOK_EVERY_SECONDS = 0.2
_MARGIN_SECONDS = 2  # an overlay entry leaves at a sweep, a moment after its time

# Both parts are served by the outbox's partial indexes.
_STATE = """
SELECT (SELECT count(*) FROM feeds_outbox WHERE done_at IS NULL),
       EXISTS (SELECT FROM feeds_outbox WHERE done_at > clock_timestamp() - %s * interval '1 second')
"""


def wait_until_settled(seconds: float) -> int | None:
    """Wait for an outbox that is done and an empty overlay: None. After `seconds`: how many rows are left."""
    deadline = time.monotonic() + seconds
    while True:
        undelivered, recent = _state()
        if not undelivered and not recent:
            return None
        left = deadline - time.monotonic()
        if left <= 0:
            return undelivered
        time.sleep(min(_LOOK_EVERY_SECONDS, left))


def wait_until_drained(seconds: float) -> None:
    """Until nothing is undelivered and the overlay has forgotten what was. CommandError after `seconds`."""
    left = wait_until_settled(seconds)
    if left:
        changes = "1 change is" if left == 1 else f"{left:,} changes are"
        raise CommandError(f"{changes} still undelivered after {seconds:g} s. Is a worker running?")
    if left is not None:
        raise CommandError(f"Changes were still being delivered {seconds:g} s later.")


def _state() -> tuple[int, bool]:
    """(rows not done, whether any was done so lately that the overlay may still list it)."""
    with connection.cursor() as cursor:
        cursor.execute(_STATE, [settings.FEED_OVERLAY_SECONDS + _MARGIN_SECONDS])
        undelivered, recent = cursor.fetchone()
        return undelivered, recent
