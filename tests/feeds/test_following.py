"""Whom a viewer follows, as packed bytes."""

import pytest

from feeds.relations import Following

LARGEST = 2**63 - 1


@pytest.mark.parametrize("ids", [[], [5], [1, LARGEST], [30, 10, 20], list(range(0, 10_000, 2))])
def test_what_was_packed_is_unpacked(ids: list[int]) -> None:
    following = Following.unpack(Following.of(ids).pack())
    assert len(following) == len(ids)
    assert all(i in following for i in ids)


@pytest.mark.parametrize("stranger", [0, 9, 11, 25, 31, LARGEST])
def test_a_stranger_is_not_in_it(stranger: int) -> None:
    assert stranger not in Following.of([10, 20, 30])


def test_nobody_followed_is_not_an_empty_value() -> None:
    assert Following.of([]).pack()
    assert 0 not in Following.of([])


@pytest.mark.parametrize("accounts", [[], [2], [1, 2, 3], [2, 4, 6, 8, 10, 12], list(range(100))])
def test_among_says_which_of_some_accounts_are_followed(accounts: list[int]) -> None:
    following = Following.of([2, 4, 50, 70])
    assert sorted(following.among(dict.fromkeys(accounts))) == sorted({2, 4, 50, 70} & set(accounts))
