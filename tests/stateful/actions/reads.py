"""Reads that are kept: walks and refresh cursors begun now and used many actions later."""

import time

from tests.stateful.actions.table import action
from tests.stateful.news import compare_news, keep_refresh
from tests.stateful.play import Play, Told
from tests.stateful.ranked import RankedWalk, go_on
from tests.stateful.reading import LIMITS
from tests.stateful.walking import Walk

MOST_KEPT = 8
QUIET_SECONDS = (
    3.2  # the overlay's second after a fan-out, and the two for which processes keep their copy of it
)


@action(weight=4)
def begin_walk(play: Play) -> Told:
    walk = Walk(play.a_viewer(), play.dice.choice(LIMITS[:4]))
    if play.reader.go_on(walk, play.dice) is not None and not walk.ended:
        play.walks = [*play.walks, walk][-MOST_KEPT:]
    return Told(f"{play.people.name(walk.viewer_id)}, in steps of {walk.limit}")


@action(weight=8)
def go_on_walking(play: Play) -> Told:
    if not play.walks:
        return Told("no walk")
    walk = play.dice.choice(play.walks)
    walk.limit = play.dice.choice(LIMITS)
    if play.reader.go_on(walk, play.dice) is None or walk.ended:
        play.walks.remove(walk)
    return Told(f"{play.people.name(walk.viewer_id)}, in steps of {walk.limit}{', to the end' * walk.ended}")


@action(weight=3)
def begin_ranked_walk(play: Play) -> Told:
    walk = RankedWalk(play.a_viewer(), play.dice.choice(LIMITS[:4]))
    if go_on(play.reader, walk, play.dice) and not walk.ended:
        play.ranked = [*play.ranked, walk][-MOST_KEPT:]
    return Told(f"{play.people.name(walk.viewer_id)}, in steps of {walk.limit}")


@action(weight=5)
def go_on_in_ranked_order(play: Play) -> Told:
    if not play.ranked:
        return Told("no walk")
    walk = play.dice.choice(play.ranked)
    walk.limit = play.dice.choice(LIMITS)
    if not go_on(play.reader, walk, play.dice) or walk.ended:
        play.ranked.remove(walk)
    return Told(f"{play.people.name(walk.viewer_id)}, in steps of {walk.limit}{', to the end' * walk.ended}")


@action(weight=3)
def keep_refresh_cursor(play: Play) -> Told:
    viewer = play.a_viewer()
    refresh = keep_refresh(play.reader, viewer, play.dice.choice(LIMITS), play.dice)
    if refresh is not None:
        play.refreshes = [*play.refreshes, refresh][-MOST_KEPT:]
    return Told(play.people.name(viewer))


@action(weight=6)
def ask_what_is_new(play: Play) -> Told:
    if not play.refreshes:
        return Told("no refresh cursor")
    refresh = play.dice.choice(play.refreshes)
    count = compare_news(play.reader, refresh, play.dice.choice(LIMITS), play.dice)
    return Told(f"{play.people.name(refresh.viewer_id)}: {count}")


@action(weight=6)
def read(play: Play) -> Told:
    """Nothing but reads: of the one who is compared anyhow, and another one from every process."""
    viewer = play.a_viewer()
    for _ in play.world.webs:
        play.reader.compare(viewer, play.dice)
    return Told(play.people.name(viewer))


@action(weight=1)
def let_time_pass(play: Play) -> Told:
    """Until the overlay has forgotten everything that is delivered: stored lists stand by themselves."""
    time.sleep(QUIET_SECONDS)
    play.compare_all()
    return Told(f"{QUIET_SECONDS} s")
