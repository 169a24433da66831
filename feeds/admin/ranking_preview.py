"""What a viewer would get by other weights, beside the newest first: looked at, stored nowhere, no visit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log2

from django.conf import settings
from django.db.models import Exists, OuterRef

from feeds.access import Access
from feeds.admin.parts import Parts
from feeds.admin.wording import many, span
from feeds.page import Item
from feeds.ranking.arranging import spread
from feeds.ranking.rankers import current_ranker
from feeds.ranking.serving import Order, rank_feed
from feeds.ranking.values import Placed
from feeds.ranking.weights import Values
from feeds.reader import Reader
from feeds.reading import LOOKING
from posts.admin.lines import shortened
from posts.ids import time_of
from social.models import Account, Follow
from social.staff import typed_name
from social.times import staff_time

TOP = 30
LATEST = 50  # visitors among whom one is looked for who follows somebody
NEUTRAL = 0.005  # a part as near to 1 as that makes no difference
FULL_BAR = 4.0  # a part that counts four times, or a quarter, fills its half of the drawing


@dataclass(frozen=True, slots=True)
class Part:
    """A factor of a score that makes a difference: `up` or down; drawn from `x` on, `width` wide, of 100, where 50
    is 1."""

    name: str
    value: str
    up: bool
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Line:
    """A menu in one of the two orders. `newest`, `ranked` and `in_force` are its places, from 1 on: newest first, by
    the weights that are looked at, and by those in force; None: it has none there."""

    post_id: int
    cook: str
    text: str
    age: str
    written: str
    newest: int | None
    ranked: int | None
    in_force: int | None
    score: str = ""
    share: float = 0.0  # of the best score, 0 to 100
    parts: tuple[Part, ...] = ()
    quiet: str = ""  # names of the parts that make no difference
    lifted: bool = False

    @property
    def up(self) -> int:
        """How many places it stands higher than newest first; lower, where negative."""
        return self.newest - self.ranked if self.newest and self.ranked else 0

    @property
    def down(self) -> int:
        return -self.up

    @property
    def repeated(self) -> bool:
        return self.ranked is None

    @property
    def moves(self) -> bool:
        """It stands elsewhere than by the weights in force."""
        return self.ranked is not None and self.ranked != self.in_force


@dataclass(frozen=True, slots=True)
class Preview:
    """`said` in a sentence what the weights do, or why there is nothing to see: then it has no lines."""

    said: str
    newest: tuple[Line, ...] = ()
    ranked: tuple[Line, ...] = ()
    facts: str = ""
    wrong: bool = False


def someone(parts: Parts) -> str:
    """The username of the customer who was here last and follows somebody; empty: nobody, or it took too long."""
    return parts.read(_latest_viewer).value or ""


def _latest_viewer() -> str | None:
    customers = Account.objects.filter(is_active=True, is_cook=False, is_staff=False, last_seen__isnull=False)
    latest = customers.order_by("-last_seen", "-pk").values("pk")[:LATEST]
    follows = Exists(Follow.objects.filter(follower=OuterRef("pk")))
    found = Account.objects.filter(follows, pk__in=latest).order_by("-last_seen", "-pk")
    return found.values_list("username", flat=True).first()


def make_preview(parts: Parts, typed: str, weights: Values, in_force: Values) -> Preview:
    """For the account of that username, by `weights`, compared with those `in_force`."""
    name = typed_name(typed)
    if not name:
        return Preview("Type the username of somebody who follows cooks, to see what they would get.")
    account = parts.read(lambda: Account.objects.filter(username=name).first())
    if account.problem:
        return Preview(account.problem, wrong=True)
    if account.value is None:
        return Preview(f"There is no account @{name[:30]}.", wrong=True)
    viewer = account.value
    if not viewer.is_active:
        why = viewer.get_inactive_because_display() or "inactive"
        return Preview(f"{viewer} is {why.lower()}, and so has no feed.", wrong=True)
    found = parts.read(lambda: _looked_at(viewer.pk, weights))
    if found.value is None:
        return Preview(found.problem, wrong=True)
    order, follows = found.value
    if not order.found.items:
        within = span(timedelta(seconds=settings.FEED_RANK_WINDOW))
        return Preview(
            f"Nothing of the last {within} is in the feed of {viewer}."
            if follows
            else f"{viewer} follows nobody, so that there is nothing to rank.",
            wrong=True,
        )
    return _compared(viewer, order, weights, in_force)


def _looked_at(viewer_id: int, weights: Values) -> tuple[Order, bool]:
    """(the order, whether there is anybody whom the viewer follows)."""
    with Access(limited=False) as access:
        reader = Reader(viewer_id, None, LOOKING, access)
        order = rank_feed(reader, weights)
        return order, bool(order.found.items) or reader.follows_anybody()


def _compared(viewer: Account, order: Order, weights: Values, in_force: Values) -> Preview:
    followed = dict.fromkeys(sorted(order.found.followed, reverse=True))
    newest = _places(followed)
    ranked = _places(one.post_id for one in order.placed)
    now_first = _ranked_by(in_force, order)
    in_force_places = _places(one.post_id for one in now_first)
    items = {item.post_id: item for item in order.found.items}
    placed = {one.post_id: one for one in order.placed}
    best = max((one.scored.score for one in order.placed), default=0.0)

    def line(post_id: int) -> Line:
        places = newest.get(post_id), ranked.get(post_id), in_force_places.get(post_id)
        return _line(items[post_id], placed.get(post_id), places, best, order.now)

    top = tuple(line(one.post_id) for one in order.placed[:TOP])
    left_out = len(items) - len(placed)
    within = span(timedelta(seconds=settings.FEED_RANK_WINDOW))
    facts = f"{many(len(items), 'menu')} of the last {within} for {viewer}"
    if left_out:
        facts += f"; {left_out:,} left out, since a newer one of the same cook says nearly the same"
    return Preview(
        _what_they_do(top, differ=dict(weights) != dict(in_force)),
        newest=tuple(line(post_id) for post_id in list(followed)[:TOP]),
        ranked=top,
        facts=f"{facts}.",
    )


def _ranked_by(weights: Values, order: Order) -> list[Placed]:
    """The same menus, without the repetitions, which do not depend on weights."""
    now = order.now.timestamp()
    candidates = [one.scored.candidate for one in order.placed]
    return spread(current_ranker().score(candidates, weights, now), now)


def _places(post_ids: Iterable[int]) -> dict[int, int]:
    return {post_id: n for n, post_id in enumerate(post_ids, 1)}


def _what_they_do(top: Sequence[Line], *, differ: bool) -> str:
    if not differ:
        return "These are the weights in force."
    moved = [line for line in top if line.moves]
    if not moved:
        return f"Nobody would notice: the first {len(top)} stand as by the weights in force."
    stand = "stands" if len(moved) == 1 else "stand"
    first = top[0]
    begins = f"first {'now' if first.moves else 'still'}: “{first.text}” by {first.cook}"
    return f"{len(moved)} of the first {len(top)} {stand} elsewhere than by the weights in force; {begins}."


def _line(
    item: Item,
    placed: Placed | None,
    places: tuple[int | None, int | None, int | None],
    best: float,
    now: datetime,
) -> Line:
    menu, written = item.card.members, time_of(item.post_id)
    text = shortened(menu["text"]) or shortened(", ".join(dish["name"] for dish in menu["dishes"]))
    newest, ranked, in_force = places
    line = Line(
        item.post_id,
        f"@{item.author.facts['username']}",
        text or "a menu without words",
        f"{span(now - written)} ago",
        staff_time(written),
        newest,
        ranked,
        in_force,
    )
    if placed is None:
        return line
    scored = placed.scored
    told = {name.replace("_", " "): scored.parts[name] for name in current_ranker().parts}
    return replace(
        line,
        score=number(scored.score),
        share=round(100 * scored.score / best, 1) if best else 0.0,
        parts=tuple(_part(name, value) for name, value in told.items() if abs(value - 1) >= NEUTRAL),
        quiet=", ".join(name for name, value in told.items() if abs(value - 1) < NEUTRAL),
        lifted=placed.lifted,
    )


def _part(name: str, value: float) -> Part:
    length = round(50 * min(1.0, abs(log2(value)) / log2(FULL_BAR)) if value > 0 else 50.0, 1)
    return Part(name, number(value), value > 1, 50 if value > 1 else 50 - length, length)


def number(value: float) -> str:
    """Two digits behind the point, more where that would hide it."""
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"
