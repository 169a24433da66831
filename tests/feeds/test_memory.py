"""Process memory is bounded in age and size."""

import time
from typing import Any

import pytest

from feeds.memory import LocalMemory


@pytest.fixture
def memory(settings: Any) -> LocalMemory[int, str]:
    settings.FEED_LOCAL_CACHE_SECONDS = 2
    settings.FEED_LOCAL_CACHE_ENTRIES = 8
    return LocalMemory()


def test_it_answers_what_was_put(memory: LocalMemory[int, str]) -> None:
    memory.put(1, "one", time.monotonic())
    assert (memory.get(1), memory.get(2)) == ("one", None)
    assert (memory.hits, memory.misses) == (1, 1)


def test_age_counts_from_before_the_fetch(memory: LocalMemory[int, str]) -> None:
    memory.put(1, "slow", time.monotonic() - 2)
    memory.put(2, "quick", time.monotonic() - 1.5)
    assert (memory.get(1), memory.get(2)) == (None, "quick")


def test_at_age_zero_it_keeps_nothing(memory: LocalMemory[int, str], settings: Any) -> None:
    settings.FEED_LOCAL_CACHE_SECONDS = 0
    memory.put(1, "one", time.monotonic())
    assert memory.get(1) is None


def test_it_never_holds_more_than_its_bound(memory: LocalMemory[int, str]) -> None:
    for i in range(100):
        memory.put(i, str(i), time.monotonic())
        assert len(memory._entries) <= 8
    assert memory.get(99) == "99"


def test_what_is_too_old_goes_first(memory: LocalMemory[int, str]) -> None:
    now = time.monotonic()
    for i in range(8):
        memory.put(i, str(i), now - 10 if i >= 4 else now)
    memory.put(8, "8", now)
    assert [i for i in range(9) if memory.get(i)] == [0, 1, 2, 3, 8]


def test_cleared_it_is_empty(memory: LocalMemory[int, str]) -> None:
    memory.put(1, "one", time.monotonic())
    memory.clear()
    assert memory.get(1) is None
