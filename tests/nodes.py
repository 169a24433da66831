"""Names of tests as pytest takes them (`tests/x.py::TestY::test_z`), looked up in the files without running them."""

import ast
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


@cache
def names_in(file: str) -> frozenset[str]:
    """`TestY`, `TestY::test_z` and `test_z` of a file; nothing if there is no such file."""
    path = CHECKOUT / file
    if not path.is_file():
        return frozenset()
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
            names |= {
                f"{node.name}::{child.name}" for child in node.body if isinstance(child, ast.FunctionDef)
            }
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return frozenset(names)


def exists(node: str) -> bool:
    """Whether there is such a test, class, file or folder of tests."""
    file, _, name = node.partition("::")
    if not name:
        return (CHECKOUT / file).exists()
    return name in names_in(file)
