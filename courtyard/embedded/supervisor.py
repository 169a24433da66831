"""Run the processes of the Procfile together: show what they say, restart what crashes, stop cleanly."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO

from courtyard.embedded.errors import ServiceError
from courtyard.embedded.groups import STOP_GRACE_SECONDS, end_group, is_alive, signal_group
from courtyard.embedded.processes import dies_with_parent
from courtyard.embedded.stopping import StopRequests

TICK_SECONDS = 0.1
FAST_DEATH_SECONDS = 10  # a process that lived shorter than this did not start properly
FAST_DEATHS_LIMIT = 5
LONGEST_PAUSE_SECONDS = 30
HASTY_GRACE_SECONDS = 1  # after a second Ctrl-C


class Supervised:
    """One line of the Procfile, and the process that runs it just now."""

    def __init__(self, name: str, command: str, record: Path) -> None:
        self.name = name
        self.command = command
        self.record = record
        self.process: subprocess.Popen[bytes] | None = None
        self.fast_deaths = 0
        self.start_at = 0.0
        self._started_at = 0.0
        self._unfinished_line = b""

    @property
    def output(self) -> IO[bytes]:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def group(self) -> int:
        """It leads its group, which therefore has its pid."""
        assert self.process is not None
        return self.process.pid

    def start(self, folder: Path, environ: Mapping[str, str]) -> None:
        """Start it as the leader of a session, and so of a group, with no terminal to read from.

        `exec` makes the program itself our child: signals and the death signal reach it and no shell.
        """
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {self.command}"],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dies_with_parent(signal.SIGTERM),
        )
        self.record.write_text(str(self.process.pid))
        self._started_at = time.monotonic()

    def note_death(self) -> float:
        """Count it if it came soon; return the seconds to wait before the next start."""
        lived = time.monotonic() - self._started_at
        self.fast_deaths = self.fast_deaths + 1 if lived < FAST_DEATH_SECONDS else 0
        pause: float = min(0.5 * 2**self.fast_deaths, LONGEST_PAUSE_SECONDS)
        self.start_at = time.monotonic() + pause
        return pause

    def take_lines(self, data: bytes) -> list[str]:
        """Cut output into whole lines; the rest waits for its end."""
        *lines, self._unfinished_line = (self._unfinished_line + data).split(b"\n")
        return [line.decode(errors="replace").rstrip("\r") for line in lines]


class Supervisor:
    def __init__(
        self, commands: Mapping[str, str], *, folder: Path, run: Path, environ: Mapping[str, str]
    ) -> None:
        self.folder = folder
        self.environ = dict(environ)
        self.children = [
            Supervised(name, command, run / f"{name}.group") for name, command in commands.items()
        ]
        self._width = max(len(name) for name in commands)
        self._selector = selectors.DefaultSelector()

    def run(self, requests: StopRequests, every_tick: Callable[[], None]) -> None:
        """Go on until `requests` or `every_tick` raises, and stop everything then."""
        try:
            for child in self.children:
                self._start(child)
            while True:
                requests.check()
                self._show_output(TICK_SECONDS)
                for child in self.children:
                    self._look_after(child)
                every_tick()
        finally:
            self._stop(requests)

    def _start(self, child: Supervised) -> None:
        child.start(self.folder, self.environ)
        os.set_blocking(child.output.fileno(), False)
        self._selector.register(child.output, selectors.EVENT_READ, child)

    def _look_after(self, child: Supervised) -> None:
        """Notice a death and start again after a pause."""
        if child.process is None:
            if time.monotonic() >= child.start_at:
                self._start(child)
        elif (code := child.process.poll()) is not None:
            self._bury(child)
            pause = child.note_death()
            if child.fast_deaths >= FAST_DEATHS_LIMIT:
                raise ServiceError(
                    f"{child.name} ended {child.fast_deaths} times within {FAST_DEATH_SECONDS} s of its "
                    f"start, last {_how(code)}; its own lines above say why"
                )
            self._print(child.name, f"ended {_how(code)}; starts again in {pause:g} s")

    def _bury(self, child: Supervised) -> None:
        """Show the last words of a dead process and end the children that it left behind."""
        signal_group(child.group, signal.SIGKILL)
        self._read(child)
        with contextlib.suppress(KeyError):
            self._selector.unregister(child.output)
        child.output.close()
        child.process = None

    def _show_output(self, seconds: float) -> None:
        if not self._selector.get_map():
            time.sleep(seconds)
        for key, _ in self._selector.select(seconds):
            self._read(key.data)

    def _read(self, child: Supervised) -> None:
        try:
            data = os.read(child.output.fileno(), 1 << 16)
        except BlockingIOError:
            return
        if not data:
            with contextlib.suppress(KeyError):
                self._selector.unregister(child.output)
        for line in child.take_lines(data):
            self._print(child.name, line)

    def _print(self, name: str, line: str) -> None:
        # The terminal may be gone, or the reader of a pipe: no reason not to stop cleanly.
        with contextlib.suppress(OSError):
            print(f"{name:{self._width}} | {line}", flush=True)

    def _stop(self, requests: StopRequests) -> None:
        """1. the main processes, with grace; 2. what is left of their groups; 3. force.

        A signal to the whole group at once would kill Celery's pool in the middle of its tasks.
        """
        asked = requests.count
        running = [child.process for child in self.children if child.process]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_GRACE_SECONDS
        while any(process.poll() is None for process in running):
            if time.monotonic() > deadline or requests.count > asked:
                break
            self._show_output(TICK_SECONDS)
        hasty = requests.count > asked
        end_groups([process.pid for process in running], HASTY_GRACE_SECONDS if hasty else 3)
        for process in running:
            process.wait(10)
        self._say_last_words()

    def _say_last_words(self) -> None:
        for child in self.children:
            if child.process:
                self._read(child)
            child.record.unlink(missing_ok=True)
        self._selector.close()


def _how(code: int) -> str:
    """Of a process that ended by itself."""
    if code >= 0:
        return f"with code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def end_groups(groups: Iterable[int], seconds: float) -> None:
    """End several groups side by side."""
    alive = [group for group in groups if is_alive(group)]
    for group in alive:
        signal_group(group, signal.SIGTERM)
    for group in alive:
        end_group(group, seconds)
