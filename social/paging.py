"""Pages of rows by falling id: where one begins, and where the next does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from social.cursors import sign, unsign

DEFAULT_LIMIT, MAX_LIMIT = 20, 100


@dataclass(frozen=True, slots=True)
class Place:
    """Which page of a list: after `cursor` (None: from the top), at most `limit` rows."""

    cursor: str | None = None
    limit: int = DEFAULT_LIMIT

    def below(self, name: str, viewer_id: int) -> int | None:
        """The id that the rows are below (None: from the top), in the list of that name. InvalidCursor."""
        return None if self.cursor is None else unsign(_key(), name.encode(), viewer_id, self.cursor)[0]

    def cut(self, found: Sequence[Any], name: str, viewer_id: int) -> tuple[Sequence[Any], str | None]:
        """Of `limit` + 1 rows those of the page, and the cursor of the next; None at the end."""
        rows = found[: self.limit]
        more = len(found) > self.limit
        return rows, sign(_key(), name.encode(), viewer_id, [rows[-1].pk]) if more else None


TOP = Place()


def _key() -> bytes:
    return settings.SECRET_KEY.encode()
