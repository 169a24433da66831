"""The machine: Hypothesis chooses what happens next; a segment is one run from an empty world.

Nothing is shrunk and nothing played twice: processes never run the same way again, so a failure tells its seed and
its last actions instead.
"""

import random
import time

import hypothesis
from django.db import connection
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.stateful.actions import ACTIONS, Action
from tests.stateful.journal import Difference, Journal, Totals
from tests.stateful.people import make_people
from tests.stateful.play import Play
from tests.stateful.world import KNOBS, World

SEEDS = st.integers(1, 2**32 - 1)
CHOICES = st.sampled_from([name for name, action in ACTIONS.items() for _ in range(action.weight)])


class Stopped(BaseException):
    """Ends the run at once. Not an Exception: Hypothesis would play the segment again to see it fail again."""


class FeedMachine(RuleBasedStateMachine):
    """One segment in a world, given by `run_segment`."""

    world: World
    journal: Journal

    @initialize(seed=st.integers(0, 2**32 - 1))
    def begin(self, seed: int) -> None:
        # Hypothesis tries the plainest of all runs first, every choice the least: nothing is to be seen there.
        hypothesis.assume(seed)
        self.dice = random.Random(seed)
        empty_world(self.world)
        self.play = Play(self.world, make_people(self.dice), self.journal)
        self.faults = choose_faults(self.dice)
        self.tired_until = 0
        self.well = True

    @rule(name=CHOICES, seed=SEEDS)
    def act(self, name: str, seed: int) -> None:
        action = ACTIONS[name]
        if action.fault and not self._bearable(action):
            action = ACTIONS["publish"]
        dice = random.Random(f"{seed} {self.play.numbers}")
        self.well = False
        try:
            self.play.step(action.name, action.act, dice, fault=action.fault)
        except Exception as error:
            raise Stopped from error
        self.well = True

    def _bearable(self, action: Action) -> bool:
        if action.name not in self.faults or (action.rest and self.play.numbers < self.tired_until):
            return False
        if action.rest:
            self.tired_until = self.play.numbers + action.rest
        return True

    def teardown(self) -> None:
        if not hasattr(self, "play"):
            return
        try:
            if self.well:  # else it was a difference already, or Ctrl-C
                self.play.doubts.wait()
                self.play.compare_all()
        except Exception as error:
            self.well = False
            raise Stopped from error
        finally:
            self.play.end_faults()
        if self.well:
            self._recover()

    def _recover(self) -> None:
        try:
            self.play.await_counts()
        except Exception as error:
            raise Stopped from error


def choose_faults(dice: random.Random) -> set[str]:
    """Each segment goes without some: two that always come together hide each other. And most go without those that
    wipe all stored lists, or no list would grow old enough for what is wrong with it to be seen."""
    wiped = dice.random() < 0.4
    faults = [action for action in ACTIONS.values() if action.fault and (wiped or not action.wipes)]
    return {action.name for action in faults if dice.random() < 0.7}


def empty_world(world: World) -> None:
    """As the migrations leave it, and under an epoch that no process has heard of yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(epoch), 0) + 1 FROM feeds_feedsettings")
        [epoch] = cursor.fetchone()
        tables = (
            "posts_like, posts_report, posts_dish, posts_photo, posts_leftover, posts_idempotencykey, posts_post,"
            " social_follow, social_followrequest, social_block, social_mute, feeds_pulledauthor, feeds_outbox,"
            " feeds_feedsettings, social_account"
        )
        cursor.execute("SET session_replication_role = replica; SET lock_timeout = '10s'")
        for table in tables.split(", "):
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("RESET session_replication_role; RESET lock_timeout")
        cursor.execute(
            "INSERT INTO feeds_feedsettings (id, epoch, inactive_after) VALUES (1, %s, %s)",
            [epoch, int(KNOBS["FEED_INACTIVE_AFTER"])],
        )
    world.forget()


def run_segment(world: World, seed: int, actions: int) -> Totals:
    """So many actions from an empty world. Difference: with the seed, what was wrong and the last actions."""
    journal, started = Journal(), time.monotonic()

    class Segment(FeedMachine):
        pass

    Segment.world, Segment.journal = world, journal
    try:
        run_state_machine_as_test(
            hypothesis.seed(seed)(Segment),
            settings=settings(
                max_examples=1,
                stateful_step_count=actions + 1,  # one is the beginning
                phases=[Phase.generate],
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    except Stopped as stopped:
        journal.totals.differences += 1
        text = (
            f"segment {seed} of {actions} actions: {stopped.__cause__}\nThe last actions:\n{journal.text()}"
        )
        difference = Difference(text)
        difference.totals = journal.totals
        raise difference from stopped.__cause__
    finally:
        journal.totals.seconds = time.monotonic() - started
    return journal.totals
