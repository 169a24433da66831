"""bin/run: the command line around `Runner`."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from courtyard.embedded.errors import AlreadyTold, ServiceError, say
from courtyard.embedded.home import Home
from courtyard.embedded.runner import Runner
from courtyard.embedded.stopping import Stopped, StopRequests


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bin/run", description="Run Courtyard until Ctrl-C.")
    parser.add_argument("--no-demo", action="store_true", help="start with an empty platform")
    options = parser.parse_args(arguments)
    requests = StopRequests()
    requests.listen()
    try:
        Runner(Home.from_environ(), requests, demo=not options.no_demo).run()
        code = 0
    except Stopped:
        say("stopped")
        code = 0
    except AlreadyTold:
        code = 1
    except ServiceError as error:
        say(str(error))
        code = 1
    except PermissionError as error:
        say(f"{error}; COURTYARD_HOME names another folder for what is made here")
        code = 1
    _flush_or_drop_output()
    return code


def _flush_or_drop_output() -> None:
    """Python would end with a code of its own if the reader of our output has gone."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
