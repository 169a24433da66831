"""The demo: a small neighbourhood to look around in, made relative to now (docs/data.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.hashers import make_password

from feeds.loading.bulk import bulk_load, copy_rows, draw_ids
from feeds.loading.menus import Menu, some_menu
from feeds.loading.past_menus import PastMenu, copy_menus, database_now
from feeds.loading.people import Usernames, some_person
from feeds.loading.shape import menu_moments
from feeds.loading.vocabulary import City, Neighbour, cities, cuisines, neighbours
from feeds.threshold import set_threshold
from social.models import Account, Follow

PASSWORD = "courtyard-demo"
CUSTOMER, COOK = "customer", "cook"
EMAIL_DOMAIN = "@demo.example"  # marks the demo's accounts; a reserved name, so no mail leaves
CUSTOMERS = 40
THRESHOLD = 30  # so that one cook of the demo is pulled
_MOST_FOLLOWED = "maria"
_MOST_FOLLOWERS = 36
_MOST_OF_OTHERS = 22  # well below the threshold
_CUSTOMER_FOLLOWS = 9
_DAYS = 4
_MINUTES_BETWEEN = 12  # the newest menus, one cook after the other
_ACCOUNT_COLUMNS = (
    "id", "password", "username", "email", "display_name", "bio", "city", "cuisine", "time_zone", "is_cook",
    "created_at", "last_seen",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DemoReport:
    cooks: int
    customers: int
    menus: int


def make_neighbourhood() -> DemoReport:
    """Fill an empty database; the threshold becomes THRESHOLD. One transaction, a second or two."""
    random = Random("neighbourhood")
    cooks = neighbours()
    with bulk_load():
        now, password = database_now(), make_password(PASSWORD)
        cook_ids = draw_ids(Account, len(cooks))
        customer_ids = draw_ids(Account, CUSTOMERS)
        copy_rows(Account, _ACCOUNT_COLUMNS, _cook_rows(cook_ids, cooks, now, password))
        copy_rows(Account, _ACCOUNT_COLUMNS, _customer_rows(customer_ids, random, now, password))
        follows = _some_follows(cook_ids, customer_ids, random)
        copy_rows(Follow, ("follower_id", "followee_id", "created_at"), _follow_rows(follows, now))
        menus, _ = copy_menus(
            _past_menus(cook_ids, cooks, random, now), since=now - timedelta(days=_DAYS + 2)
        )
    set_threshold(THRESHOLD)
    return DemoReport(len(cooks), CUSTOMERS, menus)


def demo_logins() -> list[tuple[str, str, str]]:
    """(username, password, what it may) of the demo's accounts that still have the password."""
    accounts = Account.objects.filter(
        username__in=(CUSTOMER, COOK), email__endswith=EMAIL_DOMAIN, is_active=True
    ).order_by("-username")
    what = {CUSTOMER: "a customer: Today's menus of nine cooks", COOK: "a cook: publishes menus"}
    return [
        (account.username, PASSWORD, what[account.username])
        for account in accounts
        if account.check_password(PASSWORD)
    ]


def _cook_rows(
    ids: list[int], cooks: tuple[Neighbour, ...], now: datetime, password: str
) -> Iterator[tuple[Any, ...]]:
    """Only the demo cook has a password."""
    nobody = make_password(None)
    for n, (account_id, cook) in enumerate(zip(ids, cooks, strict=True)):
        yield (
            account_id, password if cook.username == COOK else nobody, cook.username,
            cook.username + EMAIL_DOMAIN, cook.display_name, cook.bio, cook.city, cook.cuisine,
            settings.TIME_ZONE, True, now - timedelta(days=300 - 9 * n), now - timedelta(minutes=20 + n),
        )  # fmt: skip


def _customer_rows(ids: list[int], random: Random, now: datetime, password: str) -> Iterator[tuple[Any, ...]]:
    """The first is the demo customer, the only one with a password."""
    nobody, usernames = make_password(None), Usernames({cook.username for cook in neighbours()})
    for n, account_id in enumerate(ids):
        person = some_person(random, usernames)
        username, name = (CUSTOMER, "Clara Duarte") if n == 0 else (person.username, person.display_name)
        yield (
            account_id, nobody if n else password, username, username + EMAIL_DOMAIN, name, "",
            random.choice(_demo_cities()).name if n else "Lisbon", "", settings.TIME_ZONE, False,
            now - timedelta(days=200 - n), now - timedelta(hours=random.uniform(1, 60)),
        )  # fmt: skip


def _demo_cities() -> list[City]:
    cooked_in = {cook.city for cook in neighbours()}
    return [city for city in cities() if city.name in cooked_in]


def _some_follows(cook_ids: list[int], customer_ids: list[int], random: Random) -> set[tuple[int, int]]:
    """(follower, followee): one cook nearly everybody, the others fewer and fewer; cooks a few cooks."""
    ids = dict(zip((cook.username for cook in neighbours()), cook_ids, strict=True))
    most_followed = ids.pop(_MOST_FOLLOWED)
    customer, *others = customer_ids
    follows = {(follower, most_followed) for follower in [customer, *others[: _MOST_FOLLOWERS - 1]]}
    for rank, cook_id in enumerate(ids.values()):
        count = _MOST_OF_OTHERS - 1 - rank
        follows |= {(follower, cook_id) for follower in random.sample(others, count)}
        follows |= {(cook_id, other) for other in random.sample(list(ids.values()), 3) if other != cook_id}
    return follows | {(customer, cook_id) for cook_id in list(ids.values())[: _CUSTOMER_FOLLOWS - 1]}


def _follow_rows(follows: set[tuple[int, int]], now: datetime) -> Iterator[tuple[int, int, datetime]]:
    """Each has lasted a day at least, and is younger than the youngest account."""
    random = Random("since when")
    moments = sorted(now - timedelta(days=random.uniform(1, 160)) for _ in follows)
    pairs = random.sample(sorted(follows), len(follows))
    yield from ((*pair, moment) for pair, moment in zip(pairs, moments, strict=True))


def _past_menus(
    ids: list[int], cooks: tuple[Neighbour, ...], random: Random, now: datetime
) -> Iterator[PastMenu]:
    """Two menus a day of the days before, and one of this very morning, or afternoon, or night."""
    zone = ZoneInfo(settings.TIME_ZONE)
    for n, (account_id, cook) in enumerate(zip(ids, cooks, strict=True)):
        newest = (now - timedelta(minutes=5 + _MINUTES_BETWEEN * n)).astimezone(zone)
        earlier = now - timedelta(minutes=_MINUTES_BETWEEN * (len(cooks) + 5))
        moments = menu_moments(random, now=earlier, days=_DAYS, zone=zone)
        for moment, evening in [*moments, (newest, newest.hour >= 15)]:
            menu = some_menu(random, cuisines()[cook.cuisine], evening=evening, pictured=0.9)
            yield PastMenu(account_id, moment, moment.date(), _partly_sold_out(menu, random))


def _partly_sold_out(menu: Menu, random: Random) -> Menu:
    """Now and then the last dish has gone."""
    *first, last = menu.dishes
    return Menu(menu.text, (*first, last | {"sold_out": random.random() < 0.2}), menu.photos)
