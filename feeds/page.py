"""What a read of a feed answers: small frozen values."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from feeds.cards import AccountCard, PostCard, post_json


@dataclass(frozen=True, slots=True)
class Item:
    """A post on a page. `origin`: own, pushed, pulled, overlay or database."""

    post_id: int
    card: PostCard
    author: AccountCard
    origin: str

    @property
    def post(self) -> dict[str, Any]:
        """The API's Post object."""
        return {"id": self.post_id, "author": self.author.author, **self.card.members}

    @property
    def json(self) -> bytes:
        return post_json(self.post_id, self.card, self.author)


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `next_cursor` is None at the end and only there; `queries`: see feeds.trips."""

    items: list[Item]
    next_cursor: str | None
    refresh_cursor: str
    viewer: dict[str, Any]
    degraded: bool = False
    queries: int = 0

    @property
    def origins(self) -> Counter[str]:
        return Counter(item.origin for item in self.items)


@dataclass(slots=True)
class Filling:
    """A page that is being filled. One post more than the limit is looked for: it says whether the feed goes on."""

    limit: int
    position: int
    items: list[Item] = field(default_factory=list)
    ended: bool = False
    dropped: int = 0

    @property
    def full(self) -> bool:
        return len(self.items) > self.limit

    @property
    def missing(self) -> int:
        return self.limit + 1 - len(self.items)
