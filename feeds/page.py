"""What a read of a feed answers: small frozen values."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from feeds.cards import AccountCard, PostCard, post_json


@dataclass(frozen=True, slots=True)
class Item:
    """A post on a page. `origin`: own, pushed, pulled, overlay or database. `liked`: by the viewer."""

    post_id: int
    card: PostCard
    author: AccountCard
    origin: str
    liked: bool = False

    @property
    def post(self) -> dict[str, Any]:
        """The API's Post object."""
        return {
            "id": self.post_id,
            "author": self.author.author,
            **self.card.members,
            "liked": self.liked,
        }

    @property
    def json(self) -> bytes:
        return post_json(self.post_id, self.card, self.author, liked=self.liked)

    def as_liked(self) -> "Item":
        return replace(self, liked=True)


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `next_cursor` is None at the end and only there; `queries`: see feeds.access. `follows`: the
    viewer follows somebody or has menus anyway."""

    items: list[Item]
    next_cursor: str | None
    refresh_cursor: str
    viewer: dict[str, Any]
    degraded: bool = False
    queries: int = 0
    follows: bool = True

    @property
    def origins(self) -> Counter[str]:
        return Counter(item.origin for item in self.items)


@dataclass(frozen=True, slots=True)
class Updates:
    """How many posts are new; `capped`: there are more than were counted."""

    count: int
    capped: bool


@dataclass(slots=True)
class Filling:
    """A page that is being filled: ids below `position`, which moves on, and above `above`, but none of `seen`.

    One post more than the limit is looked for: it says whether the feed goes on. `dropped` counts ids of deleted
    posts and of authors who are not followed. `degraded`: something could not be read; then `position` stands above
    all of which that is not known.
    """

    limit: int
    position: int
    above: int = 0
    seen: frozenset[int] = frozenset()
    items: list[Item] = field(default_factory=list)
    ended: bool = False
    dropped: int = 0
    degraded: bool = False

    @property
    def full(self) -> bool:
        return len(self.items) > self.limit

    @property
    def missing(self) -> int:
        return self.limit + 1 - len(self.items)

    @property
    def ids(self) -> list[int]:
        return [item.post_id for item in self.items]

    def reach(self, floor: int) -> None:
        """Everything above `floor` has been looked at. A page may begin below it already: it never goes back up."""
        self.position = min(self.position, floor + 1)
        self.ended = floor <= self.above
