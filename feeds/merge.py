"""Merging sources of different depth. Pure: values in, values out."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """Post ids of one kind, complete above `floor`. `name` says where a post came from."""

    name: str
    ids: Iterable[int]
    floor: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Every id above `floor` that any source holds, newest first, with the first source that held it."""

    ids: list[int]
    floor: int
    origin: dict[int, str] = field(repr=False)


def merge(sources: list[Source], *, below: int, above: int = 0) -> Merged:
    """Merge down to the highest floor: further down some source may lack a post that it should have.

    Only ids below `below` and above `above` count. The order of `sources` decides which of them an id is said to be
    from.
    """
    floor = max([above, *(source.floor for source in sources)])
    origin: dict[int, str] = {}
    for source in sources:
        for post_id in source.ids:
            if floor < post_id < below:
                origin.setdefault(post_id, source.name)
    return Merged(sorted(origin, reverse=True), floor, origin)
