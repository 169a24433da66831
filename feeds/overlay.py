"""The overlay: what was published or changed a moment ago, and all that is not yet delivered.

One Redis key that everyone reads before anything else. It overrides every cache that may be older. Its entries:

    post:{id}:{author}     published; merged into the feeds of the author's followers
    changed:{post}         edited or deleted; process memory must not be used for it
    undelivered:{post}     the same, and even Redis may still hold what it was
    account:{id}           an account's card changed
    account!:{id}          the same, and Redis may still hold what it was
    viewer:{id}            a viewer's follows or mutes changed; they are read from PostgreSQL
    likes!:{id}            a viewer's likes changed, and Redis may still hold what they were

and `mark:{generation}:{valid until, us}:{epoch}:{flooded}`. A mark says: every change that was committed before
its build began is listed, if unfinished or finished in the last FEED_OVERLAY_SECONDS. It is valid for a second
and never extended; then the next reader, or a background thread, builds it anew from the outbox.

A process keeps its copy and fetches only what was appended since (scores are positions). The copy may list what
has left already; that costs a little and harms nothing, and the copy is fetched whole every few seconds.
"""

import re
import time
from dataclasses import dataclass, field, replace

from django.conf import settings
from django.db import connection

from feeds.keys import Keys
from feeds.lists import Command, commands
from feeds.models import Outbox

MARK_SECONDS = 1.0
COPY_SECONDS = 2.0
MOST_ENTRIES = 10_000
_ENTRY = re.compile(
    r"(post(?=:\d+:\d)|changed|undelivered|account!?|viewer|likes!):(\d{1,18})(?::(\d{1,18}))?", re.ASCII
)

Kind = Outbox.Kind


@dataclass(frozen=True, slots=True)
class Mark:
    generation: str
    valid_until_us: int
    epoch: int
    flooded: bool

    @classmethod
    def parse(cls, member: str) -> "Mark":
        _, generation, valid_until, epoch, flooded = member.split(":")
        return cls(generation, int(valid_until), int(epoch), flooded == "1")

    @classmethod
    def of(cls, members: list[str]) -> "Mark | None":
        try:
            return next((cls.parse(member) for member in members if member.startswith("mark:")), None)
        except ValueError:  # damage: no mark, so the overlay is built anew
            return None

    @staticmethod
    def text(valid_until_us: int, epoch: int, flooded: bool) -> str:
        return f"{valid_until_us}:{epoch}:{int(flooded)}"


@dataclass(frozen=True, slots=True)
class Overlay:
    """A process's copy, complete up to `position` of one generation; never changed, only replaced."""

    position: int = 0
    fetched_at: float = 0.0
    mark: Mark | None = None
    published: dict[int, int] = field(default_factory=dict)  # post id -> author id
    changed: frozenset[int] = frozenset()
    undelivered: frozenset[int] = frozenset()
    accounts: frozenset[int] = frozenset()
    undelivered_accounts: frozenset[int] = frozenset()
    viewers: frozenset[int] = frozenset()
    undelivered_likes: frozenset[int] = frozenset()

    def trusted(self, now_us: int) -> bool:
        return self.mark is not None and now_us < self.mark.valid_until_us

    @property
    def flooded(self) -> bool:
        """Too many changes to list: pages come from PostgreSQL."""
        return self.mark is not None and self.mark.flooded

    def with_entries(self, entries: list[str]) -> "Overlay":
        """This copy and `entries` in it."""
        if not entries:
            return self
        found: dict[str, dict[int, int]] = {}
        for match in filter(None, map(_ENTRY.fullmatch, entries)):  # anything else is not ours
            kind, subject, author = match.groups("0")
            found.setdefault(kind, {})[int(subject)] = int(author)

        def ids(kind: str) -> frozenset[int]:
            return frozenset(found.get(kind, ()))

        undelivered, undelivered_accounts = ids("undelivered"), ids("account!")
        return replace(
            self,
            published=self.published | found.get("post", {}),
            changed=self.changed | ids("changed") | undelivered,
            undelivered=self.undelivered | undelivered,
            accounts=self.accounts | ids("account") | undelivered_accounts,
            undelivered_accounts=self.undelivered_accounts | undelivered_accounts,
            viewers=self.viewers | ids("viewer"),
            undelivered_likes=self.undelivered_likes | ids("likes!"),
        )

    def unlisted(self, built: "Overlay") -> list[str]:
        """The entries of what was just read from the outbox that this copy lacks."""
        return [
            *(f"post:{i}:{built.published[i]}" for i in built.published.keys() - self.published.keys()),
            *(f"undelivered:{i}" for i in built.undelivered - self.undelivered),
            *(f"changed:{i}" for i in built.changed - built.undelivered - self.changed),
            *(f"account!:{i}" for i in built.undelivered_accounts - self.undelivered_accounts),
            *(f"account:{i}" for i in built.accounts - built.undelivered_accounts - self.accounts),
            *(f"viewer:{i}" for i in built.viewers - self.viewers),
            *(f"likes!:{i}" for i in built.undelivered_likes - self.undelivered_likes),
        ]

    def joined(self, built: "Overlay") -> "Overlay":
        """This copy and what was just read from the outbox, which vouches for it."""
        return replace(
            self,
            mark=built.mark,
            published=self.published | built.published,
            changed=self.changed | built.changed,
            undelivered=self.undelivered | built.undelivered,
            accounts=self.accounts | built.accounts,
            undelivered_accounts=self.undelivered_accounts | built.undelivered_accounts,
            viewers=self.viewers | built.viewers,
            undelivered_likes=self.undelivered_likes | built.undelivered_likes,
        )

    def advanced(self, reply: list[bytes]) -> "Overlay | None":
        """This copy with what a reply holds above its position; None: the reply is of another generation."""
        members = [member.decode(errors="replace") for member in reply[::2]]
        mark = Mark.of(members)
        if self.position and (mark is None or (self.mark and mark.generation != self.mark.generation)):
            return None
        entries = [
            (m, int(float(score)))
            for m, score in zip(members, reply[1::2], strict=True)
            if not m.startswith(("mark:", "building:"))
        ]
        position = max((score for _, score in entries), default=self.position)
        return replace(self.with_entries([m for m, _ in entries]), mark=mark, position=position)


_copy = Overlay()


def own_copy() -> Overlay:
    """The copy to fetch upon; an empty one when it is time to fetch the whole."""
    return _copy if time.monotonic() - _copy.fetched_at < COPY_SECONDS else Overlay()


def keep_copy(overlay: Overlay, asked_at: float) -> None:
    """Keep a copy for this process; the last of several threads wins, each copy is right by itself."""
    global _copy
    _copy = replace(overlay, fetched_at=overlay.fetched_at or asked_at)


def forget_copy() -> None:
    global _copy
    _copy = Overlay()


# --- Building it from the outbox ---------------------------------------------------------------------------

_READ_OUTBOX = """
SELECT s.epoch, o.kind, o.subject_id, o.author_id, o.pending
FROM (SELECT coalesce((SELECT epoch FROM feeds_feedsettings WHERE id = 1), 1) AS epoch) s
LEFT JOIN (
    (SELECT kind, subject_id, author_id, true AS pending FROM feeds_outbox
     WHERE done_at IS NULL ORDER BY id LIMIT %(limit)s)
    UNION ALL
    (SELECT kind, subject_id, author_id, false FROM feeds_outbox
     WHERE done_at > clock_timestamp() - %(keep)s * interval '1 second' ORDER BY done_at DESC LIMIT %(limit)s)
) o ON true
"""


# For each kind of change: its entry while not yet delivered, and for a moment after (none: no process remembers
# what it was).
_ENTRIES: dict[str, tuple[str, str]] = {
    Kind.PUBLISHED: ("post:{subject}:{author}", "post:{subject}:{author}"),
    Kind.EDITED: ("undelivered:{subject}", "changed:{subject}"),
    Kind.DELETED: ("undelivered:{subject}", "changed:{subject}"),
    Kind.FOLLOWED: ("viewer:{subject}", "viewer:{subject}"),
    Kind.UNFOLLOWED: ("viewer:{subject}", "viewer:{subject}"),
    Kind.MUTES_CHANGED: ("viewer:{subject}", "viewer:{subject}"),
    Kind.LIKES_CHANGED: ("likes!:{subject}", ""),
    Kind.ACCOUNT_CHANGED: ("account!:{subject}", "account:{subject}"),
}


def entry_of(kind: str, subject: int, author: int | None, *, pending: bool) -> str:
    """The overlay's entry for a change, or nothing; `pending`: not yet delivered."""
    return _ENTRIES[kind][0 if pending else 1].format(subject=subject, author=author)


def read_outbox() -> tuple[int, list[str], bool]:
    """(epoch, entries, whether there are too many) as PostgreSQL has them now; one indexed query."""
    with connection.cursor() as cursor:
        cursor.execute(_READ_OUTBOX, {"limit": MOST_ENTRIES + 1, "keep": settings.FEED_OVERLAY_SECONDS})
        rows = cursor.fetchall()
    entries = {
        entry
        for _, kind, subject_id, author_id, pending in rows
        if kind is not None and (entry := entry_of(kind, subject_id, author_id, pending=pending))
    }
    # Rows count as well: several may share an entry, and those beyond the limit were not read.
    pending = sum(1 for row in rows if row[-1])
    flooded = max(len(entries), pending, len(rows) - pending) > MOST_ENTRIES
    return rows[0][0], sorted(entries), flooded


def build_overlay(keys: Keys) -> Overlay:
    """The overlay from the outbox, stored unless somebody else is at it; what was read answers in any case."""
    begun = commands.begin_overlay(keys)
    epoch, entries, flooded = read_outbox()
    listed = [] if flooded else entries
    valid_until = 0
    if begun is not None:
        token, placed_us = begun
        valid_until = placed_us + int(MARK_SECONDS * 1e6)
        # An entry's change is in the outbox for as long as the entry is needed; one that is not found any
        # more, and was listed well before the outbox was read, is finished (or was rolled back).
        sweep_below = placed_us - int((settings.FEED_OVERLAY_SECONDS + 1) * 1e6)
        mark = Mark.text(valid_until, epoch, flooded)
        commands.store_overlay(keys, token, sweep_below=sweep_below, mark=mark, entries=listed)
    return Overlay(mark=Mark("", valid_until, epoch, flooded)).with_entries(listed)


def list_command(keys: Keys, entries: list[str]) -> Command:
    """List changes in the overlay."""
    return commands.add_to_overlay_command(keys, entries)
