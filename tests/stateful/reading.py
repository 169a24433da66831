"""Reads over HTTP, each compared with what it may show."""

import random
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.stateful.client import Answer
from tests.stateful.doubt import Doubts, Span
from tests.stateful.journal import Difference, Journal
from tests.stateful.people import People
from tests.stateful.processes import Web
from tests.stateful.truth import Menu, Truth
from tests.stateful.walking import Walk
from tests.stateful.world import World

LIMITS = (1, 2, 3, 7, 20, 100)
MOST_PAGES = 1000
LIKE_SECONDS = 6.0  # a count is right within 2 s where worker and beat have a processor to themselves


@dataclass
class Reader:
    """Reads as any viewer on any web process."""

    world: World
    people: People
    doubts: Doubts
    journal: Journal
    healthy_since: float = field(default_factory=time.monotonic)  # nothing stopped or killed since
    liked_at: dict[int, float] = field(default_factory=dict)  # menu -> its likes changed last

    def shaken(self, settle: float = 0.0) -> None:
        """Something was wrong until now, and may need seconds to settle."""
        self.healthy_since = max(self.healthy_since, time.monotonic() + settle)

    def any_web(self, dice: random.Random) -> Web:
        here = [web for web in self.world.webs if web.here]
        return dice.choice(here or self.world.webs)

    def compare(self, viewer_id: int, dice: random.Random) -> None:
        """One viewer's feed: two pages, or to the end; each page from any process."""
        limit, to_the_end = dice.choice(LIMITS), dice.random() < 0.3
        if to_the_end and limit < 7 and dice.random() < 0.8:
            limit = 20  # a walk in steps of one is a hundred reads
        walk = Walk(viewer_id, limit)
        for _ in range(MOST_PAGES if to_the_end else 2):
            if not self.go_on(walk, dice) or walk.ended:
                return
        if to_the_end:
            raise Difference(f"the feed of {self.people.name(viewer_id)} has no end")

    def go_on(self, walk: Walk, dice: random.Random) -> dict[str, Any] | None:
        """The walk's next page; None: the viewer is not signed in any more, rightly."""
        query: dict[str, Any] = {"limit": walk.limit}
        if walk.cursor is not None:
            query["cursor"] = walk.cursor
        web = self.any_web(dice)
        try:
            page, span = self.get(walk.viewer_id, query, web)
            if page is not None:
                ids = walk.take(page, span)
                if not self.world.stopped & {"feed Redis stopped"}:  # nobody could tell the others
                    self.doubts.note_seen(walk.viewer_id, ids, f"{web.name} at {self.journal.now}")
                self.judge_cards(page["posts"], span)
        except Difference as difference:
            who = self.people.name(walk.viewer_id)
            seen = {i: self.doubts.seen_where(walk.viewer_id, i) for i in walk.missing}
            seen = {i: where for i, where in seen.items() if where != "never"}
            raise Difference(f"{who}'s feed on {web.name}, {query}: {difference} (seen: {seen})") from None
        return page

    def get(
        self,
        viewer_id: int,
        query: dict[str, Any],
        web: Web,
        path: str = "/feed",
        *,
        also: Collection[int] = (),
    ) -> tuple[dict[str, Any] | None, Span]:
        """A read's body and what it may show. None also for the statuses in `also`."""
        before = self.doubts.begin()
        answer = web.client.call(
            "GET", f"/api/v1{path}?{urlencode(query)}", token=self.people.token(viewer_id)
        )
        after = self.doubts.now()
        span = self.doubts.span(viewer_id, before, after)
        self.journal.totals.reads += 1
        return None if answer.status in also else self._body(answer, span), span

    def _body(self, answer: Answer, span: Span) -> dict[str, Any] | None:
        if answer.status == 401 and span.may_be_inactive:
            return None
        if answer.status != 200 or not span.may_be_active:
            raise Difference(f"answered {answer.status}: {str(answer.body)[:300]}")
        if answer.body.get("degraded"):
            self.journal.totals.degraded += 1
            if time.monotonic() - self.healthy_since > 3 and not self.world.stopped:
                raise Difference("degraded, and nothing is wrong")
        return answer.body

    def judge_cards(self, posts: list[dict[str, Any]], span: Span) -> None:
        for post in posts:
            shown = shown_card(post)
            if not span.may_read(post["id"], *shown):
                wanted = span.states[-1].card(post["id"], span.viewer_id)
                raise Difference(f"menu {post['id']} reads {shown}, not {wanted}")
            self._judge_like_count(post, span.states[-1])

    def _judge_like_count(self, post: dict[str, Any], truth: Truth) -> None:
        calm_since = max(self.healthy_since, self.liked_at.get(post["id"], 0.0))
        if self.world.stopped or self.doubts.open or time.monotonic() - calm_since < LIKE_SECONDS:
            return
        if post["like_count"] != truth.like_count(post["id"]):
            wanted = truth.like_count(post["id"])
            raise Difference(f"menu {post['id']} has {wanted} likes, not {post['like_count']}")


def shown_card(post: dict[str, Any]) -> tuple[Menu, str, bool]:
    """A post as the API shows it, in the words of truth.Truth.card."""
    dishes = tuple(
        f"({dish['id']},{dish['name']},{dish['price']},{'t' if dish['sold_out'] else 'f'})"
        for dish in post["dishes"]
    )
    menu = Menu(post["author"]["id"], post["text"], post["edited_at"] is not None, False, dishes)
    return menu, post["author"]["display_name"], post["liked"]
