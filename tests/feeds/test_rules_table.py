"""docs/proof.md names a test for each rule: those tests, and the breaks beside them, exist."""

import pytest

from tests.breaks.catalogue import BREAKS
from tests.breaks.table import PAGE, TEST, read_rules
from tests.nodes import exists


def test_every_row_is_a_rule_a_failure_and_a_test() -> None:
    assert len(read_rules()) > 60
    for row in read_rules():
        assert row.rule
        assert row.failure
        assert row.tests, f"no test is named for: {row.rule}"


@pytest.mark.parametrize("test", sorted(set(TEST.findall(PAGE.read_text()))))
def test_what_it_names_exists(test: str) -> None:
    assert exists(test)


def test_every_break_is_named_and_no_other() -> None:
    assert {name for row in read_rules() for name in row.breaks} == {one.name for one in BREAKS}


@pytest.mark.parametrize(
    "missing", ["tests/feeds/test_nothing.py", "tests/feeds/test_merge.py::test_nothing"]
)
def test_a_test_that_is_gone_would_be_noticed(missing: str) -> None:
    assert not exists(missing)
