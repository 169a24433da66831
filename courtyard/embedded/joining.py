"""Use the services of this home: those that run already, or new ones."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from courtyard.embedded import processes
from courtyard.embedded.errors import ServiceError, say, tail
from courtyard.embedded.home import CHECKOUT, Home
from courtyard.embedded.locks import FileLock, is_held
from courtyard.embedded.services import URL_NAMES

# The first start makes a database cluster, and it may follow a crash.
START_TIMEOUT_SECONDS = 180
STOP_TIMEOUT_SECONDS = 30
KEEPER = "courtyard.embedded.keeper"


@dataclass
class Joined:
    """The URLs, and the lock that keeps the services alive while it is held."""

    home: Home
    environment: dict[str, str]
    users: FileLock
    cluster: str | None = None  # names the embedded database, if it is in use
    keeper: int = 0  # its pid

    @property
    def embedded(self) -> bool:
        """Whether a service of ours is in use: nobody needs a keeper when all URLs are given."""
        return self.users.held

    def is_alive(self) -> bool:
        return not self.embedded or is_held(self.home.keeper_lock)

    def leave(self) -> None:
        """Give the services up and, if nobody else uses them, wait until they have stopped."""
        self.users.release()
        if self.keeper and not processes.wait_until(self._is_over, STOP_TIMEOUT_SECONDS):
            raise ServiceError(f"the services did not stop\n{tail(self.home.keeper_log)}")

    def _is_over(self) -> bool:
        """Whether the keeper's process has gone, or goes on for somebody else."""
        return KEEPER not in processes.command_line(self.keeper) or self._used_by_others()

    def _used_by_others(self) -> bool:
        probe = FileLock(self.home.users_lock)
        if not probe.try_acquire():
            return True
        probe.release()
        return False


def join(home: Home, given: Mapping[str, str], check: Callable[[], None] = lambda: None) -> Joined:
    """Find or start the services whose URLs are not given.

    `check` runs while waiting and may raise, for instance after Ctrl-C; a keeper that is just starting
    then sees that it has no user, and ends by itself.
    """
    users = FileLock(home.users_lock)
    urls = {name: given[name] for name in URL_NAMES if given.get(name)}
    missing = [name for name in URL_NAMES if name not in urls]
    if not missing:
        return Joined(home, urls, users)
    starting = FileLock(home.start_lock)
    starting.acquire(START_TIMEOUT_SECONDS, check=check)
    try:
        users.acquire(START_TIMEOUT_SECONDS, shared=True, check=check)
        state = _running_state(home) or _start_keeper(home, given, check)
        for name in missing:
            if name not in state["urls"]:
                raise ServiceError(
                    f"the services of {home.path} were started with another {name}: give it here too"
                )
            urls[name] = state["urls"][name]
    except BaseException:
        users.release()
        raise
    finally:
        starting.release()
    cluster = state["cluster"] if "DATABASE_URL" in missing else None
    return Joined(home, urls, users, cluster, state["pid"])


def _running_state(home: Home) -> dict[str, Any] | None:
    """What the living keeper has published. Only to be called with start.lock held."""
    if not is_held(home.keeper_lock):
        return None
    try:
        return dict(json.loads(home.state.read_text()))
    except FileNotFoundError:
        return None  # it is still starting: its starter was killed


def _start_keeper(home: Home, given: Mapping[str, str], check: Callable[[], None]) -> dict[str, Any]:
    home.keeper_log.parent.mkdir(parents=True, exist_ok=True)
    home.keeper_log.write_bytes(b"")
    keeper: subprocess.Popen[bytes] | None = None
    if not is_held(home.keeper_lock):
        home.state.unlink(missing_ok=True)  # of a keeper that was killed
        keeper = _spawn_keeper(home, given)
    state: dict[str, Any] | None = None

    def settled() -> bool:
        nonlocal state
        check()
        state = _running_state(home)
        ended = keeper.poll() is not None if keeper else not is_held(home.keeper_lock)
        return bool(state) or ended

    if not processes.wait_until(settled, START_TIMEOUT_SECONDS):
        if keeper:
            processes.end(keeper, ((signal.SIGTERM, 10), (signal.SIGKILL, 5)))
        raise ServiceError(f"the services did not start in time\n{tail(home.keeper_log)}")
    if not state:
        raise ServiceError(f"the services could not be started\n{tail(home.keeper_log, 30)}")
    if note := state.get("note"):
        say(note)
    return state


def _spawn_keeper(home: Home, given: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start it detached: it outlives whoever happened to come first."""
    path = os.pathsep.join(filter(None, [str(CHECKOUT), given.get("PYTHONPATH")]))
    with home.keeper_log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", KEEPER, str(home.path)],
            cwd=CHECKOUT,
            env={**given, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
