"""The list of breaks does not rot: what each replaces is in the tree, and some test is named to notice it."""

from pathlib import Path

import pytest

from tests.breaks.__main__ import in_words, main
from tests.breaks.catalogue import BREAKS
from tests.breaks.kinds import Break, Edit, StaleBreak, a_break
from tests.breaks.run import Outcome, apply_edits
from tests.breaks.table import named_tests
from tests.nodes import CHECKOUT

every_break = pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.name)


@every_break
def test_what_it_replaces_is_there_exactly_once(one: Break) -> None:
    texts = {edit.file: (CHECKOUT / edit.file).read_text() for edit in one.edits}
    for edit in one.edits:
        broken = edit.apply(texts[edit.file])
        assert broken != texts[edit.file]
        texts[edit.file] = broken


@every_break
def test_a_test_is_named_for_it(one: Break) -> None:
    assert named_tests(one.name)


def test_each_has_a_name_of_its_own() -> None:
    names = [one.name for one in BREAKS]
    assert len(names) == len(set(names))


def test_it_is_applied_to_the_copy(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("def is_pushed():\n    return True\n")
    apply_edits(a_break("never", "nothing is pushed", "rules.py", "return True", "return False"), tmp_path)
    assert (tmp_path / "rules.py").read_text() == "def is_pushed():\n    return False\n"


@pytest.mark.parametrize("text", ["return 1\n", "return True\nreturn True\n"], ids=["gone", "twice"])
def test_a_stale_one_says_so(text: str) -> None:
    with pytest.raises(StaleBreak, match="it should be once"):
        Edit("rules.lua", "return True", "return False").apply(text)


def test_one_that_would_not_compile_is_refused() -> None:
    with pytest.raises(SyntaxError):
        Edit("rules.py", "True", "(").apply("x = True\n")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(caught_by="t.py::test_y[1]"), "caught by t.py::test_y[1]"),
        (Outcome(), "NOT CAUGHT by t.py::test_y"),
        (Outcome(trouble="no tests ran"), "TROUBLE: no tests ran"),
    ],
)
def test_only_a_failed_test_counts_as_caught(outcome: Outcome, words: str) -> None:
    assert in_words("t.py::test_y", outcome) == words


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [one.name for one in BREAKS]


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["no-such-break"])
    assert "no-such-break" in capsys.readouterr().err
