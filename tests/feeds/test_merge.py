"""Merging sources of different depth."""

import pytest

from feeds.merge import Source, merge
from posts.ids import MAX_ID


def source(ids: list[int], floor: int = 0, name: str = "pushed") -> Source:
    return Source(name, ids, floor)


@pytest.mark.parametrize(
    ("sources", "below", "ids", "floor"),
    [
        ([], MAX_ID, [], 0),
        ([source([])], MAX_ID, [], 0),
        ([source([3, 2, 1])], MAX_ID, [3, 2, 1], 0),
        ([source([1, 3, 2])], MAX_ID, [3, 2, 1], 0),
        ([source([9, 5]), source([7, 5, 1])], MAX_ID, [9, 7, 5, 1], 0),
        # The highest floor counts: below it some source may lack a post.
        ([source([9, 5], floor=4), source([7, 3, 1])], MAX_ID, [9, 7, 5], 4),
        ([source([9, 5], floor=4), source([8], floor=7)], MAX_ID, [9, 8], 7),
        ([source([9, 5], floor=9)], MAX_ID, [], 9),
        # A late push of an old post lies below the floor.
        ([source([9, 2], floor=4)], MAX_ID, [9], 4),
        # An empty source may have a floor all the same.
        ([source([9, 5]), source([], floor=6)], MAX_ID, [9], 6),
        # Only below the position.
        ([source([9, 5, 1])], 9, [5, 1], 0),
        ([source([9, 5, 1])], 1, [], 0),
        ([source([MAX_ID - 1, 1])], MAX_ID, [MAX_ID - 1, 1], 0),
    ],
)
def test_merge(sources: list[Source], below: int, ids: list[int], floor: int) -> None:
    merged = merge(sources, below=below)
    assert (merged.ids, merged.floor) == (ids, floor)


def test_an_id_is_from_the_first_source_that_held_it() -> None:
    merged = merge([source([2, 1]), source([3, 2], name="overlay")], below=MAX_ID)
    assert merged.origin == {1: "pushed", 2: "pushed", 3: "overlay"}
