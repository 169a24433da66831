"""The keeper: a small process that owns the embedded services while anybody uses them.

    python -m courtyard.embedded.keeper <home>

bin/run and every bin/manage hold a shared lock on `users.lock` for as long as they live; the kernel
releases it however they end. When nobody holds it any more the keeper stops the services and ends. So
none of them has to outlive another, and none is left alone when the one that came first goes.
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from courtyard.embedded.errors import ServiceError
from courtyard.embedded.groups import end_orphaned_groups
from courtyard.embedded.home import Home
from courtyard.embedded.locks import LOOK_SECONDS, FileLock, is_held
from courtyard.embedded.postgres import PostgresServer
from courtyard.embedded.server import Server
from courtyard.embedded.services import Services, start_services

POLL_SECONDS = 0.2
REPAIR_LIMIT = 5  # restarts of one service in a row, each within REPAIR_WINDOW_SECONDS of the last
REPAIR_WINDOW_SECONDS = 30


class Keeper:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.terminated = False
        self._repairs: dict[str, list[float]] = {}

    def run(self) -> int:
        self._take_signals()
        alone = FileLock(self.home.keeper_lock)
        try:
            # Not one try: whoever looks whether a keeper is there holds the lock for a moment too.
            alone.acquire(LOOK_SECONDS)
        except ServiceError:
            return 0  # another keeper was quicker
        self.home.state.unlink(missing_ok=True)
        with start_services(self.home.path) as services:
            self._publish(services)
            leaving = self._keep(services)
            # First out of sight, then down: whoever starts meanwhile waits for start.lock.
            self.home.state.unlink(missing_ok=True)
            if not is_held(self.home.run_lock):  # bin/run was killed; its workers still use the services
                end_orphaned_groups(self.home.run, self.home.path)
        alone.release()
        leaving.release()
        return 0

    def _take_signals(self) -> None:
        def terminate(*_: object) -> None:
            self.terminated = True

        signal.signal(signal.SIGTERM, terminate)
        # Not ignored, since the servers would inherit that; the keeper has a session of its own anyway.
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def _publish(self, services: Services) -> None:
        """Write the state file in one step; its appearance says that the services answer."""
        state = {
            "pid": os.getpid(),
            "urls": {name: services.environment[name] for name in services.servers},
            "cluster": _cluster(services),
            "note": _note(services),
            "pids": {name: server.pid for name, server in services.servers.items()},
        }
        partial = self.home.state.with_suffix(".partial")
        partial.write_text(json.dumps(state, indent=1))
        partial.rename(self.home.state)

    def _keep(self, services: Services) -> FileLock:
        """Watch over the services until the last user has gone; return start.lock, held if it could be."""
        starting = FileLock(self.home.start_lock)
        while not self.terminated:
            # 1. Nobody may join while we look (a user takes users.lock under start.lock).
            if starting.try_acquire():
                # 2. Is anybody there?
                users = FileLock(self.home.users_lock)
                if users.try_acquire():
                    users.release()
                    break
                starting.release()
            for name, server in services.servers.items():
                if not server.running:
                    self._repair(name, server)
                    self._publish(services)
            time.sleep(POLL_SECONDS)
        return starting

    def _repair(self, name: str, server: Server) -> None:
        """Start a service again that has died, unless it dies again and again."""
        now = time.monotonic()
        recent = [at for at in self._repairs.get(name, []) if at > now - REPAIR_WINDOW_SECONDS]
        if len(recent) >= REPAIR_LIMIT:
            raise ServiceError(f"{server.name} died {REPAIR_LIMIT} times within {REPAIR_WINDOW_SECONDS} s")
        self._repairs[name] = [*recent, now]
        print(f"{server.name} has died, starting it again", flush=True)
        server.stop()
        server.start()


def _note(services: Services) -> str:
    server = services.servers.get("DATABASE_URL")
    return server.note if isinstance(server, PostgresServer) else ""


def _cluster(services: Services) -> str | None:
    """What tells this database from one that is made later in the same place; None if it is not ours."""
    server = services.servers.get("DATABASE_URL")
    if not isinstance(server, PostgresServer):
        return None
    return f"{server.data} {(server.data / 'PG_VERSION').stat().st_mtime_ns}"


def main() -> int:
    home = Home(Path(sys.argv[1]))
    try:
        return Keeper(home).run()
    except (ServiceError, OSError) as error:
        with suppress(OSError):
            home.state.unlink(missing_ok=True)
        print(f"error: {error}", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
