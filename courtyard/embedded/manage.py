"""bin/manage: manage.py with the environment and services of this home.

It becomes manage.py by exec, so that the terminal, signals and the exit code are manage.py's own. The
lock that keeps the services alive goes with it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from courtyard.embedded import tables
from courtyard.embedded.errors import AlreadyTold, ServiceError, say
from courtyard.embedded.home import CHECKOUT, Home
from courtyard.embedded.joining import Joined, join
from courtyard.embedded.locks import holding, is_held
from courtyard.embedded.steps import STARTER, failure, manage_command


def main(arguments: Sequence[str]) -> int:
    try:
        _main(Home.from_environ(), list(arguments))
        return 0
    except KeyboardInterrupt:
        return 130
    except AlreadyTold:
        pass
    except ServiceError as error:
        say(str(error))
    except PermissionError as error:
        say(f"{error}; COURTYARD_HOME names another folder for what is made here")
    return 1


def _main(home: Home, arguments: list[str]) -> None:
    if arguments[:1] == ["services"] or arguments == ["help", "services"]:
        _read_services_arguments(arguments)
        _print_services(join(home, os.environ))
    else:
        _become_manage(home, join(home, os.environ), arguments)


def _read_services_arguments(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        "bin/manage services", description="Print the URLs of the services as JSON."
    )
    parser.parse_args(["--help"] if arguments[0] == "help" else arguments[1:])


def _print_services(joined: Joined) -> None:
    print(json.dumps(joined.environment, indent=2), flush=True)
    embedded = joined.embedded
    joined.leave()
    if embedded and not is_held(joined.home.keeper_lock):
        say("nobody else uses these services, so they have stopped again: start bin/run to use them")


def _become_manage(home: Home, joined: Joined, arguments: Sequence[str]) -> NoReturn:
    environ = {**os.environ, **home.settings(os.environ), **joined.environment, STARTER: "bin/manage"}
    if tables.needs_tables(arguments):
        _make_tables(home, joined, environ)
    joined.users.keep_over_exec()
    os.execve(sys.executable, manage_command(*arguments), environ)


def _make_tables(home: Home, joined: Joined, environ: dict[str, str]) -> None:
    """Migrate the embedded database if bin/run has not done it; another's is left alone."""
    if joined.cluster is None or tables.are_current(home, joined.cluster):
        return
    # Waits while bin/run or another bin/manage is about to make them.
    with holding(home.migrate_lock, tables.LOCK_TIMEOUT_SECONDS):
        if tables.are_current(home, joined.cluster) or is_held(home.run_lock):
            return
        command = manage_command("migrate", "--noinput", "--verbosity", "0")
        # Its output must not mix with what the command itself prints.
        result = subprocess.run(command, env=environ, cwd=CHECKOUT, stdout=sys.stderr, check=False)
        if result.returncode:
            raise failure("migrate", result.returncode)
        tables.note_current(home, joined.cluster)
