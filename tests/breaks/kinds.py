"""What a break is: values, and how its edits change a file's text."""

import ast
from dataclasses import dataclass


class StaleBreak(Exception):
    """The code has moved on: what a break wants to replace is not there, or there twice."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` stands in the file exactly once."""

    file: str
    old: str
    new: str

    def apply(self, text: str) -> str:
        """StaleBreak."""
        if (count := text.count(self.old)) != 1:
            raise StaleBreak(f"{self.file} has this {count} times, it should be once:\n{self.old}")
        broken = text.replace(self.old, self.new)
        if self.file.endswith(".py"):
            ast.parse(broken)  # a file that does not compile would fail every test, which proves nothing
        return broken


@dataclass(frozen=True, slots=True)
class Break:
    """`drops`: the rule that is taken out, as what the code does then. `tests`: what of the tests is run, files or
    names of tests as pytest takes them; one of them has to fail."""

    name: str
    drops: str
    tests: tuple[str, ...]
    edits: tuple[Edit, ...]


def a_break(name: str, drops: str, file: str, old: str, new: str, *, tests: str) -> Break:
    """A break of a single edit; `tests` separated by spaces."""
    return Break(name, drops, tuple(tests.split()), (Edit(file, old, new),))
