"""What goes wrong here is told in one message that names the next step."""

import contextlib
import sys
from pathlib import Path


class ServiceError(Exception):
    """A service or process could not be started, joined or stopped; the message is for people."""


class AlreadyTold(ServiceError):
    """A command has said at the same terminal what is wrong: nothing is to be added."""


def tail(log: Path, lines: int = 12) -> str:
    """The end of a log, to be shown under a message."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return f"  (no log in {log})"
    last = text.splitlines()[-lines:]
    return "\n".join([f"  the end of {log}:", *(f"  | {line}" for line in last)])


def say(message: str) -> None:
    """Tell the person at the terminal, who may have gone."""
    with contextlib.suppress(OSError):
        print(f"courtyard: {message}", file=sys.stderr, flush=True)
