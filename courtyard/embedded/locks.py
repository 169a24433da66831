"""Locks between processes, on files, that the kernel releases when their holder dies."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from courtyard.embedded.errors import ServiceError

POLL_SECONDS = 0.05
LOOK_SECONDS = 0.5  # longer than anybody holds a lock only to look whether it is free


class FileLock:
    """One lock on one file, exclusive or shared.

    The file is never deleted: a second process could otherwise lock a new file of the same name while
    the first still holds the old one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def try_acquire(self, *, shared: bool = False) -> bool:
        """Take the lock if it is free; True when we hold it now."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def acquire(
        self, timeout: float, *, shared: bool = False, check: Callable[[], None] = lambda: None
    ) -> None:
        """Wait for the lock. `check` runs while waiting and may raise, for instance after Ctrl-C."""
        deadline = time.monotonic() + timeout
        while not self.try_acquire(shared=shared):
            check()
            if time.monotonic() > deadline:
                raise ServiceError(f"another process has held {self.path} for {timeout:.0f} s")
            time.sleep(POLL_SECONDS)

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def keep_over_exec(self) -> None:
        """Let the program that replaces this process go on holding the lock."""
        if self._descriptor is not None:
            os.set_inheritable(self._descriptor, True)


@contextmanager
def holding(path: Path, timeout: float, check: Callable[[], None] = lambda: None) -> Iterator[None]:
    lock = FileLock(path)
    lock.acquire(timeout, check=check)
    try:
        yield
    finally:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock exclusively just now."""
    if not path.exists():
        return False
    probe = FileLock(path)
    if not probe.try_acquire(shared=True):
        return True
    probe.release()
    return False
