"""A product to be run in tests: our starters around programs that do nothing, in a folder with a space."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

from courtyard.embedded.folders import SOCKET_ROOT, SYSTEM_ROOT, digest
from courtyard.embedded.processes import wait_until

CHECKOUT = Path(__file__).resolve().parent.parent.parent
STAND_IN = Path(__file__).parent / "stand_in"
TIMEOUT = 30


class Product:
    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.python = python
        self.port = free_port()
        self.command_prefix: list[str] = []
        self._log = folder / "output"
        self.started: list[subprocess.Popen[bytes]] = []
        shutil.copytree(STAND_IN, folder)
        package = folder / "courtyard"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / "courtyard" / "embedded", package / "embedded", ignore=ignore)
        shutil.copy(CHECKOUT / "courtyard" / "__init__.py", package)
        shutil.copy(CHECKOUT / "requirements.txt", folder)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    @property
    def commands(self) -> list[str]:
        path = self.home / "commands"
        return path.read_text().splitlines() if path.exists() else []

    def forget_commands(self) -> None:
        (self.home / "commands").unlink(missing_ok=True)

    def environ(self, **more: str) -> dict[str, str]:
        """Without what the tests of the whole product have set for themselves."""
        ours = {key for key in os.environ if key.endswith("_URL")} | {"SECRET_KEY", "STATIC_ROOT", "HOST"}
        given = {key: value for key, value in os.environ.items() if key not in ours}
        return {**given, "COURTYARD_HOME": str(self.home), "PORT": str(self.port), **more}

    def command(self, name: str, *arguments: str) -> list[str]:
        return [*self.command_prefix, self.python, str(self.folder / "start.py"), name, *arguments]

    def run(self, *arguments: str, **environ: str) -> "subprocess.Popen[bytes]":
        """Start bin/run; its output goes to `output`."""
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                self.command("run", *arguments),
                env=self.environ(**environ),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.started.append(process)
        return process

    def run_until_ready(self) -> "subprocess.Popen[bytes]":
        process = self.run()
        self.wait_for("Ctrl-C stops it.")
        return process

    def wait_for(self, text: str) -> None:
        assert wait_until(lambda: text in self.output, TIMEOUT), self.output

    def call(
        self, name: str, *arguments: str, stdin: str = "", **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run bin/run or bin/manage to its end."""
        return subprocess.run(
            self.command(name, *arguments),
            env=self.environ(**environ),
            cwd="/",
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def living(self) -> dict[int, str]:
        """Every process of this product that is not a zombie, with its command."""
        found = {}
        wanted = b"COURTYARD_HOME=" + os.fsencode(self.home)
        # Redis writes its title over its environment; the title names the socket.
        sockets = [digest(self.home / name) for name in ("feed", "broker")]
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                carries = wanted in (folder / "environ").read_bytes().split(b"\0")
                # A zombie has no words.
                if words and (carries or any(socket in words for socket in sockets)):
                    found[int(folder.name)] = words
        return found

    def pid_of(self, text: str) -> int:
        return next(pid for pid, command in self.living().items() if text in command)

    def wait_until_gone(self) -> None:
        assert wait_until(lambda: not self.living(), TIMEOUT), self.living()

    def clean_up(self) -> None:
        """End what a failed test left; only processes of this product."""
        for pid in self.living():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.started:
            process.wait(TIMEOUT)
        self.started.clear()

    def remove(self) -> None:
        """Remove what lies outside the folder: sockets of killed servers, and the database of root's."""
        for name in ("feed", "broker", "postgres"):
            for sockets in SOCKET_ROOT.glob(f"courtyard-*-{digest(self.home / name)}"):
                shutil.rmtree(sockets)
        for data in SYSTEM_ROOT.glob(f"{digest(self.home)}*"):
            shutil.rmtree(data)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
