"""manage.py: what is wrong around us is one line; a bug keeps its traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError, ProgrammingError

from courtyard.command_line import STARTER, CommandLine, explain, main

CHECKOUT = Path(__file__).resolve().parent.parent.parent


def manage(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        (
            {"FANOUT_THRESHOLD": "abc"},
            "courtyard: FANOUT_THRESHOLD is 'abc', which is not a whole number",
        ),
        (
            {"DATABASE_URL": "postgresql://cook:secret@127.0.0.1:1/menus"},
            "courtyard: PostgreSQL at host 127.0.0.1 port 1 does not answer (DATABASE_URL): ",
        ),
    ],
)
def test_what_is_wrong_in_the_environment_is_one_line(environ: dict[str, str], line: str) -> None:
    for command in (["set_threshold"], ["migrate"]):
        result = manage(*command, **environ)
        assert result.returncode == 1
        assert result.stdout == ""
        assert result.stderr.startswith(line)
        assert result.stderr.count("\n") == 1


def test_a_database_without_tables_says_migrate() -> None:
    # The database beside the one that the tests made, which nobody has migrated.
    result = manage("set_threshold")
    assert result.returncode == 1
    assert "`migrate` makes its tables" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" in manage("set_threshold", "--traceback").stderr


def test_a_server_that_refuses_is_not_said_to_be_silent(django_db_setup: None) -> None:
    url = os.environ["DATABASE_URL"].replace("@/courtyard", "@/nowhere")
    result = manage("migrate", DATABASE_URL=url)
    assert "refuses us (DATABASE_URL): " in result.stderr
    assert 'database "nowhere" does not exist' in result.stderr


def test_a_statement_that_broke_off_is_told_and_a_bug_is_not_hidden(stores: None) -> None:
    assert explain(OperationalError("disk full\nat /data")) == "the database broke off: disk full"
    assert explain(ProgrammingError("syntax error")) is None
    assert explain(ValueError("a bug")) is None


def test_usage_names_what_was_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for typed in ("manage.py", "bin/manage"):
        monkeypatch.setenv(STARTER, typed)
        with pytest.raises(SystemExit):
            CommandLine(["manage.py", "demo", "--help"]).execute()
        assert capsys.readouterr().out.startswith(f"usage: {typed} demo ")


def test_help_lists_what_only_the_starter_has(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(STARTER, "bin/manage")
    CommandLine(["manage.py", "help"]).execute()
    assert "[bin/manage]\n    services" in capsys.readouterr().out


def test_ctrl_c_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(self: CommandLine) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CommandLine, "execute", interrupted)
    assert main(["manage.py", "load_graph", "follows.txt"]) == 130
    assert capsys.readouterr().err.count("\n") == 1
