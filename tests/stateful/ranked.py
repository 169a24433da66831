"""What must be true of the pages of a ranked list, whatever happens while one pages: each shows what may be shown at
that moment, nothing comes twice, and what is new is counted from the moment the list was made."""

import random
import time
from dataclasses import dataclass, field

from tests.stateful.journal import Difference
from tests.stateful.reading import Reader

GONE, AWAY = 410, 503
RECENT_SECONDS = 3.0  # after which nothing of an outage is to be seen any more


@dataclass
class RankedWalk:
    viewer_id: int
    limit: int
    cursor: str | None = None
    ended: bool = False
    shown: set[int] = field(default_factory=set)


def go_on(reader: Reader, walk: RankedWalk, dice: random.Random) -> bool:
    """The next page from any process; False: there is none, rightly. The list may be lost with Redis or pushed out by
    others of the viewer's, never while nothing was ever wrong with the first page."""
    query = {"order": "ranked", "limit": walk.limit} | ({"cursor": walk.cursor} if walk.cursor else {})
    shaken = bool(reader.world.stopped) or time.monotonic() - reader.healthy_since < RECENT_SECONDS
    also = [GONE] * (walk.cursor is not None) + [AWAY] * shaken
    page, span = reader.get(walk.viewer_id, query, reader.any_web(dice), also=also)
    if page is None:
        return False
    ids = [post["id"] for post in page["posts"]]
    who = f"the ranked feed of {reader.people.name(walk.viewer_id)}"
    if len(ids) > walk.limit:
        raise Difference(f"{who}: {len(ids)} menus on a page of {walk.limit}")
    if walk.shown & set(ids) or len(ids) != len(set(ids)):
        raise Difference(f"{who} repeats itself: {ids}")
    if ghosts := set(ids) - span.allowed:
        raise Difference(f"{who} shows what is not in the feed: {sorted(ghosts)}")
    if len(ids) < walk.limit and page["next_cursor"] is not None and not page["degraded"]:
        raise Difference(f"{who}: a page of {len(ids)} of {walk.limit} that is not the last")
    reader.judge_cards(page["posts"], span)
    walk.shown.update(ids)
    walk.cursor, walk.ended = page["next_cursor"], page["next_cursor"] is None
    return True
