"""Every variant must return the reference feed; a fast wrong page is no page."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from feeds.reference import reference_feed_ids


class WrongPage(Exception):
    """A variant answered something else than the reference feed."""


def check_ids(
    what: str,
    viewers: Iterable[int],
    ids_of: Callable[[int], Sequence[int]],
    *,
    start: int = 0,
    limit: int = 20,
) -> None:
    """`ids_of(viewer)` must be the reference feed's ids from `start` on, `limit` of them. WrongPage."""
    for viewer in viewers:
        wanted = reference_feed_ids(viewer)[start : start + limit]
        check_equal(f"{what}, viewer {viewer}", list(ids_of(viewer)), wanted)


def check_equal(what: str, got: Any, wanted: Any) -> None:
    if got != wanted:
        raise WrongPage(f"{what}: not the same\n  got    {str(got)[:300]}\n  wanted {str(wanted)[:300]}")
