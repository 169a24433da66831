"""Whom a viewer follows, as packed bytes."""

from datetime import UTC, datetime

import pytest

from feeds.relations import Relations

LARGEST = 2**63 - 1


@pytest.mark.parametrize("ids", [[], [5], [1, LARGEST], [30, 10, 20], list(range(0, 10_000, 2))])
def test_what_was_packed_is_unpacked(ids: list[int]) -> None:
    relations = Relations.unpack(Relations.of(ids, {}).pack())
    assert all(i in relations for i in ids)
    assert sorted(relations.among(dict.fromkeys(ids))) == sorted(ids)


@pytest.mark.parametrize("stranger", [0, 9, 11, 25, 31, LARGEST])
def test_a_stranger_is_not_in_it(stranger: int) -> None:
    assert stranger not in Relations.of([10, 20, 30], {})


def test_nobody_followed_is_not_an_empty_value() -> None:
    assert Relations.of([], {}).pack()
    assert 0 not in Relations.of([], {})


@pytest.mark.parametrize("accounts", [[], [2], [1, 2, 3], [2, 4, 6, 8, 10, 12], list(range(100))])
def test_among_says_which_of_some_accounts_are_followed(accounts: list[int]) -> None:
    relations = Relations.of([2, 4, 50, 70], {})
    assert sorted(relations.among(dict.fromkeys(accounts))) == sorted({2, 4, 50, 70} & set(accounts))


def test_a_mute_ends_at_its_moment() -> None:
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    relations = Relations.of([10, 20], {10: now, 20: None})
    stored = Relations.unpack(relations.pack())
    now_us = int(now.timestamp() * 1e6)
    for each in (relations, stored):
        assert each.mutes(10, now_us - 1)
        assert not each.mutes(10, now_us)
        assert each.mutes(20, 2**62)
        assert not each.mutes(30, 0)
    assert 10 in stored
    assert 20 in stored
