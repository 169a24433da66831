"""Readers of one viewer who wait for the same build share it: one builds, the others look again when it has ended.

They look at the stored list rather than take what the builder read: that may be older than a change that one of them
must see.
"""

import threading


class SharedBuilds:
    """Of this process. Between processes the build's token does the same (feeds/builds.py)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended: dict[int, threading.Event] = {}

    def begin(self, viewer_id: int) -> threading.Event | None:
        """None: the caller builds, and says so when it has ended. Else what to wait for."""
        with self._lock:
            if (ended := self._ended.get(viewer_id)) is not None:
                return ended
            self._ended[viewer_id] = threading.Event()
            return None

    def end(self, viewer_id: int) -> None:
        with self._lock:
            self._ended.pop(viewer_id).set()


feed_builds = SharedBuilds()
