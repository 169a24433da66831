"""A background thread of a web process that keeps the overlay's mark and the pulled set fresh, so that no
reader has to, and hands over what the process has counted. It refreshes nothing while nobody reads; readers never
depend on it."""

import logging
import threading
import time

from django.db import DatabaseError, connections

from feeds import overlay, stats
from feeds.epoch import known_epoch
from feeds.lists import ListsUnavailable, keys_at
from feeds.pulled import pulled_set
from feeds.ranking import notes

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.25
REFRESH_BEFORE_US = 500_000  # half of the mark's life
IDLE_SECONDS = 5

_enabled = False
_started = threading.Lock()
_last_read = 0.0


def enable_refresher() -> None:
    """Allow the thread in this process (web servers do; commands and workers do not)."""
    global _enabled
    _enabled = True


def note_read() -> None:
    """A feed was read: keep things fresh for a while. Starts the thread at the first read, after any fork."""
    global _last_read
    _last_read = time.monotonic()
    if _enabled and _started.acquire(blocking=False):
        threading.Thread(target=_run, name="feed-refresher", daemon=True).start()


def _run() -> None:
    while True:
        if time.monotonic() - _last_read < IDLE_SECONDS:
            try:
                refresh()
            except (DatabaseError, ListsUnavailable) as error:
                logger.warning("Could not refresh: %s", error)
                time.sleep(1)
            finally:
                connections.close_all()  # back to the pool
        stats.hand_over()
        notes.hand_over()
        time.sleep(PAUSE_SECONDS)


def refresh() -> None:
    """Renew the pulled set, and the overlay if its mark has passed half of its life in this process's eyes."""
    pulled_set.refresh()
    keys = keys_at(known_epoch())
    mark = overlay.own_copy().mark
    if mark is None or mark.valid_until_us - time.time() * 1e6 < REFRESH_BEFORE_US:
        overlay.build_overlay(keys)
