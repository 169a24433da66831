"""docs/proof.md names a test for each rule: those tests, and the breaks beside them, exist."""

import re

import pytest

from tests.breaks.catalogue import BREAKS
from tests.nodes import CHECKOUT, exists

PAGE = (CHECKOUT / "docs/proof.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and line.count("|") == 5]
RULES = [row for row in ROWS if "::" in row]
_TEST = re.compile(r"`(tests/[\w/.]+(?:::\w+)*)`")


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_row_is_a_rule_a_failure_and_a_test() -> None:
    headings = [row for row in ROWS if row not in RULES]
    assert len(RULES) > 60
    assert {_cells(row)[0] for row in headings} == {"rule", "---"}
    for row in RULES:
        rule, failure, tests, _ = _cells(row)
        assert rule, row
        assert failure, row
        assert _TEST.findall(tests), row


@pytest.mark.parametrize("test", sorted(set(_TEST.findall(PAGE))))
def test_what_it_names_exists(test: str) -> None:
    assert exists(test)


def test_every_break_is_named_and_no_other() -> None:
    named = {name for row in RULES for name in re.findall(r"`([\w-]+)`", _cells(row)[3])}
    assert named == {one.name for one in BREAKS}


@pytest.mark.parametrize(
    "missing", ["tests/feeds/test_nothing.py", "tests/feeds/test_merge.py::test_nothing"]
)
def test_a_test_that_is_gone_would_be_noticed(missing: str) -> None:
    assert not exists(missing)
