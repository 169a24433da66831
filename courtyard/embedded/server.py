"""The life of one embedded server, the same for PostgreSQL and Redis."""

import contextlib
import os
import pwd
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from courtyard.embedded import processes
from courtyard.embedded.errors import ServiceError, tail
from courtyard.embedded.folders import make_socket_folder
from courtyard.embedded.locks import FileLock

LOCK_TIMEOUT_SECONDS = 15
LOG_LIMIT_BYTES = 5_000_000
START_ATTEMPTS = 3


class Server:
    """A server on a Unix socket. It may be stopped and started again and keeps its URL.

    Subclasses say what to prepare, which command to run and how to see that it answers.
    """

    stop_steps: processes.Steps = processes.TERMINATE
    death_signal: int = signal.SIGTERM
    start_timeout_seconds: float = 20

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder.absolute()
        self.name = name
        self.log = self.folder / "logs" / f"{name}.log"
        self.user: pwd.struct_passwd | None = None
        self.socket_folder = Path()
        self._record = self.folder / "run" / f"{name}.pid"
        self._lock = FileLock(self.folder / "run" / f"{name}.lock")
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts = 0

    # --- for users -----------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        if self.running:
            return
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start the process without waiting for it, so that several servers can start side by side."""
        # Two Redis servers on one path both start, and the first to stop deletes the other's socket:
        # nobody starts one without this lock.
        if not self._lock.held:
            self._lock.acquire(LOCK_TIMEOUT_SECONDS)
        try:
            processes.end_orphan(self._record, self.stop_steps)
            self.user = self._choose_user()
            self.socket_folder = make_socket_folder(self.folder, self.name, self.user)
            self._remove_sockets()
            self._prepare()
            self._attempts = 0
            self._spawn()
        except BaseException:
            self.stop()
            raise

    def wait_until_ready(self) -> None:
        """Wait until the server answers; otherwise stop it and say why, with the end of its log."""
        try:
            answered = processes.wait_until(self._answers_or_ended, self.start_timeout_seconds)
            if answered and not self.running:
                raise ServiceError(f"{self.name} ended while starting\n{tail(self.log)}")
            if not answered:
                seconds = self.start_timeout_seconds
                raise ServiceError(f"{self.name} did not answer within {seconds:.0f} s\n{tail(self.log)}")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self._process:
            processes.end(self._process, self.stop_steps)
            self._process = None
        self._record.unlink(missing_ok=True)
        self._remove_sockets()
        if self.socket_folder != Path():
            with contextlib.suppress(OSError):
                self.socket_folder.rmdir()
        self._lock.release()

    def kill(self) -> None:
        """End the server at once, as kill -9 or a power cut would. `start` recovers."""
        if self._process:
            self._process.kill()
            self._process.wait(10)

    def restart(self) -> None:
        self.stop()
        self.start()

    # --- for subclasses ------------------------------------------------------------------------------------

    def _choose_user(self) -> pwd.struct_passwd | None:
        return None

    def _prepare(self) -> None:
        raise NotImplementedError

    def _command(self) -> Sequence[str]:
        raise NotImplementedError

    def _environ(self) -> Mapping[str, str]:
        return os.environ

    def _answers(self) -> bool:
        raise NotImplementedError

    def _sockets(self) -> Sequence[Path]:
        raise NotImplementedError

    # --- inner ---------------------------------------------------------------------------------------------

    def _spawn(self) -> None:
        self._attempts += 1
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT_BYTES:
            self.log.write_bytes(b"")
        self._process = processes.spawn(
            self._command(),
            log=self.log,
            user=self.user,
            environ=self._environ(),
            death_signal=self.death_signal,
        )
        processes.write_record(self._record, self._process.pid)

    def _answers_or_ended(self) -> bool:
        if self.running:
            return self._answers()
        # What a killed predecessor left behind, such as its last child processes, is gone in a moment.
        if self._attempts < START_ATTEMPTS:
            processes.wait_until(lambda: False, 0.5)
            self._spawn()
            return False
        return True

    def _remove_sockets(self) -> None:
        if self.socket_folder != Path():
            for path in self._sockets():
                path.unlink(missing_ok=True)
