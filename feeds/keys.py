"""All keys of the feed Redis. They are built here and never parsed.

Every key carries the run id of the server it is meant for, so that data which a restarted or failed-over
server brings back from the past is not found; stored lists and values carry the epoch too (feeds/epoch.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one server (`run_id`, 40 hex digits) at one epoch."""

    run_id: str
    epoch: int
    prefix: str

    @classmethod
    def of(cls, run_id: str, epoch: int) -> "Keys":
        return cls(run_id, epoch, f"cy:{run_id[:12]}:{epoch}:")

    @property
    def overlay(self) -> str:
        """Without the epoch: it is the overlay that tells a process of a new one."""
        return f"cy:{self.run_id[:12]}:overlay"

    def feed(self, viewer_id: int) -> str:
        return f"{self.prefix}feed:{viewer_id}"

    def feeds(self, viewer_ids: list[int]) -> list[str]:
        head = f"{self.prefix}feed:"
        return [f"{head}{viewer_id}" for viewer_id in viewer_ids]

    def timeline(self, author_id: int) -> str:
        return f"{self.prefix}timeline:{author_id}"

    def follows(self, viewer_id: int) -> str:
        return f"{self.prefix}follows:{viewer_id}"

    def likes(self, viewer_id: int) -> str:
        return f"{self.prefix}likes:{viewer_id}"

    def card(self, post_id: int) -> str:
        return f"{self.prefix}post:{post_id}"

    def snapshots(self, viewer_id: int) -> str:
        return f"{self.prefix}snapshots:{viewer_id}"

    @property
    def notes(self) -> str:
        """What was seen and opened, on its way into PostgreSQL; without the epoch, which it outlives."""
        return f"cy:{self.run_id[:12]}:notes"

    @property
    def notes_taken(self) -> str:
        """Those that somebody is bringing there."""
        return f"cy:{self.run_id[:12]}:notes:taken"

    def counts(self, seconds: int, number: int) -> str:
        """What was counted in span `number` of so many seconds since 1970; without the epoch, which it outlives."""
        return f"cy:{self.run_id[:12]}:counts:{seconds}:{number}"

    def scratch(self, name: str) -> str:
        """Of a measurement; nobody reads a feed from it."""
        return f"{self.prefix}scratch:{name}"

    def account(self, account_id: int) -> str:
        return f"{self.prefix}account:{account_id}"
