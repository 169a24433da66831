"""What a viewer likes, as the feed keeps it: `likes:{viewer}` holds a floor, then the ids of the newest menus that
the viewer likes, rising, 8 bytes each. Every liked menu above the floor is there."""

from array import array
from bisect import bisect_left

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands
from posts.models import Like

LIKES_SECONDS = 86400
MOST_KEPT = 1000


class Likes:
    """Of one viewer, as a value."""

    __slots__ = ("_ids", "floor")

    def __init__(self, floor: int, ids: array) -> None:
        self.floor, self._ids = floor, ids

    @classmethod
    def unpack(cls, stored: bytes) -> "Likes":
        numbers = array("q")
        numbers.frombytes(stored)
        return cls(numbers[0], numbers[1:])

    def pack(self) -> bytes:
        return array("q", [self.floor]).tobytes() + self._ids.tobytes()

    def __contains__(self, post_id: int) -> bool:
        at = bisect_left(self._ids, post_id)
        return at < len(self._ids) and self._ids[at] == post_id


def read_likes(viewer_id: int) -> Likes:
    """From PostgreSQL: the newest MOST_KEPT."""
    newest = Like.objects.filter(account_id=viewer_id).order_by("-post_id").values_list("post_id", flat=True)
    ids = list(newest[:MOST_KEPT])
    return Likes(ids[-1] - 1 if len(ids) == MOST_KEPT else 0, array("q", reversed(ids)))


def build_likes(keys: Keys, viewer_id: int) -> Likes:
    """From PostgreSQL, stored under a token."""
    name = keys.likes(viewer_id)
    try:
        token, taken = commands.begin_values(keys, [name])
        likes = read_likes(viewer_id)
        if taken:
            commands.store_values(keys, token, {name: (likes.pack(), LIKES_SECONDS)})
    except ListsUnavailable:
        return read_likes(viewer_id)
    return likes
