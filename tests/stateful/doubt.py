"""Which states a read may show.

A change that was acknowledged is there in the very next read: one state is right. One that was not (the process
died, or raw SQL went past the services) shows either state for a second, then the right one. So a read is right
when it lies between the states that are possible: what all of them show must be there, and nothing that none
shows. What a viewer has seen once stays.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.stateful.truth import Truth, read_truth

# The promise is one second; the rest is for our own clock, which starts when the change is known to be made.
DOUBT_SECONDS = 1.3


@dataclass(frozen=True, slots=True)
class Span:
    """Everything a viewer's read may show."""

    viewer_id: int
    states: tuple[Truth, ...]
    seen: frozenset[int] = frozenset()

    @property
    def required(self) -> frozenset[int]:
        feeds = [frozenset(state.feeds.get(self.viewer_id, ())) for state in self.states]
        return frozenset.intersection(*feeds) | (self.seen & feeds[-1])

    @property
    def allowed(self) -> frozenset[int]:
        return frozenset().union(*(state.feeds.get(self.viewer_id, ()) for state in self.states))

    @property
    def may_be_active(self) -> bool:
        return any(self.viewer_id in state.active for state in self.states)

    @property
    def may_be_inactive(self) -> bool:
        return any(self.viewer_id not in state.active for state in self.states)


@dataclass
class Doubts:
    """The truth now, and the states before changes that nobody acknowledged less than a second ago."""

    clock: Callable[[], float] = time.time  # what PostgreSQL and Redis go by on the same machine
    _now: Truth | None = None
    _before: list[tuple[float, Truth]] = field(default_factory=list)
    _seen: dict[int, set[int]] = field(default_factory=dict)

    def now(self) -> Truth:
        """The truth; read anew after a change, and when a mute has ended by itself."""
        if self._now is None or self.clock() >= self._now.good_until:
            self._now = read_truth()
        return self._now

    def changed(self) -> None:
        self._now = None

    def doubt(self, before: Truth) -> None:
        """A change was made, or perhaps not, and nobody was told."""
        self._before.append((time.monotonic() + DOUBT_SECONDS, before))

    @property
    def open(self) -> bool:
        self._drop_old()
        return bool(self._before)

    def wait(self) -> None:
        """Until every state is certain."""
        for until, _ in self._before:
            time.sleep(max(0.0, until - time.monotonic()))
        self._drop_old()

    def span(self, viewer_id: int, *states: Truth) -> Span:
        """What a read between `states` (the last is the truth after it) may show."""
        seen = frozenset(self._seen.get(viewer_id, ()))
        return Span(viewer_id, (*(before for _, before in self._before), *states), seen)

    def begin(self) -> Truth:
        """Before a read: the truth, with what is no longer in doubt forgotten."""
        self._drop_old()
        return self.now()

    def note_seen(self, viewer_id: int, ids: Iterable[int]) -> None:
        """While something is in doubt: what this viewer has seen and still may see does not go again."""
        if self._before:
            self._seen.setdefault(viewer_id, set()).update(ids)

    def forget_hidden(self) -> None:
        """After a change: what is no longer in somebody's feed may come back as if it was new."""
        feeds = self.now().feeds
        for viewer_id, ids in self._seen.items():
            ids.intersection_update(feeds.get(viewer_id, ()))

    def _drop_old(self) -> None:
        self._before = [(until, before) for until, before in self._before if until > time.monotonic()]
        if not self._before:
            self._seen.clear()
