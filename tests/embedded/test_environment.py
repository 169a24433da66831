"""bin/_environment.py: made once, shared by starters, repaired when half-made."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from courtyard.embedded.home import CHECKOUT

pytestmark = pytest.mark.timeout(90)


# bin/test itself has made a real environment; here neither pip nor the network is needed.
WITHOUT_PIP = """
_environment.MAKE_OPTIONS = ("-m", "venv", "--without-pip")
_environment._pip_command = lambda venv, name: [str(venv / "bin" / "python"), "-c", ""]
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a starter `where` that tells which environment it runs in."""
    folder = tmp_path_factory.mktemp("environment") / "with a space"
    (folder / "bin").mkdir(parents=True)
    shutil.copy(CHECKOUT / "bin" / "_environment.py", folder / "bin")
    run = (CHECKOUT / "bin" / "run").read_text()
    begin, enter = "import _environment  # noqa: E402\n", "_environment.enter()\n"
    where = run.replace(begin, begin + WITHOUT_PIP).partition(enter)[0] + enter + "print(sys.prefix)\n"
    assert WITHOUT_PIP in where
    (folder / "bin" / "where").write_text(where)
    (folder / "requirements.txt").write_text("")
    return folder


def start(checkout: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if key != "COURTYARD_HOME"}
    return subprocess.run(
        [sys._base_executable, *options, str(checkout / "bin" / "where")],  # type: ignore[attr-defined]
        env=environ,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=80,
        check=False,
    )


def test_two_starters_at_once_make_one_environment_and_a_half_made_one_is_repaired(checkout: Path) -> None:
    venv = checkout / ".courtyard" / "venv"
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: start(checkout), range(2)))
    assert [result.stdout for result in results] == [f"{venv}\n"] * 2, results
    assert sum("installing requirements.txt" in result.stderr for result in results) == 1

    assert start(checkout).stderr == ""  # nothing to do

    (venv / ".courtyard-installing").touch()  # an installation was cut short
    (venv / ".courtyard-requirements.txt").unlink()
    (venv / "left behind").touch()
    assert start(checkout).stdout == f"{venv}\n"
    assert not (venv / "left behind").exists()

    (checkout / "requirements.txt").write_text("# changed\n")
    assert "installing requirements.txt" in start(checkout).stderr


def test_a_python_without_ensurepip_names_the_debian_package(checkout: Path, tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".courtyard"))
    script = copy / "bin" / "where"
    hide = (
        "import importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'ensurepip' else find(name, *rest)\n"
    )
    script.write_text(hide + script.read_text())
    result = start(copy)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert f"apt install python3.{sys.version_info.minor}-venv" in result.stderr


@pytest.mark.parametrize("name", ["run", "test", "manage"])
def test_a_starter_begins_with_what_any_python_can_read(name: str) -> None:
    """The version is checked before the first import that an older Python could stumble over."""
    text = (CHECKOUT / "bin" / name).read_text()
    assert text.startswith("#!/usr/bin/env python3\n")
    assert text.index("version_info < (3, 11)") < text.index("import _environment")
    assert os.access(CHECKOUT / "bin" / name, os.X_OK)
