"""manage.py and bin/manage: Django's commands, with what commonly goes wrong told in one line.

`--traceback` shows the whole of it.
"""

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand, CommandParser

# SQLSTATE of names that a database lacks which was not migrated: table, column, function, schema, sequence.
NOT_MIGRATED = ("42P01", "42703", "42883", "3F000")
STARTER = "COURTYARD_STARTER"  # what was typed instead of manage.py
OF_THE_STARTER = "\n\n[bin/manage]\n    services"


def main(arguments: Sequence[str]) -> int:
    # The pool warns of each attempt to connect, over several lines; the reason is told once, below.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    try:
        CommandLine(list(arguments)).execute()
    except KeyboardInterrupt:
        sys.stderr.write("courtyard: stopped before the end; what was not finished was taken back\n")
        return 130
    except Exception as error:
        message = explain(error)
        if message is None or "--traceback" in arguments:
            raise
        sys.stderr.write(f"courtyard: {message}\n")
        return 1
    return 0


class CommandLine(ManagementUtility):
    """Names the program as it was typed, also in the usage lines of commands."""

    def __init__(self, argv: list[str]) -> None:
        super().__init__(argv)
        self.prog_name: str = os.environ.get(STARTER) or self.prog_name

    def main_help_text(self, commands_only: bool = False) -> str:
        text = super().main_help_text(commands_only)
        return text + OF_THE_STARTER if STARTER in os.environ and not commands_only else text

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        make_parser = command.create_parser

        def create_parser(prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
            parser = make_parser(prog_name, subcommand, **kwargs)
            parser.prog = f"{self.prog_name} {subcommand}"
            return parser

        command.create_parser = create_parser  # type: ignore[method-assign]
        return command


def explain(error: Exception) -> str | None:
    """One line about what is wrong around us, not in our code; None for anything else."""
    from django.db import Error, InterfaceError, OperationalError  # after the settings, which may be wrong

    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if not isinstance(error, Error):
        return None
    if getattr(error.__cause__, "sqlstate", None) in NOT_MIGRATED:
        return f"the database lacks something of this version ({_line(error)}); `migrate` makes its tables"
    if isinstance(error, OperationalError | InterfaceError):
        return _why_no_connection() or f"the database broke off: {_line(error)}"
    return None


def _why_no_connection() -> str | None:
    """Try to connect as Django does, without the pool, which only says that it waited; None when it works."""
    from django.db import connections

    pooled = connections["default"]
    settings = pooled.settings_dict
    options = {key: value for key, value in settings["OPTIONS"].items() if key != "pool"}
    plain = type(pooled)({**settings, "OPTIONS": options}, "default")
    where = f"host {settings['HOST'] or options.get('host', 'localhost')} port {settings['PORT'] or 5432}"
    try:
        plain.connect()
    except Exception as error:
        reason = _line(error).removeprefix("connection failed: ")
        says = "refuses us" if "FATAL:" in reason else "does not answer"
        return f"PostgreSQL at {where} {says} (DATABASE_URL): {reason}"
    plain.close()
    return None


def _line(error: Exception) -> str:
    """The first line, which says what; the others show the statement, or advice."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
