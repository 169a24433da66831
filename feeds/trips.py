"""Counting what a read costs."""

from dataclasses import dataclass


@dataclass(slots=True)
class Trips:
    """Trips to PostgreSQL that a read made for its viewer; not the shared once-a-second ones."""

    postgresql: int = 0

    def count(self) -> None:
        self.postgresql += 1
