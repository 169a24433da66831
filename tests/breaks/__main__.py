"""bin/break-it: take rules out of the feed one by one, and see that the tests named for each notice."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.breaks.catalogue import BREAKS
from tests.breaks.kinds import Break, StaleBreak
from tests.breaks.run import Outcome, try_break, try_nothing
from tests.breaks.table import named_tests


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.list:
        for one in BREAKS:
            print(f"{one.name:26} {one.drops}")
        return 0
    chosen = options.breaks or BREAKS
    started_at = time.monotonic()
    tests = sorted({test for one in chosen for test in named_tests(one.name)})
    print(f"{len(tests)} tests on the tree as it is", flush=True)
    if not _is_sound(try_nothing(tests)):
        return 1
    with ThreadPoolExecutor(options.processes) as pool:
        caught = sum(pool.map(_report, chosen))
    print(f"{caught} of {len(chosen)} breaks caught ({time.monotonic() - started_at:.0f} s)")
    return 0 if caught == len(chosen) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bin/break-it",
        description="Takes rules out of copies of the tree, one each, and runs the tests that docs/proof.md "
        "names for it: each has to fail.",
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
    tests = named_tests(one.name)
    try:
        outcomes = try_break(one, tests)
    except StaleBreak as stale:
        print(f"{one.name:26} STALE: {stale}", flush=True)
        return False
    for test, outcome in zip(tests, outcomes, strict=True):
        print(f"{one.name:26} {in_words(test, outcome)}", flush=True)
    return all(outcome.caught_by for outcome in outcomes)


def in_words(test: str, outcome: Outcome) -> str:
    """What a test that has to fail did."""
    if outcome.trouble:
        return f"TROUBLE: {outcome.trouble}"
    return f"caught by {outcome.caught_by}" if outcome.caught_by else f"NOT CAUGHT by {test}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
