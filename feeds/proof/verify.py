"""Comparing feeds with the reference query, viewer by viewer."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from feeds.overlay import MARK_SECONDS
from feeds.page import Item, Page
from feeds.proof.contents import Contents
from feeds.proof.doctor import Diagnosis, diagnose
from feeds.reading import LOOKING, SignedOut, read_feed
from feeds.reference import reference_feed_ids
from social.models import Account
from social.paging import MAX_LIMIT

MOST_EXPLAINED = 10
MOST_POSTS = 1_000_000  # a walk that goes on for longer is a difference by itself


@dataclass
class Difference:
    """A feed that is not as it should be. `stale`: posts that are there, but not as PostgreSQL has them."""

    viewer_id: int
    missing: list[int]
    extra: list[int]
    repeated: list[int]
    stale: list[int]
    explanation: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [
            f"{len(ids)} {name} (first: {ids[0]})"
            for name, ids in (
                ("missing", self.missing),
                ("extra", self.extra),
                ("repeated", self.repeated),
                ("stale", self.stale),
            )
            if ids
        ]
        return f"viewer {self.viewer_id}: {', '.join(parts) or 'another order'}"


@dataclass
class Tally:
    """What a run has seen so far. `stored`: feeds that needed no PostgreSQL; `posts` by where they came from."""

    checked: int = 0
    stored: int = 0
    skipped: int = 0
    posts: Counter[str] = field(default_factory=Counter)
    differing: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.checked += other.checked
        self.stored += other.stored
        self.skipped += other.skipped
        self.posts += other.posts
        self.differing += other.differing
        self.differences = (self.differences + other.differences)[:MOST_EXPLAINED]


@dataclass
class Walk:
    items: list[Item] = field(default_factory=list)
    queries: int = 0

    @property
    def ids(self) -> list[int]:
        return [item.post_id for item in self.items]

    @property
    def origins(self) -> Counter[str]:
        return Counter(item.origin for item in self.items)


def walk_feed(viewer_id: int, *, limit: int = MAX_LIMIT) -> Walk:
    """All pages of a feed, through the API's own code, leaving no trace of a visit."""
    walk, cursor = Walk(), None
    while len(walk.items) <= MOST_POSTS:
        page: Page = read_feed(viewer_id, cursor=cursor, limit=limit, mode=LOOKING)
        walk.items += page.items
        walk.queries += page.queries
        cursor = page.next_cursor
        if cursor is None:
            break
    return walk


def verify_viewers(viewer_ids: Iterable[int], *, limit: int = MAX_LIMIT) -> Tally:
    """Compare the feeds of viewers with the reference query, and what they show of each post with PostgreSQL."""
    tally, contents = Tally(), Contents()
    suspects = [viewer_id for viewer_id in viewer_ids if not _agrees(viewer_id, limit, tally, contents)]
    if suspects:
        # A change may have fallen between the walk and the query. A real difference is still there later.
        time.sleep(MARK_SECONDS * 1.2)
    for viewer_id in suspects:
        _look_again(viewer_id, limit, tally, contents)
    return tally


def _agrees(viewer_id: int, limit: int, tally: Tally, contents: Contents) -> bool:
    try:
        walk = walk_feed(viewer_id, limit=limit)
    except SignedOut:  # deactivated: has no feed
        tally.skipped += 1
        return True
    tally.checked += 1
    tally.stored += walk.queries == 0
    tally.posts += walk.origins
    return walk.ids == reference_feed_ids(viewer_id) and not contents.stale(viewer_id, walk.items)


def _look_again(viewer_id: int, limit: int, tally: Tally, contents: Contents) -> None:
    """Count a difference, unless the truth moved while it was looked at."""
    before = reference_feed_ids(viewer_id)
    try:
        walk, wanted = walk_feed(viewer_id, limit=limit), reference_feed_ids(viewer_id)
    except SignedOut:  # deactivated meanwhile
        return
    stale = contents.stale(viewer_id, walk.items)
    if before == wanted and (walk.ids != wanted or stale):
        tally.differing += 1
        if len(tally.differences) < MOST_EXPLAINED:
            tally.differences.append(_difference(viewer_id, walk.ids, wanted, stale))


def _difference(viewer_id: int, shown: list[int], wanted: list[int], stale: list[int]) -> Difference:
    counts = Counter(shown)
    difference = Difference(
        viewer_id,
        missing=sorted(set(wanted) - set(shown), reverse=True),
        extra=sorted(set(shown) - set(wanted), reverse=True),
        repeated=[post_id for post_id, count in counts.items() if count > 1],
        stale=stale,
    )
    viewer = Account.objects.get(pk=viewer_id)
    for post_id in (difference.missing + difference.extra + difference.stale)[:3]:
        difference.explanation += _explain(diagnose(viewer, post_id))
    return difference


def _explain(found: Diagnosis) -> list[str]:
    """What is known about one post, a line each."""
    findings = [*found.rules, *found.places, *found.delivery]
    lines = [f"{'no: ' if f.holds is False else ''}{f.name}: {f.value or 'yes'}" for f in findings]
    return [found.verdict, *(f"  {line}" for line in lines)]
