"""bin/break-it: take rules out of the feed one by one, and see that a test fails for each."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.breaks.catalogue import BREAKS
from tests.breaks.kinds import Break, StaleBreak
from tests.breaks.run import Outcome, try_break, try_nothing


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.list:
        for one in BREAKS:
            print(f"{one.name:26} {one.drops}")
        return 0
    chosen = options.breaks or BREAKS
    started_at = time.monotonic()
    tests = sorted({test for one in chosen for test in one.tests})
    print(f"The tree as it is: {len(tests)} files or parts of tests", flush=True)
    if not _is_sound(try_nothing(tests)):
        return 1
    with ThreadPoolExecutor(options.processes) as pool:
        caught = sum(pool.map(_report, chosen))
    uncaught = len(chosen) - caught
    print(f"{caught} of {len(chosen)} breaks caught ({time.monotonic() - started_at:.0f} s)")
    return 1 if uncaught else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bin/break-it",
        description="Takes rules out of copies of the tree, one each, and runs tests there: one has to fail.",
    )
    parser.add_argument("breaks", nargs="*", type=_named, metavar="NAME", help="only these; else all")
    parser.add_argument("--list", action="store_true", help="say what there is to break, and break nothing")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="breaks at a time (2)")
    return parser


def _named(name: str) -> Break:
    for one in BREAKS:
        if one.name == name:
            return one
    raise argparse.ArgumentTypeError(f"there is no break {name!r}; --list says which there are")


def _is_sound(outcome: Outcome) -> bool:
    if outcome == Outcome():
        return True
    print(f"The tests fail without any break: {outcome.caught_by or outcome.trouble}")
    return False


def _report(one: Break) -> bool:
    caught, words = _tried(one, try_break)
    print(f"{one.name:26} {words}", flush=True)
    return caught


def _tried(one: Break, attempt: Callable[[Break], Outcome]) -> tuple[bool, str]:
    """(whether a test caught a break, what to say)."""
    try:
        outcome = attempt(one)
    except StaleBreak as stale:
        return False, f"STALE: {stale}"
    if outcome.trouble:
        return False, f"TROUBLE: {outcome.trouble}"
    if not outcome.caught_by:
        return False, f"NOT CAUGHT: {one.drops}"
    return True, f"caught by {outcome.caught_by}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
