"""One viewer's feed for staff to look at: how it is stored, and its newest menus beside the reference.

Looking stores nothing and is no visit. What is asked of PostgreSQL is bounded by the length of a page, and by the
caller's time-out.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from feeds.epoch import current_epoch
from feeds.lists import commands, keys_at
from feeds.models import FeedSettings
from feeds.overlay import MARK_SECONDS
from feeds.reading import LOOKING, read_feed
from feeds.reference import count_reference, reference_page_ids
from posts.ids import MAX_ID
from posts.models import Post
from social.models import Account, Follow
from social.paging import DEFAULT_LIMIT

MOST_FOLLOWS_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class Viewer:
    """`follows`: whom the account follows, counted up to MOST_FOLLOWS_COUNTED. `window`: how long after the last
    visit its feed is kept and pushed to."""

    account: Account
    follows: int
    window: timedelta

    @property
    def is_pushed_to(self) -> bool:
        seen = self.account.last_seen
        return self.account.is_active and seen is not None and timezone.now() - seen < self.window


def get_viewer(account: Account) -> Viewer:
    follows = Follow.objects.filter(follower=account).order_by()[:MOST_FOLLOWS_COUNTED].count()
    window = FeedSettings.objects.values_list("inactive_after", flat=True).filter(pk=1).first()
    return Viewer(account, follows, timedelta(seconds=window or settings.FEED_INACTIVE_AFTER))


@dataclass(frozen=True, slots=True)
class StoredFeed:
    """What Redis holds. `ids`: of menus that were pushed or built; `floor`: every id above it is among them, or comes
    from the timeline of a pulled author, from the overlay, or is the viewer's own."""

    ids: list[int]
    floor: int
    expires_at: datetime


def get_stored_feed(viewer_id: int) -> StoredFeed | None:
    """None: nothing is stored, or nothing that proves anything. ListsUnavailable."""
    opened = commands.open_feed(
        keys_at(current_epoch()), viewer_id, overlay_position=0, below=MAX_ID, limit=2 * settings.FEED_LENGTH
    )
    if opened.feed.floor is None:
        return None
    expires_at = timezone.now() + timedelta(milliseconds=max(opened.feed_ms_left, 0))
    return StoredFeed(opened.feed.ids, opened.feed.floor, expires_at)


@dataclass(frozen=True, slots=True)
class Row:
    """A menu that the feed shows, or ought to. `origin`: own, pushed, pulled, overlay or database; empty: it is not
    in the feed. `post` None: it is gone by now."""

    post_id: int
    origin: str
    wanted: bool
    post: Post | None

    @property
    def differs(self) -> bool:
        return self.wanted != bool(self.origin)


def compare_newest(viewer_id: int, *, limit: int = DEFAULT_LIMIT) -> list[Row]:
    """The newest of the feed and of the reference, newest first. SignedOut, Unavailable, ListsUnavailable."""
    origins, wanted = _newest(viewer_id, limit)
    if list(origins) != wanted:
        # A change may have fallen between the two. A real difference is still there later.
        time.sleep(MARK_SECONDS * 1.2)
        origins, wanted = _newest(viewer_id, limit)
    ids = sorted({*origins, *wanted}, reverse=True)
    posts = Post.objects.select_related("author").in_bulk(ids)
    return [Row(i, origins.get(i, ""), i in wanted, posts.get(i)) for i in ids]


def _newest(viewer_id: int, limit: int) -> tuple[dict[int, str], list[int]]:
    """({id: origin} in the feed, ids of the reference), both newest first."""
    page = read_feed(viewer_id, limit=limit, mode=LOOKING)
    shown = {item.post_id: item.origin for item in page.items}
    return shown, reference_page_ids(viewer_id, below=MAX_ID, limit=limit)


def is_longer_than(viewer_id: int, most: int) -> bool:
    """Whether the reference feed has more menus than `most`."""
    return count_reference(viewer_id, most=most + 1) > most


def bound_statements(seconds: float) -> None:
    """Within a transaction: no statement takes longer than that."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('statement_timeout', %s, true)", [f"{max(1, int(seconds * 1000))}ms"]
        )
