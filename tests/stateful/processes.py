"""Web, worker and beat, each a process of its own as the Procfile starts it, and ways to be cruel to them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from courtyard.embedded.processes import end, spawn, wait_until
from courtyard.embedded.procfile import read_procfile
from tests.stateful.client import Client

CHECKOUT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60
MOST_PAUSED_SECONDS = 4.0
STOP_STEPS = ((signal.SIGTERM, 4), (signal.SIGKILL, 5))
REVIVAL_SECONDS = 1.5  # at least, until granian has another worker in the place of one that died


class Child:
    """One line of the Procfile. It leads a session, so that its own children get the same signals.

    `death_signal`: what it gets when the proof itself is killed; a stopped process hears only -9.
    """

    death_signal = signal.SIGKILL

    def __init__(self, line: str, log: Path, environ: Mapping[str, str]) -> None:
        self._line, self.log, self._environ = line, log, environ
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_bytes(b"")
        # The shell's job ends with `exec`: the pid is the program's own.
        command = ["/bin/sh", "-c", f'cd "{CHECKOUT}" && exec {self._line}']
        path = (
            f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"  # our `python`
        )
        self._process = spawn(
            command,
            log=self.log,
            environ={**os.environ, **self._environ, "PATH": path},
            death_signal=self.death_signal,
        )

    def wait_until_ready(self) -> None:
        if not wait_until(lambda: self.has_ended or self.is_ready(), START_SECONDS) or self.has_ended:
            raise RuntimeError(
                f"{self.log.name} did not start:\n{self.log.read_text(errors='replace')[-2000:]}"
            )

    @property
    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def is_ready(self) -> bool:
        raise NotImplementedError

    def pause(self) -> None:
        """For MOST_PAUSED_SECONDS at most: stopped within a transaction it holds locks that others wait for."""
        self._tell(signal.SIGSTOP)
        process = self._process
        timer = threading.Timer(MOST_PAUSED_SECONDS, lambda: self._process is process and self.resume())
        timer.daemon = True
        timer.start()

    def resume(self) -> None:
        self._tell(signal.SIGCONT)

    def kill(self) -> None:
        """-9, its children too, and wait until it has gone."""
        self._tell(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(10)

    def stop(self) -> None:
        if self._process is not None:
            self.resume()
            end(self._process, STOP_STEPS)
            self._tell(signal.SIGKILL)  # what it may have left of its group

    def _tell(self, number: int) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


class Web(Child):
    """One web server with a process memory of its own, through the test-only entry."""

    death_signal = signal.SIGTERM  # it is never stopped, and has a child to end

    def __init__(self, name: str, folder: Path, environ: Mapping[str, str]) -> None:
        self.name, self.port = name, _free_port()
        line = read_procfile(CHECKOUT / "Procfile")["web"].replace("courtyard.wsgi:", "tests.stateful.wsgi:")
        super().__init__(
            line, folder / f"{name}.log", {**environ, "PORT": str(self.port), "WEB_WORKERS": "1"}
        )
        self.client = Client(self.port)
        self._away_until = 0.0

    def is_ready(self) -> bool:
        return self.client.call("GET", "/livez").status == 200

    def died(self) -> None:
        """Its worker has: leave it alone until the main process has started another."""
        self.client.close()
        self._away_until = time.monotonic() + REVIVAL_SECONDS

    @property
    def here(self) -> bool:
        """Whether it serves; after a death asked now and then. The main process gives up when two workers die within
        seconds, and is started again, as an installation does."""
        if self._away_until and time.monotonic() >= self._away_until:
            if self.has_ended:
                self.start()
            self._away_until = 0.0 if self.is_ready() else time.monotonic() + 0.3
        return not self._away_until

    def stop(self) -> None:
        self.client.close()
        super().stop()


class Worker(Child):
    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        line = read_procfile(CHECKOUT / "Procfile")["worker"]
        own = {"WORKER_PROCESSES": "1", "LOG_LEVEL": "INFO"}
        super().__init__(line, folder / "worker.log", {**environ, **own})

    def is_ready(self) -> bool:
        return b" ready." in self.log.read_bytes()


class Beat(Child):
    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        line = read_procfile(CHECKOUT / "Procfile")["beat"]
        own = {"COURTYARD_HOME": str(folder), "LOG_LEVEL": "INFO"}
        super().__init__(line, folder / "beat.log", {**environ, **own})

    def is_ready(self) -> bool:
        return b"beat: Starting" in self.log.read_bytes()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
