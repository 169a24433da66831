"""Running tests on a broken copy of the tree, in processes and with servers of their own."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.breaks.kinds import Break

CHECKOUT = Path(__file__).resolve().parent.parent.parent
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".courtyard", "__pycache__", ".*_cache", "screens", "node_modules"
)
LONGEST_TEST_SECONDS = 60  # a break may make a test wait for ever
_FAILED = re.compile(r"^FAILED (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`caught_by`: the first test that failed. `trouble`: the tests did not run as they should; then neither says
    anything."""

    caught_by: str = ""
    trouble: str = ""


def try_break(one: Break) -> Outcome:
    """Apply a break to a copy, and run its tests there. StaleBreak."""
    return _run_in_copy(one, one.tests)


def try_nothing(tests: Sequence[str]) -> Outcome:
    """The tests on the tree as it is: whatever fails here is no break's merit."""
    return _run_in_copy(None, tests)


def _run_in_copy(one: Break | None, tests: Sequence[str]) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="courtyard-break-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(CHECKOUT, tree, ignore=NOT_COPIED)
        if one is not None:
            apply_edits(one, tree)
        return _run_tests(tree, tests)


def apply_edits(one: Break, tree: Path) -> None:
    """StaleBreak."""
    for edit in one.edits:
        path = tree / edit.file
        path.write_text(edit.apply(path.read_text()))


def _run_tests(tree: Path, tests: Sequence[str]) -> Outcome:
    options = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", f"--timeout={LONGEST_TEST_SECONDS}"]
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    failed = _FAILED.search(process.stdout)
    if process.returncode == 0:
        return Outcome()
    if process.returncode == 1 and failed:
        return Outcome(caught_by=failed[1])
    return Outcome(trouble="\n".join(process.stdout.splitlines()[-15:]))
