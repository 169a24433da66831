"""What bin/run does: services, tables, demo data and the processes of the product, until it is stopped."""

import contextlib
import os
import secrets
import time

from courtyard.embedded import tables
from courtyard.embedded.addresses import (
    parse_port,
    reachable,
    readiness,
    refuse_used_port,
    refuse_wrong_numbers,
)
from courtyard.embedded.errors import ServiceError, say
from courtyard.embedded.groups import end_orphaned_groups
from courtyard.embedded.home import CHECKOUT, Home
from courtyard.embedded.joining import Joined, join
from courtyard.embedded.locks import LOOK_SECONDS, FileLock, holding
from courtyard.embedded.procfile import read_procfile
from courtyard.embedded.static import StaticFiles
from courtyard.embedded.steps import STARTER, output_of, run_step
from courtyard.embedded.stopping import StopRequests
from courtyard.embedded.supervisor import Supervisor

READY_TIMEOUT_SECONDS = 90
MADE_UP = "COURTYARD_MADE_UP_PASSWORD"  # for ensure_staff, when nobody chooses one
LOOK_AT_SERVICES_SECONDS = 1.0


class Runner:
    """One run of the product in one home."""

    def __init__(self, home: Home, requests: StopRequests, *, demo: bool) -> None:
        self.home = home
        self.requests = requests
        self.demo = demo
        self.host = os.environ.get("HOST") or "127.0.0.1"
        self.port = parse_port(os.environ.get("PORT") or "8000")
        refuse_wrong_numbers(os.environ)
        self.environ: dict[str, str] = {}
        self._made_up = {MADE_UP: secrets.token_urlsafe(12)}  # kept nowhere else, and shown when all is ready
        self._joined: Joined | None = None
        self._ready = False
        self._ready_until = 0.0
        self._next_look_at = 0.0

    @property
    def address(self) -> str:
        return f"http://{reachable(self.host)}:{self.port}"

    def run(self) -> None:
        """1. nobody else  2. no remains  3. a free port  4. services  5. data  6. processes."""
        alone = FileLock(self.home.run_lock)
        try:
            alone.acquire(LOOK_SECONDS, check=self.requests.check)
        except ServiceError:
            raise ServiceError(f"already running at {self._address_of_other()}") from None
        try:
            end_orphaned_groups(self.home.run, self.home.path)
            refuse_used_port(self.host, self.port)
            self.home.address.write_text(self.address)
            self._run_with_services()
        finally:
            self.home.address.unlink(missing_ok=True)
            alone.release()

    def _address_of_other(self) -> str:
        try:
            return self.home.address.read_text()
        except OSError:
            return f"an address that it is about to tell ({self.home.path} is in use)"

    def _run_with_services(self) -> None:
        try:
            # Before the services: a bin/manage that joins them must not find half of the tables.
            with holding(self.home.migrate_lock, tables.LOCK_TIMEOUT_SECONDS, self.requests.check):
                say("starting the services")
                self._joined = join(self.home, os.environ, self.requests.check)
                self.environ = self._environ_of_children(self._joined)
                self._prepare(self._joined)
            self._supervise()
        finally:
            if self._joined:
                self._joined.leave()

    def _environ_of_children(self, joined: Joined) -> dict[str, str]:
        ours = {
            "HOST": self.host,
            "PORT": str(self.port),
            "PYTHONUNBUFFERED": "1",
            STARTER: "bin/manage",
        }
        if os.geteuid() == 0 and not os.environ.get("PYTHONWARNINGS"):
            # Celery's ten lines about root: here that is a container or a developer who knows.
            ours["PYTHONWARNINGS"] = "ignore:You're running the worker with superuser privileges"
        return {**os.environ, **self.home.settings(os.environ), **joined.environment, **ours}

    def _prepare(self, joined: Joined) -> None:
        say("preparing tables and files")
        static_files = StaticFiles(self.home, self.environ)
        try:
            self._step("migrate", "--noinput", "--verbosity", "0")
            if joined.cluster:
                tables.note_current(self.home, joined.cluster)
            if self.demo:
                self._step("demo", "--if-empty")
            run_step("ensure_staff", environ=self.environ | self._made_up, requests=self.requests)
            static_files.finish(self.requests)
        finally:
            static_files.abandon()

    def _step(self, *arguments: str) -> None:
        run_step(*arguments, environ=self.environ, requests=self.requests)

    def _supervise(self) -> None:
        supervisor = Supervisor(
            read_procfile(CHECKOUT / "Procfile"),
            folder=CHECKOUT,
            run=self.home.run,
            environ=self.environ,
        )
        say("starting the product")
        self._ready_until = time.monotonic() + READY_TIMEOUT_SECONDS
        supervisor.run(self.requests, self._tick)

    def _tick(self) -> None:
        if not self._ready:
            self._look_whether_ready()
        if time.monotonic() >= self._next_look_at:
            self._look_at_services()
            self._next_look_at = time.monotonic() + LOOK_AT_SERVICES_SECONDS

    def _look_whether_ready(self) -> None:
        reason = readiness(self.host, self.port)
        if not reason:
            self._ready = True
            self._announce()
        elif time.monotonic() > self._ready_until:
            raise ServiceError(f"{self.address}/readyz was not ready in {READY_TIMEOUT_SECONDS} s: {reason}")

    def _announce(self) -> None:
        demo = output_of(["demo", "--logins"], self.environ) if self.demo else ""
        staff = output_of(["ensure_staff", "--login"], self.environ | self._made_up)
        lines = ["", f"Courtyard is at {self.address}", *_indented(demo)]
        if staff:
            admin = self.environ.get("ADMIN_PATH", "admin").strip("/")
            lines += [f"Staff sign in at {self.address}/{admin}/", *_indented(staff)]
        if demo or staff:
            lines.append("A lost password: bin/manage changepassword USERNAME")
        lines += ["Ctrl-C stops it.", ""]
        with contextlib.suppress(OSError):
            print("\n".join(lines), flush=True)

    def _look_at_services(self) -> None:
        """The keeper may have been killed, and the services with it: start them again at the same URLs."""
        assert self._joined
        if self._joined.is_alive():
            return
        say("the services have gone; starting them again")
        before = self._joined
        self._joined = join(self.home, os.environ, self.requests.check)
        before.users.release()


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
