"""A ranked list as it was made: kept in Redis for FEED_SNAPSHOT_TTL, and paged through by position."""

import json
import secrets
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from feeds.keys import Keys
from feeds.lists import commands
from feeds.ranking.values import Placed
from social.errors import Refusal

MOST_SNAPSHOTS = 6  # of a viewer: two or three devices, each reloaded once or twice
_NUMBER_BITS = 12  # by which two of the same microsecond differ
_LIFTED = 0x80  # in a mark; the rest of it is the source's index


class SnapshotExpired(Refusal):
    """The order is kept for a while only."""

    status = 410
    code = "snapshot_expired"

    def __init__(self) -> None:
        super().__init__(
            "This ranked list is no longer kept. Begin again at the first page, without a cursor."
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a menu stands where it stands: `score` is the product of `parts`."""

    score: float
    parts: Mapping[str, float]
    lifted: bool
    source: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`number` rises with time and tells it from the viewer's others. `values` are the parts of each post, one after
    the other, in the order of `parts`; `marks` a byte each. `degraded`: some posts may be missing."""

    number: int
    refresh_cursor: str
    degraded: bool
    parts: tuple[str, ...]
    sources: tuple[str, ...]
    recommends: frozenset[str]
    ids: array
    values: array
    marks: bytes

    @property
    def made_at_us(self) -> int:
        return self.number >> _NUMBER_BITS

    def source_of(self, index: int) -> str:
        return self.sources[self.marks[index] & ~_LIFTED]

    def explanation(self, index: int) -> Explanation:
        width = len(self.parts)
        parts = dict(zip(self.parts, self.values[index * width : (index + 1) * width], strict=True))
        score = 1.0
        for part in parts.values():
            score *= part
        return Explanation(score, parts, bool(self.marks[index] & _LIFTED), self.source_of(index))

    def pack(self) -> bytes:
        """Whole numbers and floats of this machine; `sys.byteorder` is the same on all that run this."""
        head = [
            self.number,
            self.refresh_cursor,
            self.degraded,
            self.parts,
            self.sources,
            sorted(self.recommends),
            len(self.ids),
        ]
        return b"\n".join(
            [json.dumps(head).encode(), self.ids.tobytes() + self.values.tobytes() + self.marks]
        )

    @classmethod
    def unpack(cls, packed: bytes) -> "Snapshot":
        head, _, body = packed.partition(b"\n")
        number, refresh_cursor, degraded, parts, sources, recommends, count = json.loads(head)
        ids, values = array("q"), array("f")
        end_of_ids, end_of_values = 8 * count, 8 * count + 4 * count * len(parts)
        ids.frombytes(body[:end_of_ids])
        values.frombytes(body[end_of_ids:end_of_values])
        return cls(
            number,
            refresh_cursor,
            degraded,
            tuple(parts),
            tuple(sources),
            frozenset(recommends),
            ids,
            values,
            body[end_of_values:],
        )


def new_snapshot(
    placed: Sequence[Placed],
    *,
    made_at_us: int,
    refresh_cursor: str,
    degraded: bool,
    parts: tuple[str, ...],
    recommends: frozenset[str],
) -> Snapshot:
    sources = tuple(dict.fromkeys(one.scored.candidate.source for one in placed))
    return Snapshot(
        made_at_us << _NUMBER_BITS | secrets.randbits(_NUMBER_BITS),
        refresh_cursor,
        degraded,
        parts,
        sources,
        recommends.intersection(sources),
        array("q", [one.post_id for one in placed]),
        array("f", [one.scored.parts[part] for one in placed for part in parts]),
        bytes(sources.index(one.scored.candidate.source) | (_LIFTED if one.lifted else 0) for one in placed),
    )


def keep(keys: Keys, viewer_id: int, snapshot: Snapshot) -> None:
    """ListsUnavailable."""
    commands.keep_snapshot(
        keys,
        viewer_id,
        snapshot.number,
        snapshot.pack(),
        most=MOST_SNAPSHOTS,
        seconds=settings.FEED_SNAPSHOT_TTL,
    )


def find(keys: Keys, viewer_id: int, number: int, *, now_us: int) -> Snapshot:
    """SnapshotExpired, ListsUnavailable. `now_us` is by the clock that it was made by, the feed Redis's."""
    packed = commands.get_snapshot(keys, viewer_id, number)
    if packed is None:
        raise SnapshotExpired
    snapshot = Snapshot.unpack(packed)
    # The key lives on when another is put beside it.
    if now_us - snapshot.made_at_us > settings.FEED_SNAPSHOT_TTL * 1e6:
        raise SnapshotExpired
    return snapshot
