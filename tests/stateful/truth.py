"""What every viewer's feed must be, from the API's Rules (docs/api.md), read from the tables and nothing else.

It shares no line with the product: neither its query, nor its models. tests/stateful/test_truth.py compares the
two over random tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

# May see: a post that is live and not hidden by staff, its author is active, neither blocks the other, and the
# author is public, followed or oneself. In the feed: may see, and own, or followed with no mute in force.
_FEEDS = """
SELECT viewer.id, viewer.is_active, array_remove(array_agg(post.id ORDER BY post.id DESC), NULL)
FROM social_account viewer
LEFT JOIN (posts_post post JOIN social_account author ON author.id = post.author_id) ON
    post.hidden_at IS NULL
    AND author.is_active
    AND NOT EXISTS (SELECT FROM social_block b WHERE b.blocker_id = viewer.id AND b.blocked_id = author.id)
    AND NOT EXISTS (SELECT FROM social_block b WHERE b.blocker_id = author.id AND b.blocked_id = viewer.id)
    AND (NOT author.is_private OR author.id = viewer.id OR EXISTS (
        SELECT FROM social_follow f WHERE f.follower_id = viewer.id AND f.followee_id = author.id))
    AND (author.id = viewer.id OR (
        EXISTS (SELECT FROM social_follow f WHERE f.follower_id = viewer.id AND f.followee_id = author.id)
        AND NOT EXISTS (
            SELECT FROM social_mute m WHERE m.muter_id = viewer.id AND m.muted_id = author.id
            AND (m.expires_at IS NULL OR m.expires_at > clock_timestamp()))))
GROUP BY viewer.id
"""
_MENUS = """
SELECT p.id, p.author_id, p.text, p.edited_at IS NOT NULL, p.hidden_at IS NOT NULL,
    array(SELECT (d.id, d.name, d.price, d.sold_out)::text FROM posts_dish d
          WHERE d.post_id = p.id ORDER BY d.position, d.id)
FROM posts_post p
"""
_PAIRS = """
SELECT follower_id, followee_id FROM social_follow f WHERE NOT EXISTS (
    SELECT FROM social_mute m WHERE m.muter_id = f.follower_id AND m.muted_id = f.followee_id
    AND (m.expires_at IS NULL OR m.expires_at > clock_timestamp()))
"""
_NEXT_END = """
SELECT extract(epoch FROM min(expires_at))::float8 FROM social_mute WHERE expires_at > clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Menu:
    """`dishes`: each as PostgreSQL writes a row, `(id,name,price,sold_out)`."""

    author_id: int
    text: str
    edited: bool
    hidden: bool
    dishes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """All tables at one moment. `feeds` of all viewers, newest first; `pairs`: who wants whose menus (follows without
    a mute); `good_until`: when a mute ends by itself."""

    feeds: Mapping[int, tuple[int, ...]]
    active: frozenset[int]
    menus: Mapping[int, Menu]
    names: Mapping[int, str]
    likes: frozenset[tuple[int, int]]
    pairs: frozenset[tuple[int, int]]
    good_until: float

    def differs_for(self, viewer_id: int, other: "Truth") -> bool:
        """Whether the viewer's feed, or what stands in it, is another one there."""
        if self.feeds.get(viewer_id) != other.feeds.get(viewer_id):
            return True
        if (viewer_id in self.active) != (viewer_id in other.active):
            return True
        return any(self.card(i, viewer_id) != other.card(i, viewer_id) for i in self.feeds.get(viewer_id, ()))

    def card(self, post_id: int, viewer_id: int) -> tuple[Menu, str, bool] | None:
        """What the viewer sees of a menu: the menu, its author's name, whether it is liked."""
        menu = self.menus.get(post_id)
        if menu is None or menu.author_id not in self.names:
            return None
        return menu, self.names[menu.author_id], (viewer_id, post_id) in self.likes

    def like_count(self, post_id: int) -> int:
        return sum(1 for _, liked in self.likes if liked == post_id)


def read_feeds() -> tuple[dict[int, tuple[int, ...]], frozenset[int]]:
    """(every viewer's feed, newest first; the active accounts)."""
    rows = _rows(_FEEDS)
    return {viewer: tuple(ids) for viewer, _, ids in rows}, frozenset(v for v, active, _ in rows if active)


def read_truth() -> Truth:
    """Read between two changes: only one thread changes anything, and a mute that ends meanwhile is noticed."""
    [[ends]] = _rows(_NEXT_END)  # first, so that a mute which ends while we read makes this truth old
    feeds, active = read_feeds()
    return Truth(
        feeds,
        active,
        {i: Menu(*columns, tuple(dishes)) for i, *columns, dishes in _rows(_MENUS)},
        dict(_rows("SELECT id, display_name FROM social_account")),
        frozenset(_rows("SELECT account_id, post_id FROM posts_like")),
        frozenset(_rows(_PAIRS)),
        float("inf") if ends is None else ends,
    )


def _rows(query: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()
