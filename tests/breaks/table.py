"""The tables of docs/proof.md: for each rule what fails without it, the test that notices, the break."""

import re
from dataclasses import dataclass
from functools import cache

from tests.nodes import CHECKOUT

PAGE = CHECKOUT / "docs" / "proof.md"
TEST = re.compile(r"`(tests/[\w/.]+(?:::\w+)*)`")
_BREAK = re.compile(r"`([\w-]+)`")


@dataclass(frozen=True, slots=True)
class Rule:
    """A row. `breaks` may be empty: not every rule is a line that can be taken out."""

    rule: str
    failure: str
    tests: tuple[str, ...]
    breaks: tuple[str, ...]


@cache
def read_rules() -> list[Rule]:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and line.count("|") == 5]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [
        Rule(rule, failure, tuple(TEST.findall(tests)), tuple(_BREAK.findall(breaks)))
        for rule, failure, tests, breaks in cells
        if rule not in ("rule", "---")
    ]


def named_tests(break_name: str) -> list[str]:
    """Each of these has to notice the break."""
    return list(
        dict.fromkeys(test for rule in read_rules() if break_name in rule.breaks for test in rule.tests)
    )
