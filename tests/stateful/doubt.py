"""Which states a read may show.

A change that was acknowledged is there in the very next read: one state is right. One that was not (the process
died, or raw SQL went past the services) shows either state for a second, then the right one. So a read is right
when it lies between the states that are possible: what is certain must be there, and nothing that cannot be. What a
viewer has seen once stays.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.stateful.truth import Menu, Truth, read_truth

# The promise is one second; the rest is for our own clock, which starts when the change is known to be made.
DOUBT_SECONDS = 1.3


@dataclass(frozen=True, slots=True)
class Doubt:
    """Between two states, one of which a read may show: for each menu, account, pair by itself, since what was
    acknowledged meanwhile is certain beside it."""

    before: Truth
    after: Truth
    until: float

    @property
    def menus(self) -> set[int]:
        """Menus that may be there or not, or may read one way or the other."""
        before, after = self.before.menus, self.after.menus
        return {i for i in before.keys() | after.keys() if before.get(i) != after.get(i)}

    def authors(self, viewer_id: int) -> set[int]:
        """Authors all of whose menus, later ones too, may be in the viewer's feed or not."""
        pairs, active = self.before.pairs ^ self.after.pairs, self.before.active ^ self.after.active
        return {author for viewer, author in pairs if viewer == viewer_id} | active


@dataclass(frozen=True, slots=True)
class Span:
    """Everything a viewer's read may show. `states`: the truth before and after it, mostly the same."""

    viewer_id: int
    states: tuple[Truth, ...]
    doubts: tuple[Doubt, ...]
    seen: frozenset[int] = frozenset()

    @property
    def required(self) -> frozenset[int]:
        """What is certain, and menus that were seen already. (A follow by raw SQL is another matter: what lies below
        the stored lists shows it a moment before what lies in them.)"""
        feeds = [frozenset(state.feeds.get(self.viewer_id, ())) for state in self.states]
        certain = frozenset.intersection(*feeds) - self._doubtful_menus
        return (certain | (self.seen & feeds[-1])) - self._of_doubtful_authors

    @property
    def allowed(self) -> frozenset[int]:
        feeds = [state.feeds.get(self.viewer_id, ()) for state in self.states]
        return frozenset().union(*feeds, self._doubtful_menus, self._of_doubtful_authors)

    @property
    def _doubtful_menus(self) -> frozenset[int]:
        return frozenset().union(*(doubt.menus for doubt in self.doubts))

    @property
    def _of_doubtful_authors(self) -> frozenset[int]:
        authors: set[int] = set().union(*(doubt.authors(self.viewer_id) for doubt in self.doubts))
        menus = {i: menu for state in self.possible for i, menu in state.menus.items()} if authors else {}
        return frozenset(i for i, menu in menus.items() if menu.author_id in authors)

    def may_read(self, post_id: int, menu: Menu, name: str, liked: bool) -> bool:
        """Whether a menu may look like this: each part as in any state that is possible."""
        states = self.possible
        names = {state.names.get(menu.author_id) for state in states}
        likes = {(self.viewer_id, post_id) in state.likes for state in states}
        return menu in [state.menus.get(post_id) for state in states] and name in names and liked in likes

    @property
    def possible(self) -> list[Truth]:
        return [*self.states, *(state for doubt in self.doubts for state in (doubt.before, doubt.after))]

    @property
    def may_be_active(self) -> bool:
        return any(self.viewer_id in state.active for state in self.possible)

    @property
    def may_be_inactive(self) -> bool:
        return any(self.viewer_id not in state.active for state in self.possible)


@dataclass
class Doubts:
    """The truth now, and the states before changes that nobody acknowledged less than a second ago."""

    clock: Callable[[], float] = time.time  # what PostgreSQL and Redis go by on the same machine
    _now: Truth | None = None
    _doubts: list[Doubt] = field(default_factory=list)
    _seen: dict[int, dict[int, str]] = field(default_factory=dict)

    def now(self) -> Truth:
        """The truth; read anew after a change, and when a mute has ended by itself."""
        if self._now is None or self.clock() >= self._now.good_until:
            self._now = read_truth()
        return self._now

    def changed(self) -> None:
        self._now = None

    def doubt(self, before: Truth, after: Truth) -> None:
        """A change was made, and nobody was told."""
        self._doubts.append(Doubt(before, after, time.monotonic() + DOUBT_SECONDS))

    @property
    def open(self) -> bool:
        self._drop_old()
        return bool(self._doubts)

    def wait(self) -> None:
        """Until every state is certain."""
        for doubt in self._doubts:
            time.sleep(max(0.0, doubt.until - time.monotonic()))
        self._drop_old()

    def span(self, viewer_id: int, *states: Truth) -> Span:
        """What a read between `states` (the last is the truth after it) may show."""
        seen = frozenset(self._seen.get(viewer_id, ()))
        return Span(viewer_id, states, tuple(self._doubts), seen)

    def begin(self) -> Truth:
        """Before a read: the truth, with what is no longer in doubt forgotten."""
        self._drop_old()
        return self.now()

    def note_seen(self, viewer_id: int, ids: Iterable[int], where: str) -> None:
        """While something is in doubt: what this viewer has seen and still may see does not go again."""
        if self._doubts:
            seen = self._seen.setdefault(viewer_id, {})
            seen.update((i, where) for i in ids if i not in seen)

    def seen_where(self, viewer_id: int, post_id: int) -> str:
        """Where a menu was first seen that nobody had acknowledged."""
        return self._seen.get(viewer_id, {}).get(post_id, "never")

    def forget_hidden(self) -> None:
        """After a change: what is no longer in somebody's feed may come back as if it was new."""
        feeds = self.now().feeds
        for viewer_id, ids in self._seen.items():
            for post_id in ids.keys() - set(feeds.get(viewer_id, ())):
                del ids[post_id]

    def _drop_old(self) -> None:
        self._doubts = [doubt for doubt in self._doubts if doubt.until > time.monotonic()]
        if not self._doubts:
            self._seen.clear()
