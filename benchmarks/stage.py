"""The data that is measured on: a seed platform whose feeds are full, and viewers of special kinds beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.conf import settings
from django.db import connection

from benchmarks.scale import Scale
from feeds.loading.bulk import bulk_load, copy_rows, draw_ids
from feeds.loading.menus import Menu, some_menu
from feeds.loading.past_menus import PastMenu, copy_menus, database_now
from feeds.loading.platform import Plan, seed_platform
from feeds.loading.vocabulary import cuisines
from feeds.threshold import open_interval
from social.models import Account, Follow

DORMANT_DAYS = 20  # how long before everybody else's first menu the dormant cooks wrote their last
_BUSY_POSTS, _CROWD_POSTS, _STAR_POSTS, _DORMANT_POSTS = 20, 2, 60, 20


@dataclass(frozen=True, slots=True)
class Stage:
    """Ids. Viewers: `customers` of the seed platform, and those who follow `few`, `many`, `most` cooks, `pulled`
    or as many `plain` ones, or only `dormant` ones. Cooks: `reach`, each followed by all customers; `half`,
    by half of them; `quiet`, by nobody."""

    customers: list[int]
    few: list[int]
    many: list[int]
    most: list[int]
    pulled: list[int]
    plain: list[int]
    dormant: list[int]
    reach: list[int]
    half: int
    quiet: int
    stars: list[int]

    @property
    def viewers(self) -> list[int]:
        return [*self.customers, *self.few, *self.many, *self.most, *self.pulled, *self.plain, *self.dormant]


def make_stage(scale: Scale) -> Stage:
    plan = Plan(
        cooks=scale.cooks,
        customers=scale.customers,
        follows=min(10, scale.cooks // 4),
        top_cook=scale.customers * 2 // 5,
        days=scale.days,
        active=1.0,
    )
    seed_platform(plan, password="!")
    customers = list(Account.objects.filter(is_cook=False).order_by("pk").values_list("pk", flat=True))
    with bulk_load():
        stage = _Extras(scale, customers, Random(7)).make()
    _pull(stage.stars)
    return stage


class _Extras:
    """The cooks and viewers beside the seed platform."""

    def __init__(self, scale: Scale, customers: list[int], random: Random) -> None:
        self.scale, self.customers, self.random = scale, customers, random
        self.now = database_now()

    def make(self) -> Stage:
        scale, customers = self.scale, self.customers
        crowd, busy = self._cooks("crowd", scale.crowd), self._cooks("busy", scale.busy)
        stars, twins = self._cooks("star", scale.pulled), self._cooks("twin", scale.pulled)
        asleep = self._cooks("asleep", scale.few)
        reach, (half, quiet) = self._cooks("reach", scale.coalesced), self._cooks("lone", 2)
        for cook in reach:
            self._follow([(customer, cook) for customer in customers])
        self._follow([(customer, half) for customer in customers[: max(1, len(customers) // 2)]])
        self._write(crowd, _CROWD_POSTS)
        self._write(busy, _BUSY_POSTS)
        self._write([*stars, *twins], _STAR_POSTS)
        self._write(asleep, _DORMANT_POSTS, days_ago=scale.days + DORMANT_DAYS)
        return Stage(
            customers,
            few=self._viewers("few", [(busy, scale.few)]),
            many=self._viewers("many", [(crowd, scale.many)]),
            most=self._viewers("most", [(crowd, scale.most)]),
            pulled=self._viewers("pulled", [(stars, scale.pulled), (busy, 10)]),
            plain=self._viewers("plain", [(twins, scale.pulled), (busy, 10)]),
            dormant=self._viewers("dormant", [(asleep, scale.few)]),
            reach=reach,
            half=half,
            quiet=quiet,
            stars=stars,
        )

    def _cooks(self, name: str, count: int) -> list[int]:
        return self._accounts(name, count, is_cook=True)

    def _viewers(self, name: str, follows: Sequence[tuple[list[int], int]]) -> list[int]:
        """Viewers who each follow so many, drawn at random, of each list of cooks."""
        viewers = self._accounts(name, self.scale.group, is_cook=False)
        for cooks, count in follows:
            pairs = [(v, cook) for v in viewers for cook in self.random.sample(cooks, count)]
            self._follow(pairs)
        return viewers

    def _accounts(self, name: str, count: int, *, is_cook: bool) -> list[int]:
        ids = draw_ids(Account, count)
        columns = (
            "id", "username", "display_name", "password", "time_zone", "is_cook", "created_at", "last_seen",
        )  # fmt: skip
        rows = (
            (i, f"b-{name}{n}", f"{name} {n}", "!", settings.TIME_ZONE, is_cook, self.now, self.now)
            for n, i in enumerate(ids)
        )
        copy_rows(Account, columns, rows)
        return ids

    def _follow(self, pairs: list[tuple[int, int]]) -> None:
        copy_rows(Follow, ("follower_id", "followee_id"), pairs)

    def _write(self, cooks: list[int], posts: int, *, days_ago: int = 0) -> None:
        """So many menus each, spread evenly over the platform's days (or as many days, further back)."""
        first = self.now - timedelta(days=self.scale.days + days_ago, hours=-1)
        copy_menus(self._menus(cooks, posts, first), since=first)

    def _menus(self, cooks: list[int], posts: int, first: datetime) -> Iterator[PastMenu]:
        kitchens = list(cuisines().values())
        menus: list[Menu] = [some_menu(self.random, self.random.choice(kitchens)) for _ in range(200)]
        step = timedelta(days=self.scale.days, hours=-2) / (len(cooks) * posts)
        for n in range(len(cooks) * posts):
            moment = first + step * n
            yield PastMenu(cooks[n % len(cooks)], moment, moment.date(), menus[n % len(menus)])


def _pull(cooks: list[int]) -> None:
    """These are pulled, and have been for so long that every process knows."""
    for cook in cooks:
        open_interval(cook)
    _execute("UPDATE feeds_pulledauthor SET opened_at = opened_at - interval '1 hour'")


def _execute(statement: str, parameters: Any = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
