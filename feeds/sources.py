"""The sources of a feed, each with its floor: what was pushed to the viewer, own posts, pulled authors, overlay.

A list that is not there, or proves nothing, is built on the way.
"""

from dataclasses import dataclass

from feeds.builds import build_feed, build_timeline
from feeds.lists.commands import StoredList
from feeds.merge import Source
from feeds.opening import OpenFeed
from feeds.pulled import get_timelines, pulled_set
from feeds.relations import Relations
from feeds.trips import Trips
from posts.ids import MAX_ID


@dataclass(frozen=True, slots=True)
class Gathering:
    """What is to be gathered: at most `limit` ids below `below` of each source. `store`: keep what is built."""

    viewer_id: int
    opened: OpenFeed
    relations: Relations
    below: int
    limit: int
    store: bool
    trips: Trips

    def sources(self) -> list[Source]:
        """In the order in which a post is said to come from them."""
        feed, own = self._feed(), self._own()
        return [feed, own, *self._pulled(feed.floor), self._overlay()]

    def _feed(self) -> Source:
        stored = self.opened.stored.feed
        if stored.usable:
            return _source("pushed", stored)
        self.trips.count()
        read = build_feed(self.opened.keys, self.viewer_id, store=self.store)
        return Source("pushed", read.ids, read.floor)

    def _own(self) -> Source:
        stored = self.opened.stored.timeline
        if stored.usable:
            return _source("own", stored)
        self.trips.count()
        ids, floor = build_timeline(self.opened.keys, self.viewer_id, store=self.store)
        return Source("own", ids, floor)

    def _pulled(self, feed_floor: int) -> list[Source]:
        """Timelines of followed pulled authors; closed intervals only where they reach above the feed's floor."""
        until = pulled_set.get()
        authors = [a for a in self.relations.among(until) if (until[a] or MAX_ID) > feed_floor + 1]
        timelines = get_timelines(self.opened.keys, authors, store=self.store, trips=self.trips)
        sources = []
        for author, timeline in timelines.items():
            end = until[author]
            ids, floor = timeline.below(self.below if end is None else min(self.below, end), self.limit)
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
