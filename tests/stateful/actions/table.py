"""The table of all actions, filled by decorators; weights say how often each is chosen."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import redis

from tests.stateful.play import Play, Told

Act = Callable[[Play], Told]


@dataclass(frozen=True, slots=True)
class Action:
    """`rest`: a fault that takes seconds is not chosen again, nor any other such, for so many steps. `wipes`: no
    stored list survives it, and what is wrong with one goes too."""

    name: str
    weight: int
    act: Act
    fault: bool = False
    rest: int = 0
    wipes: bool = False


ACTIONS: dict[str, Action] = {}


def action(weight: int) -> Callable[[Act], Act]:
    def register(act: Act) -> Act:
        ACTIONS[act.__name__] = Action(act.__name__, weight, act)
        return act

    return register


def fault(weight: int, *, rest: int = 0, wipes: bool = False) -> Callable[[Act], Act]:
    def register(act: Act) -> Act:
        @wraps(act)
        def if_it_can(play: Play) -> Told:
            try:
                return act(play)
            except (redis.ConnectionError, redis.TimeoutError):
                return Told("what it would harm is away already")

        ACTIONS[act.__name__] = Action(act.__name__, weight, if_it_can, fault=True, rest=rest, wipes=wipes)
        return act

    return register
