"""How a made-up customer looks down a list of menus: values in, values out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random

LOOK_ON = 0.93  # chance to go on from one place to the next: half of all who begin see the tenth
LEAVE = 0.3  # chance to be done, after a menu was opened
SECONDS_A_PLACE = (1.0, 4.0)
SECONDS_A_MENU = (10.0, 60.0)


@dataclass(slots=True)
class Looked:
    """What one session did: (menu, seconds since 1970)."""

    seen: list[tuple[int, float]] = field(default_factory=list)
    opened: list[tuple[int, float]] = field(default_factory=list)
    liked: list[tuple[int, float]] = field(default_factory=list)


def taste(viewer_id: int, author_id: int) -> float:
    """From 0 to 1, the same for ever: how much a customer likes a cook, a part of which all customers share."""
    own, shared = Random(f"{viewer_id}/{author_id}").random(), Random(f"{author_id}").random()
    return 0.75 * own + 0.25 * shared


def chance_to_open(liking: float) -> float:
    """About a tenth on average, and four in ten for a favourite."""
    return 0.01 + 0.45 * liking**3


def look(
    random: Random,
    viewer_id: int,
    menus: Sequence[tuple[int, int]],
    *,
    opened_before: Collection[int],
    begin: float,
    end: float,
) -> Looked:
    """Down a list of (menu, author), from `begin` on and never as late as `end`. A menu is opened once only."""
    looked, at = Looked(), begin
    for post_id, author_id in menus:
        if at >= end:
            break
        looked.seen.append((post_id, at))
        at += random.uniform(*SECONDS_A_PLACE)
        liking = taste(viewer_id, author_id)
        opens = random.random() < chance_to_open(liking) and post_id not in opened_before
        if opens and at < end:
            looked.opened.append((post_id, at))
            at += random.uniform(*SECONDS_A_MENU)
            if random.random() < liking / 2 and at < end:
                looked.liked.append((post_id, at))
            if random.random() < LEAVE:
                break
        if random.random() >= LOOK_ON:
            break
    return looked
