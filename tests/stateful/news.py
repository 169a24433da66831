"""Refresh cursors kept from earlier pages, and what is new since then."""

import random
from dataclasses import dataclass
from typing import Any

from tests.stateful.doubt import Span
from tests.stateful.journal import Difference
from tests.stateful.reading import MOST_PAGES, Reader
from tests.stateful.walking import Walk

MOST_COUNTED = 99


@dataclass(frozen=True, slots=True)
class Refresh:
    """A refresh cursor of a first page. `visible`: surely in the feed then; `newest`: the last id ever drawn."""

    viewer_id: int
    cursor: str
    visible: frozenset[int]
    newest: int


def keep_refresh(reader: Reader, viewer_id: int, limit: int, dice: random.Random) -> Refresh | None:
    """Read page 1 and keep its refresh cursor; None: the viewer is not active."""
    drawn = max(reader.doubts.now().menus, default=0)
    walk = Walk(viewer_id, limit)
    page = reader.go_on(walk, dice)
    if page is None:
        return None
    visible = reader.doubts.span(viewer_id, reader.doubts.now()).required
    return Refresh(viewer_id, page["refresh_cursor"], visible, drawn)


def compare_news(reader: Reader, refresh: Refresh, limit: int, dice: random.Random) -> int | None:
    """Everything new since the cursor was given, by `since`, and their number by `/feed/updates`."""
    doubtful = reader.doubts.open
    ids = _all_news(reader, refresh, limit, dice)
    counted = _count(reader, refresh, dice)
    if ids is None or counted is None or doubtful:
        return None
    if counted["count"] != min(len(ids), MOST_COUNTED) or counted["capped"] != (len(ids) > MOST_COUNTED):
        raise Difference(f"{counted} of {len(ids)} new menus {ids}")
    return len(ids)


def _all_news(reader: Reader, refresh: Refresh, limit: int, dice: random.Random) -> list[int] | None:
    ids: list[int] = []
    query: dict[str, Any] = {"since": refresh.cursor, "limit": limit}
    for _ in range(MOST_PAGES):
        page, span = reader.get(refresh.viewer_id, query, reader.any_web(dice))
        if page is None:
            return None
        ids += [post["id"] for post in page["posts"]]
        if page["next_cursor"] is None:
            _judge(ids, refresh, span)
            return ids
        query["cursor"] = page["next_cursor"]
    raise Difference("what is new has no end")


def _judge(ids: list[int], refresh: Refresh, span: Span) -> None:
    if ids != sorted(set(ids), reverse=True):
        raise Difference(f"new menus repeated or out of order: {ids}")
    if ghosts := set(ids) - span.allowed:
        raise Difference(f"new though not in the feed: {sorted(ghosts)}")
    if known := set(ids) & refresh.visible:
        raise Difference(f"new though visible before: {sorted(known)}")
    if missing := {i for i in span.required if i > refresh.newest} - set(ids):
        raise Difference(f"not among the new: {sorted(missing)}; there are {ids}")


def _count(reader: Reader, refresh: Refresh, dice: random.Random) -> dict[str, Any] | None:
    counted, _ = reader.get(
        refresh.viewer_id, {"since": refresh.cursor}, reader.any_web(dice), path="/feed/updates"
    )
    return counted
