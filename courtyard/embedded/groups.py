"""Process groups: a process started in a session of its own, with its children."""

import contextlib
import os
import signal
import sys
from pathlib import Path

from courtyard.embedded import processes

STOP_GRACE_SECONDS = 20  # a Celery worker finishes the tasks it has begun


def signal_group(group: int, number: int) -> None:
    # macOS answers "not permitted" for a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def end_group(group: int, seconds: float) -> None:
    """End what is left of a group: politely, and after some time by force."""
    for number, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, 2.0)):
        if not is_alive(group):
            return
        signal_group(group, number)
        processes.wait_until(lambda: not is_alive(group), patience)


def is_alive(group: int) -> bool:
    """Whether the group has a member that is not a zombie.

    Process 1 of a container may not reap, and the kernel still delivers signals to a group of zombies.
    """
    if sys.platform == "linux":
        return bool(members(group))
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def members(group: int) -> list[int]:
    """The living members of a group. Linux only."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(int(folder.name))
    return found


def end_orphaned_groups(run: Path, home: Path) -> None:
    """End the processes of a supervisor that was killed and could not do it."""
    for record in run.glob("*.group"):
        with contextlib.suppress(OSError, ValueError):
            _end_orphaned_group(int(record.read_text()), home)
        record.unlink(missing_ok=True)


def _end_orphaned_group(group: int, home: Path) -> None:
    """Let the main process finish, as it was told by its death signal, and end what it leaves.

    It may be gone and its children not (kill -9 of granian leaves the workers, which hold the port). The
    number of their group could belong to strangers by now, so they have to carry our home in their
    environment.
    """
    if sys.platform == "linux" and not any(_carries(pid, home) for pid in members(group)):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(group, signal.SIGTERM)  # the leader of a group has its number
    processes.wait_until(lambda: processes.start_mark(group) is None, STOP_GRACE_SECONDS)
    end_group(group, 3)


def _carries(pid: int, home: Path) -> bool:
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return b"COURTYARD_HOME=" + os.fsencode(home) in environ.split(b"\0")
