"""Whom a viewer follows, as the feed keeps it: packed ids, which cost a reader the same for 3 and for 5,000.

`follows:{viewer}` holds the followed ids in rising order, 8 bytes each; membership is a binary search in the
bytes as they came.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands
from social.selectors import following_ids

FOLLOWS_SECONDS = 86400


class Following:
    """The followed ids of one viewer, as a value."""

    __slots__ = ("_ids",)

    def __init__(self, ids: array) -> None:
        self._ids = ids

    @classmethod
    def of(cls, ids: Iterable[int]) -> "Following":
        return cls(array("q", sorted(ids)))

    @classmethod
    def unpack(cls, stored: bytes) -> "Following":
        ids = array("q")
        ids.frombytes(stored[1:])
        return cls(ids)

    def pack(self) -> bytes:
        # The leading byte names the form, and keeps an empty list from being an empty value.
        return b"1" + self._ids.tobytes()

    def __contains__(self, account_id: int) -> bool:
        at = bisect_left(self._ids, account_id)
        return at < len(self._ids) and self._ids[at] == account_id

    def among(self, accounts: Mapping[int, object]) -> list[int]:
        """Which of `accounts` are followed; walks the smaller side."""
        if len(self._ids) < len(accounts):
            return [account for account in self._ids if account in accounts]
        return [account for account in accounts if account in self]

    def __len__(self) -> int:
        return len(self._ids)


def read_following(viewer_id: int) -> Following:
    """From PostgreSQL."""
    return Following.of(following_ids(viewer_id))


def build_following(keys: Keys, viewer_id: int) -> Following:
    """From PostgreSQL, stored under a token."""
    name = keys.follows(viewer_id)
    try:
        token, taken = commands.begin_values(keys, [name])
        following = read_following(viewer_id)
        if taken:
            commands.store_values(keys, token, {name: (following.pack(), FOLLOWS_SECONDS)})
    except ListsUnavailable:
        return read_following(viewer_id)
    return following
