"""How far a long run has come: a file, so that Ctrl-C loses no more than a segment."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.stateful.journal import Totals


@dataclass
class Progress:
    """`seed` and `segment` (its length) say which segments there are; `done` of them lie behind."""

    path: Path
    seed: int
    segment: int
    done: int = 0
    totals: Totals = field(default_factory=Totals)

    @classmethod
    def load(cls, path: Path, seed: int, segment: int) -> "Progress":
        """Go on with the run in the file if it is this one, else begin it."""
        progress = cls(path, seed, segment)
        try:
            stored: dict[str, Any] = json.loads(path.read_text())
        except (FileNotFoundError, ValueError):
            return progress
        if (stored.get("seed"), stored.get("segment")) == (seed, segment):
            counts = {name: Counter(stored["totals"].pop(name)) for name in ("actions", "accepted", "faults")}
            progress.done, progress.totals = stored["done"], Totals(**counts, **stored["totals"])
        return progress

    @property
    def next_seed(self) -> int:
        """Of the segment that is to come; every segment has one of its own, the same in every run."""
        return self.seed * 1_000_000 + self.done

    def finish(self, totals: Totals) -> None:
        """A segment lies behind, well or not."""
        self.totals.add(totals)
        self.done += 1
        state = {"seed": self.seed, "segment": self.segment, "done": self.done, "totals": vars(self.totals)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(state, indent=1))
        os.replace(partial, self.path)
