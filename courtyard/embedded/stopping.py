"""Ctrl-C, SIGTERM and SIGHUP, noticed at safe points only.

An exception out of a signal handler could strike between the start of a process and the line that notes
it, and the process would be left behind. So the handler counts, and every wait looks at the count.
"""

import signal
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SAME_REQUEST_SECONDS = 0.3


class Stopped(Exception):
    """Somebody asked us to stop."""


class StopRequests:
    def __init__(self) -> None:
        self.count = 0
        self._last_at = 0.0

    def listen(self) -> None:
        for number in SIGNALS:
            # nohup asks to survive the end of the terminal. An ignored SIGINT, however, only means that a
            # script started us in the background, and kill -INT should still work.
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue
            signal.signal(number, self._count)

    def check(self) -> None:
        if self.count:
            raise Stopped

    def _count(self, *_: object) -> None:
        # `timeout` and others send one request twice, to us and to our group.
        now = time.monotonic()
        if not self.count or now - self._last_at > SAME_REQUEST_SECONDS:
            self.count += 1
        self._last_at = now
