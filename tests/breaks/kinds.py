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
    """`drops`: the rule that is taken out, as what the code does then. Which tests have to notice, docs/proof.md
    says."""

    name: str
    drops: str
    edits: tuple[Edit, ...]


def a_break(name: str, drops: str, file: str, old: str, new: str) -> Break:
    """A break of a single edit."""
    return Break(name, drops, (Edit(file, old, new),))
