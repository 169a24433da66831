"""The sources of a feed, each with its floor: what was pushed to the viewer, own posts, pulled authors, overlay.

A list that is not there, or proves nothing, is built on the way, if the read may.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from feeds.access import Access
from feeds.builds import build_feed, build_timeline
from feeds.lists.commands import StoredList
from feeds.merge import Source
from feeds.opening import OpenFeed
from feeds.pulled import get_timelines, pulled_set, stored_timelines
from feeds.relations import Relations
from posts.ids import MAX_ID


@dataclass(frozen=True, slots=True)
class Span:
    """Which ids are wanted of each source: at most `limit` between two ids, the newest of them."""

    below: int
    above: int
    limit: int


@dataclass(frozen=True, slots=True)
class Gathering:
    """What is to be gathered, from the viewer's own stored lists `feed` and `timeline` as far as they were read, and
    from everybody's. `store`: keep what is built."""

    viewer_id: int
    opened: OpenFeed
    feed: StoredList
    timeline: StoredList
    relations: Relations
    span: Span
    store: bool
    access: Access

    def sources(self) -> list[Source]:
        """In the order in which a post is said to come from them. Away, when something has to be built."""
        feed, own = self._feed(), self._own()
        return [feed, own, *self._pulled(feed.floor), self._overlay()]

    def stored_sources(self) -> Iterator[Source]:
        """What is there, without PostgreSQL and without any claim to be complete."""
        yield Source("pushed", self.feed.ids, MAX_ID)
        yield Source("own", self.timeline.ids, MAX_ID)
        until = pulled_set.known()
        for author, timeline in stored_timelines(self.opened.keys, self.relations.among(until)).items():
            ids, _ = timeline.between(
                self.span.above, min(self.span.below, until[author] or MAX_ID), self.span.limit
            )
            yield Source("pulled", ids, MAX_ID)
        yield self._overlay()

    def _feed(self) -> Source:
        if self.feed.usable:
            return _source("pushed", self.feed)
        with self.access.trip():
            read = build_feed(self.opened.keys, self.viewer_id, store=self.store)
        return Source("pushed", read.ids, read.floor)

    def _own(self) -> Source:
        if self.timeline.usable:
            return _source("own", self.timeline)
        with self.access.trip():
            ids, floor = build_timeline(self.opened.keys, self.viewer_id, store=self.store)
        return Source("own", ids, floor)

    def _pulled(self, feed_floor: int) -> list[Source]:
        """Timelines of followed pulled authors; closed intervals only where they reach above the feed's floor."""
        span, until = self.span, pulled_set.get()
        least = max(feed_floor, span.above) + 1
        authors = [a for a in self.relations.among(until) if (until[a] or MAX_ID) > least]
        timelines = get_timelines(self.opened.keys, authors, store=self.store, access=self.access)
        sources = []
        for author, timeline in timelines.items():
            end = until[author]
            below = span.below if end is None else min(span.below, end)
            ids, floor = timeline.between(span.above, below, span.limit)
            # Ids from the interval's end on were pushed: nothing of them is missing here.
            sources.append(Source("pulled", ids, floor if end is None else min(floor, end - 1)))
        return sources

    def _overlay(self) -> Source:
        published = self.opened.overlay.published.items()
        ids = [post for post, author in published if author in self.relations or author == self.viewer_id]
        return Source("overlay", ids, 0)


def _source(name: str, stored: StoredList) -> Source:
    """A stored list as far as it was read: cut by a LIMIT, it is complete down to the lowest id read."""
    assert stored.floor is not None
    floor = max(stored.floor, stored.ids[-1] - 1) if stored.cut and stored.ids else stored.floor
    return Source(name, stored.ids, floor)
