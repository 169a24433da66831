"""Whether posts are shown as PostgreSQL has them: text, dishes, author, and what the viewer likes."""

from collections.abc import Iterable

from feeds.cards import PostCard, render_accounts, render_posts
from feeds.page import Item
from posts.models import Like

MOST_REMEMBERED = 20_000


class Contents:
    """Cards from PostgreSQL, each rendered once in a run; what seems wrong is rendered again."""

    def __init__(self) -> None:
        self._bodies: dict[int, bytes] = {}
        self._authors: dict[int, bytes] = {}

    def stale(self, viewer_id: int, items: Iterable[Item]) -> list[int]:
        """Ids of the posts that are not shown as they are."""
        items = list(items)
        self._learn(
            [i for i in items if i.post_id not in self._bodies or i.card.author_id not in self._authors]
        )
        doubtful = [item for item in items if not self._is_right(item)]
        if doubtful:
            self._learn(doubtful)  # it may have changed since
        liked = set(Like.objects.filter(account_id=viewer_id).values_list("post_id", flat=True))
        wrong = {item.post_id for item in doubtful if not self._is_right(item)}
        return [i.post_id for i in items if i.post_id in wrong or i.liked != (i.post_id in liked)]

    def _is_right(self, item: Item) -> bool:
        return (
            self._bodies.get(item.post_id) == item.card.body
            and self._authors.get(item.card.author_id) == item.author.stored
        )

    def _learn(self, items: list[Item]) -> None:
        if len(self._bodies) > MOST_REMEMBERED:
            self._bodies, self._authors = {}, {}
        if items:
            cards: dict[int, PostCard] = render_posts({item.post_id for item in items})
            self._bodies |= {post_id: card.body for post_id, card in cards.items()}
            accounts = render_accounts({item.card.author_id for item in items})
            self._authors |= {account_id: card.stored for account_id, card in accounts.items()}
