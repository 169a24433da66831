"""From how many read how often to posts, reads and inserts a second, memory and nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

DAY, YEAR, HOUR = 86_400, 365, 3_600
KEPT_FREE = 0.25  # of a node's memory: copies while it saves or resyncs, fragments, whatever else it holds


@dataclass(frozen=True, slots=True)
class Demand:
    """`reads` a day of each daily reader; `posting`: share of them who post once a day; `followers` of a post's
    author, on average; `peak`: the busiest second against the average one; `entries` of a stored feed; bytes of a
    post."""

    readers: float
    reads: float
    posting: float
    followers: float
    peak: float
    entries: int
    post_bytes: float

    @property
    def posts(self) -> float:
        return self.readers * self.posting

    @property
    def all_reads(self) -> float:
        return self.readers * self.reads

    @property
    def inserts(self) -> float:
        """Into followers' feeds, if all posts are pushed."""
        return self.posts * self.followers

    def feed_bytes(self, entry_bytes: float) -> float:
        """A stored feed for each daily reader."""
        return self.readers * self.entries * entry_bytes

    def rates(self) -> Iterator[tuple[str, float, float, float]]:
        """(what, a day, a second, a second at the peak)."""
        for what, count in (("posts", self.posts), ("reads", self.all_reads), ("inserts", self.inserts)):
            yield what, count, count / DAY, count / DAY * self.peak

    @property
    def post_bytes_a_year(self) -> float:
        return self.posts * YEAR * self.post_bytes


def nodes_for(needed: float, node_memory: float) -> tuple[int, int]:
    """How many nodes of so many bytes: filled to the last byte, and with KEPT_FREE."""
    return ceil(needed / node_memory), ceil(needed / (node_memory * (1 - KEPT_FREE)))


@dataclass(frozen=True, slots=True)
class Delivery:
    """The platform that Courtyard is made for: cooks, their customers, one lunch hour in which everybody looks."""

    cooks: int = 2_000
    customers: int = 200_000
    follows: int = 10
    posts: int = 4_000
    opens: int = 1_500_000
    lunch_opens: int = 600_000
    build_seconds: float = 0.035

    @property
    def opens_a_post(self) -> float:
        return self.opens / self.posts

    @property
    def lunch_opens_a_second(self) -> float:
        return self.lunch_opens / HOUR

    @property
    def database_seconds_a_second(self) -> float:
        """If each open built its feed anew, although it is the same feed."""
        return self.lunch_opens_a_second * self.build_seconds

    @property
    def pull_reads(self) -> int:
        """A day: each open would look at each author followed."""
        return self.opens * self.follows

    @property
    def followers_a_cook(self) -> float:
        return self.customers * self.follows / self.cooks

    @property
    def pushes(self) -> float:
        return self.posts * self.followers_a_cook
