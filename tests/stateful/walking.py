"""What must be true of the pages of one walk through a feed, whatever happens between them.

Promise 5: following `next_cursor` from page 1 yields every post of the reference feed at the time of page 1, less
those that stop being visible meanwhile, each once, in order.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from tests.stateful.doubt import Span
from tests.stateful.journal import Difference


@dataclass
class Walk:
    """`due`: ids that were there at page 1 and are still to come; `cursor` None before the first page."""

    viewer_id: int
    limit: int
    cursor: str | None = None
    ended: bool = False
    due: set[int] = field(default_factory=set)
    _last: float = float("inf")
    _shown: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)  # from the last page, if anything
    _begun: bool = False

    def keep_visible(self, feed: Collection[int]) -> None:
        """After a change: what is no longer in the feed need not come."""
        self.due.intersection_update(feed)

    def take(self, page: dict[str, Any], span: Span) -> list[int]:
        """Judge a page by what it may show; the ids on it. Difference."""
        ids: list[int] = [post["id"] for post in page["posts"]]
        if not self._begun:
            self.due, self._begun = set(span.required), True
        self.cursor, self.ended = page["next_cursor"], page["next_cursor"] is None
        if len(ids) > self.limit:
            raise Difference(f"{len(ids)} menus on a page of {self.limit}")
        if self._shown & set(ids) or ids != sorted(set(ids), reverse=True) or (ids and ids[0] >= self._last):
            raise Difference(f"repeated or out of order: {ids}, after {self._last}")
        if ghosts := set(ids) - span.allowed:
            raise Difference(f"shown though not in the feed: {sorted(ghosts)}")
        if page["degraded"]:
            self._take_degraded(ids)
        else:
            self._take_whole(ids, span.required)
        self.due.difference_update(ids)
        self._shown.update(ids)
        return ids

    def _take_whole(self, ids: list[int], required: frozenset[int]) -> None:
        """A page reaches down to its last id, the last page to the first menu ever."""
        reach = 0 if self.ended else ids[-1] if ids else self._last
        # What was due, wherever an earlier page should have had it; what came since only between ids shown.
        late = {i for i in required if ids and reach <= i < ids[0]} - self._shown
        self.missing = ({i for i in self.due & required if i >= reach} | late) - set(ids)
        if self.missing:
            raise Difference(f"not shown: {sorted(self.missing)}; the page has {ids}")
        self._last = ids[-1] if ids else self._last

    def _take_degraded(self, ids: list[int]) -> None:
        """It shows what there is, so the next page may begin above its last id; and it never ends a walk."""
        if self.ended:
            raise Difference(f"a degraded page without a cursor: {ids}")
