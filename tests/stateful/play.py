"""One segment under way: who lives, what is true, what is to come; each action is one step."""

import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from courtyard.embedded.processes import wait_until
from tests.stateful.client import LOST, Answer
from tests.stateful.doubt import Doubts
from tests.stateful.journal import Difference, Journal
from tests.stateful.news import Refresh
from tests.stateful.people import People
from tests.stateful.ranked import RankedWalk
from tests.stateful.reading import Reader
from tests.stateful.truth import Truth
from tests.stateful.walking import Walk
from tests.stateful.world import World

CHECK_ALL_EVERY = 50
MOST_TOUCHED = 5  # viewers compared of those whom an action touched; a menu of maria's touches all
COUNT_SECONDS = 20.0  # two for the count, the rest for a worker that has only just been started again


@dataclass(frozen=True, slots=True)
class Told:
    """What an action says of itself. `answer` None: it was no call; then `past` says whether the tables changed
    without anybody being told."""

    text: str
    answer: Answer | None = None
    past: bool = False


@dataclass
class Play:
    world: World
    people: People
    journal: Journal
    dice: random.Random = field(default_factory=random.Random)  # of the present step
    doubts: Doubts = field(default_factory=Doubts)
    walks: list[Walk] = field(default_factory=list)
    ranked: list[RankedWalk] = field(default_factory=list)
    refreshes: list[Refresh] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)  # of the next call that changes something
    around: dict[str, Callable[[], AbstractContextManager[None]]] = field(
        default_factory=dict
    )  # the same call
    numbers: int = 0
    _later: list[tuple[int, Callable[[], None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reader = Reader(self.world, self.people, self.doubts, self.journal)

    # --- a step ----------------------------------------------------------------------------------------

    def step(self, name: str, act: Callable[["Play"], Told], dice: random.Random, *, fault: bool) -> None:
        """Do it, then compare the viewers whom it touched and one other. Difference."""
        self.dice, self.numbers = dice, self.numbers + 1
        totals = self.journal.totals
        (totals.faults if fault else totals.actions)[name] += 1
        self.journal.note(f"{self.numbers:4}  {name}")
        self._do_what_is_due()
        before = self.doubts.now()
        told = act(self)
        if told.past or told.answer is not None:
            self.doubts.changed()
        after = self.doubts.now()
        self._take(told, before, after)
        self.journal.amend(f"{told.text}{self._outcome(told)}")
        if told.answer is not None and told.answer.good:
            totals.accepted[name] += 1
        for viewer_id in self._touched(before, after):
            self.reader.compare(viewer_id, dice)
        if self.numbers % CHECK_ALL_EVERY == 0:
            self.compare_all()

    def compare_all(self) -> None:
        """Everybody; the faults stay as they are."""
        for viewer_id in self.people.everybody:
            self.reader.compare(viewer_id, self.dice)

    def await_counts(self) -> None:
        """When all faults have ended, every count comes right. Difference."""
        question = (
            "SELECT count(*) FROM social_account a WHERE follower_count <>"
            " (SELECT count(*) FROM social_follow WHERE followee_id = a.id)"
        )
        if not wait_until(lambda: self.sql(question) == [(0,)], COUNT_SECONDS, pause=0.1):
            raise Difference(f"{self.sql(question)[0][0]} accounts have a wrong number of followers")

    def later(self, steps: int, call: Callable[[], None]) -> None:
        """Do something so many steps from now, or when the segment ends."""
        self._later.append((self.numbers + steps, call))

    def end_faults(self) -> None:
        for _, call in self._later:
            call()
        self._later = []

    def _do_what_is_due(self) -> None:
        due = [call for number, call in self._later if number <= self.numbers]
        self._later = [(number, call) for number, call in self._later if number > self.numbers]
        for call in due:
            call()

    def _take(self, told: Told, before: Truth, after: Truth) -> None:
        """Whether the change is certain for every reader from now on."""
        answer = told.answer
        if told.past or (answer is not None and answer.status == LOST):
            self.doubts.doubt(before, after)
        elif answer is not None and not answer.good:
            self._judge_refusal(answer, before, after)
        self.doubts.forget_hidden()
        for walk in self.walks:
            walk.keep_visible(after.feeds.get(walk.viewer_id, ()))

    def _judge_refusal(self, answer: Answer, before: Truth, after: Truth) -> None:
        """Refused, so nothing changed (that a mute ended meanwhile is no change)."""
        if not answer.refused or (answer.status == 503 and not self.shaken):
            raise Difference(f"answered {answer.status}: {str(answer.body)[:300]}")
        same = (before.menus, before.names, before.likes, before.active) == (
            after.menus,
            after.names,
            after.likes,
            after.active,
        )
        a_mute_ended = self.doubts.clock() >= before.good_until
        if not same or (not a_mute_ended and before.feeds != after.feeds):
            raise Difference(f"refused with {answer.status}, and changed all the same")

    @property
    def shaken(self) -> bool:
        """Whether a fault is on, or was a moment ago."""
        return bool(self.world.stopped) or time.monotonic() - self.reader.healthy_since < 3

    def _outcome(self, told: Told) -> str:
        if told.answer is None:
            return "  (past the services)" if told.past else ""
        return "  -> connection lost" if told.answer.status == LOST else f"  -> {told.answer.status}"

    def _touched(self, before: Truth, after: Truth) -> list[int]:
        everybody = self.people.everybody
        touched = [viewer for viewer in everybody if before.differs_for(viewer, after)]
        others = [viewer for viewer in everybody if viewer not in touched]
        chosen = self.dice.sample(touched, min(MOST_TOUCHED, len(touched)))
        return [*chosen, *self.dice.sample(others, min(1, len(others)))]

    # --- hands for the actions -------------------------------------------------------------------------

    def call(self, account_id: int, method: str, path: str, body: Any = None) -> Answer:
        """A change over HTTP."""
        return self._change(method, f"/api/v1{path}", self.people.token(account_id), body)

    def deed(self, name: str, **arguments: Any) -> Answer:
        """A service that has no API call, in a web process all the same."""
        return self._change("POST", f"/prove/{name}", "", {"arguments": arguments})

    def _change(self, method: str, path: str, token: str, body: Any) -> Answer:
        """On any process, with what faults wished for: headers, and what is to be the case meanwhile."""
        web = self.reader.any_web(self.dice)
        headers, self.headers, around, self.around = self.headers, {}, self.around, {}
        self.journal.amend(f"[{' '.join([web.name, *headers, *around])}]")
        with ExitStack() as stack:
            for meanwhile in around.values():
                stack.enter_context(meanwhile())
            answer = web.client.call(method, path, token=token, body=body, headers=headers)
        return self._heard(answer, web, headers)

    def _heard(self, answer: Answer, web: Any, headers: Mapping[str, str]) -> Answer:
        if answer.status == LOST:
            web.died()
            if "X-Prove-Die" not in headers:
                raise Difference(f"{web.name} hung up")
        return answer

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def confirm(self, answer: Answer, question: str, *values: Any) -> None:
        """What was acknowledged is in the tables."""
        if answer.good and not self.sql(f"SELECT {question}", *values)[0][0]:
            raise Difference(f"answered {answer.status}, but not: {question} {values}")

    # --- whom and what -----------------------------------------------------------------------------------

    def a_viewer(self) -> int:
        active = [i for i in self.people.everybody if i in self.doubts.now().active]
        return self.dice.choice(active or self.people.everybody)

    def a_cook(self, *, but: int = 0) -> int:
        active = [i for i in self.people.cooks if i in self.doubts.now().active and i != but]
        return self.dice.choice(active or [i for i in self.people.cooks if i != but])

    def a_menu(self, author_id: int | None = None) -> int | None:
        """Mostly one of the newest."""
        menus = self.doubts.now().menus
        ids = sorted((i for i, m in menus.items() if author_id in (None, m.author_id)), reverse=True)
        return self.dice.choice(ids[:8] if self.dice.random() < 0.7 else ids) if ids else None
