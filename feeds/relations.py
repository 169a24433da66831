"""Whom a viewer follows and mutes, as the feed keeps it: packed numbers, which cost a reader the same for 3 follows
and for 5,000.

`follows:{viewer}` holds the number of mutes, a pair (muted id, moment of its end in us since 1970) for each, then
the followed ids in rising order, all 8 bytes; membership is a binary search in the bytes as they came. Blocks need
no place here: the database keeps no follow beside one.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import datetime

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands
from social.selectors import following_ids, mutes_in_force

FOLLOWS_SECONDS = 86400
FOR_EVER = 2**63 - 1


class Relations:
    """Of one viewer, as a value: `author in relations` for followed ones, muted or not."""

    __slots__ = ("_followed", "_muted_until")

    def __init__(self, followed: array, muted_until: Mapping[int, int]) -> None:
        self._followed, self._muted_until = followed, muted_until

    @classmethod
    def of(cls, followed: Iterable[int], muted_until: Mapping[int, datetime | None]) -> "Relations":
        ends = {
            muted: FOR_EVER if end is None else int(end.timestamp() * 1e6)
            for muted, end in muted_until.items()
        }
        return cls(array("q", sorted(followed)), ends)

    @classmethod
    def unpack(cls, stored: bytes) -> "Relations":
        numbers = array("q")
        numbers.frombytes(stored)
        mutes = numbers[0]
        muted_until = dict(zip(numbers[1 : 1 + 2 * mutes : 2], numbers[2 : 2 + 2 * mutes : 2], strict=True))
        return cls(numbers[1 + 2 * mutes :] if mutes else numbers[1:], muted_until)

    def pack(self) -> bytes:
        mutes = [number for pair in self._muted_until.items() for number in pair]
        return array("q", [len(self._muted_until), *mutes]).tobytes() + self._followed.tobytes()

    def __len__(self) -> int:
        """How many are followed, muted ones too."""
        return len(self._followed)

    def __contains__(self, account_id: int) -> bool:
        at = bisect_left(self._followed, account_id)
        return at < len(self._followed) and self._followed[at] == account_id

    def mutes(self, account_id: int, now_us: int) -> bool:
        """Whether a mute of the account is in force at a moment, us since 1970."""
        return bool(self._muted_until) and self._muted_until.get(account_id, 0) > now_us

    def among(self, accounts: Mapping[int, object]) -> list[int]:
        """Which of `accounts` are followed; walks the smaller side."""
        if len(self._followed) < len(accounts):
            return [account for account in self._followed if account in accounts]
        return [account for account in accounts if account in self]


def read_relations(viewer_id: int) -> Relations:
    """From PostgreSQL: two queries."""
    return Relations.of(following_ids(viewer_id), mutes_in_force(viewer_id))


def build_relations(keys: Keys, viewer_id: int) -> Relations:
    """From PostgreSQL, stored under a token."""
    name = keys.follows(viewer_id)
    try:
        token, taken = commands.begin_values(keys, [name])
        relations = read_relations(viewer_id)
        if taken:
            commands.store_values(keys, token, {name: (relations.pack(), FOLLOWS_SECONDS)})
    except ListsUnavailable:
        return read_relations(viewer_id)
    return relations
