"""Start, recognise and end processes, also those that an earlier run left behind."""

import contextlib
import ctypes
import json
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Steps = Sequence[tuple[int, float]]  # signals to send in turn, each with the seconds it is given
TERMINATE: Steps = ((signal.SIGTERM, 10), (signal.SIGKILL, 5))

_PR_SET_PDEATHSIG = 1
# Loaded here and not in the child: between fork and exec nothing may be imported.
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    user: pwd.struct_passwd | None = None,
    environ: Mapping[str, str] | None = None,
    death_signal: int = signal.SIGTERM,
) -> "subprocess.Popen[bytes]":
    """Start a process of its own session that writes to `log` and ends when this one does.

    It starts in the root folder: the current one may be closed to `user`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=environ,
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
            extra_groups=[] if user else None,
            start_new_session=True,
            preexec_fn=dies_with_parent(death_signal),
        )


def dies_with_parent(death_signal: int) -> Callable[[], None]:
    """For `preexec_fn`: ask the kernel to send the signal when the parent dies, even by kill -9.

    Linux only; elsewhere `end_orphan` finds what was left. Three limits: the signal comes when the
    *thread* that started the child ends, so start from one that lives as long as the child should; it
    must be asked for after the change of user, which clears it (Popen calls preexec_fn after it); and it
    is not inherited by the child's own children.
    """
    parent = os.getpid()

    def ask() -> None:
        if _libc is not None:
            _libc.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
            # The parent may have died before the kernel was asked, and then nobody sends anything.
            if os.getppid() != parent:
                os._exit(1)

    return ask


def end(process: "subprocess.Popen[bytes]", steps: Steps = TERMINATE) -> None:
    """End a child of ours, more and more firmly."""
    for number, seconds in steps:
        if process.poll() is not None:
            return
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)


def write_record(path: Path, pid: int) -> None:
    """Note a started process so that a later run can find it; see `end_orphan`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"pid": pid, "mark": start_mark(pid)}))


def recorded_pid(path: Path) -> int | None:
    """The pid in a record, if that very process still lives."""
    try:
        record = json.loads(path.read_text())
        pid, mark = int(record["pid"]), record["mark"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if mark is not None and start_mark(pid) == mark else None


def end_orphan(path: Path, steps: Steps = TERMINATE) -> None:
    """End the recorded process if an earlier owner died without doing so."""
    pid = recorded_pid(path)
    for number, seconds in steps:
        if pid is None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        wait_until(lambda: recorded_pid(path) is None, seconds)
        pid = recorded_pid(path)
    path.unlink(missing_ok=True)


def start_mark(pid: int) -> str | None:
    """What tells a process from a later one of the same pid; None when it is gone or a zombie."""
    if sys.platform != "linux":
        return _start_mark_by_ps(pid)
    try:
        # The second field, the name in brackets, may hold spaces and brackets of its own.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    state, ticks_since_boot = fields[0], fields[19]
    return None if state in "ZX" else f"{boot} {ticks_since_boot}"


def _start_mark_by_ps(pid: int) -> str | None:
    result = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, started = result.stdout.strip().partition(" ")
    return None if not started or state.startswith("Z") else started.strip()


def command_line(pid: int) -> str:
    """The words of a process's command, or nothing when it is gone."""
    if sys.platform != "linux":
        command = ["ps", "-o", "command=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def wait_until(condition: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Poll a condition; False when it did not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True
