"""The web server and the worker, each a process of its own as the Procfile starts it."""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from courtyard.embedded.processes import TERMINATE, end, spawn
from courtyard.embedded.procfile import read_procfile

CHECKOUT = Path(__file__).resolve().parent.parent
_START_SECONDS = 30


class NotStarted(Exception):
    """A process of the benchmark did not come up; the message has the end of its log."""


@contextmanager
def web_server(folder: Path, environ: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """(pid, port) of the Procfile's web line, serving the benchmark's addresses."""
    port = _free_port()
    line = _procfile_line("web").replace("courtyard.wsgi:application", "benchmarks.wsgi:application")
    with _running(line, folder / "web.log", {**environ, "PORT": str(port)}, lambda _: _is_live(port)) as pid:
        yield pid, port


@contextmanager
def worker(folder: Path, environ: Mapping[str, str]) -> Iterator[int]:
    """The pid of the Procfile's worker, with one process that works."""
    line = _procfile_line("worker")
    own = {**environ, "WORKER_PROCESSES": "1", "LOG_LEVEL": "INFO"}
    with _running(line, folder / "worker.log", own, lambda log: b" ready." in log) as pid:
        yield pid


def _procfile_line(name: str) -> str:
    return read_procfile(CHECKOUT / "Procfile")[name]


@contextmanager
def _running(
    line: str, log: Path, environ: Mapping[str, str], is_up: Callable[[bytes], bool]
) -> Iterator[int]:
    # The shell's job ends with `exec`: the pid is the server's own, and signals reach it.
    command = ["/bin/sh", "-c", f'cd "{CHECKOUT}" && exec {line}']
    process = spawn(command, log=log, environ={**os.environ, **environ})
    try:
        _wait_until_up(process, log, is_up)
        yield process.pid
    finally:
        end(process, TERMINATE)


def _wait_until_up(process: "subprocess.Popen[bytes]", log: Path, is_up: Callable[[bytes], bool]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not is_up(log.read_bytes()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NotStarted(log.read_text(errors="replace")[-1500:])
        time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _is_live(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
