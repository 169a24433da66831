"""Progress bars on stderr, when somebody is watching."""

from collections.abc import Iterable
from typing import Any, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


def progress(items: Iterable[Item], *, what: str, total: int | None = None) -> Iterable[Item]:
    """`items`, with a bar while they are taken; `disable=None` leaves it out when stderr is no terminal."""
    bar: Iterable[Item] = tqdm(items, desc=what, total=total, disable=None, leave=False)
    return bar


def byte_bar(*, what: str, total: int | None) -> Any:
    """A bar of bytes that its user moves on with `update(n)`."""
    return tqdm(desc=what, total=total, unit="B", unit_scale=True, disable=None, leave=False)
