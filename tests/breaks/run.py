"""Running tests on a broken copy of the tree, in processes and with servers of their own."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.breaks.kinds import Break
from tests.nodes import CHECKOUT

NOT_COPIED = shutil.ignore_patterns(".git", ".courtyard", "__pycache__", ".*_cache", "screens")
LONGEST_TEST_SECONDS = 60  # a break may make a test wait for ever
_FAILED = re.compile(r"^FAILED (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`caught_by`: the first test that failed. `trouble`: the tests did not run as they should; then neither says
    anything."""

    caught_by: str = ""
    trouble: str = ""


def try_break(one: Break, tests: Sequence[str]) -> list[Outcome]:
    """Apply a break to a copy, and run each of `tests` there by itself. StaleBreak."""
    with _copy() as tree:
        apply_edits(one, tree)
        return [_run_tests(tree, [test]) for test in tests]


def try_nothing(tests: Sequence[str]) -> Outcome:
    """The tests on the tree as it is: whatever fails here is no break's merit."""
    with _copy() as tree:
        return _run_tests(tree, tests)


@contextmanager
def _copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="courtyard-break-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(CHECKOUT, tree, ignore=NOT_COPIED)
        yield tree


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
