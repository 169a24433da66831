"""Management commands that run one after the other before the product starts."""

import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from courtyard.embedded import processes
from courtyard.embedded.errors import AlreadyTold, ServiceError, tail
from courtyard.embedded.home import CHECKOUT
from courtyard.embedded.stopping import StopRequests

STARTER = "COURTYARD_STARTER"  # tells manage.py what was typed instead (courtyard/command_line.py)


def manage_command(*arguments: str) -> list[str]:
    return [sys.executable, str(CHECKOUT / "manage.py"), *arguments]


class Step:
    """A command that has been started. It shares our terminal, since it may have to ask something."""

    def __init__(self, *arguments: str, environ: Mapping[str, str], log: Path | None = None) -> None:
        self.name = arguments[0]
        self.log = log
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("wb") if log else None
        try:
            self._process = subprocess.Popen(
                manage_command(*arguments),
                cwd=CHECKOUT,
                env=environ,
                stdin=subprocess.DEVNULL if log else None,
                stdout=output,
                stderr=subprocess.STDOUT if log else None,
                preexec_fn=processes.dies_with_parent(signal.SIGTERM),
            )
        finally:
            if output:
                output.close()

    def finish(self, requests: StopRequests) -> None:
        """Wait for its end; a request to stop ends it early."""
        while self._process.poll() is None:
            if requests.count:
                # Ctrl-C reached it too; one that asks for a password gives the terminal its echo back.
                processes.wait_until(lambda: self._process.poll() is not None, 1)
                self.abandon()
            time.sleep(0.02)
        requests.check()  # the code of a stopped one is no failure
        if self._process.returncode:
            raise failure(self.name, self._process.returncode, self.log)

    def abandon(self) -> None:
        processes.end(self._process)


def failure(name: str, code: int, log: Path | None = None) -> ServiceError:
    """manage.py ends with 1 when it has said why, on the terminal unless it has a log."""
    if code == 1 and log is None:
        return AlreadyTold()
    shown = f"\n{tail(log, 30)}" if log else ""
    return ServiceError(f"manage.py {name} failed with code {code}{shown}")


def run_step(*arguments: str, environ: Mapping[str, str], requests: StopRequests) -> None:
    Step(*arguments, environ=environ).finish(requests)


def output_of(arguments: Sequence[str], environ: Mapping[str, str], seconds: float = 60) -> str:
    """What a quick command prints; nothing if it fails, since the product runs without it."""
    try:
        result = subprocess.run(
            manage_command(*arguments),
            cwd=CHECKOUT,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return result.stdout.rstrip() if result.returncode == 0 else ""
