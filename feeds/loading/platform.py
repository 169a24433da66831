"""The seed platform: cooks, customers, heavy-tailed follows, two menus a cook a day (docs/data.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from feeds.loading.bulk import bulk_load, copy_rows, draw_ids, trusted_keys
from feeds.loading.menus import some_menu
from feeds.loading.past_menus import PastMenu, copy_menus, database_now
from feeds.loading.people import Cook, Person, Usernames, some_cook, some_person
from feeds.loading.progress import progress
from feeds.loading.shape import follower_counts, menu_moments
from social.models import Account, Follow

EMAIL_DOMAIN = "@seed.example"  # marks the accounts of a seed; a reserved name, so no mail leaves
_YOUNGEST, _OLDEST = timedelta(days=400), timedelta(days=800)  # ages of accounts
_MOMENTS = 1_000  # at which follows begin
_ACCOUNT_COLUMNS = (
    "id", "password", "username", "email", "display_name", "bio", "city", "cuisine", "time_zone", "is_cook",
    "created_at", "last_seen",
)  # fmt: skip


class Unseedable(Exception):
    """This platform cannot be made here; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for. `active` is the share of customers seen within the last days."""

    cooks: int = 2000
    customers: int = 200_000
    follows: int = 10
    top_cook: int = 80_000
    days: int = 2
    active: float = 0.5
    seed: int = 1

    def random(self, what: str) -> Random:
        """A source of its own for each part, so that one part's size does not change another."""
        return Random(f"{self.seed}/{what}")

    def check(self) -> None:
        """Unseedable, when the numbers contradict each other."""
        for name in ("cooks", "customers", "follows", "top_cook"):
            _refuse_unless(getattr(self, name) >= 1, f"--{name.replace('_', '-')} must be at least 1")
        _refuse_unless(0 <= self.days <= 366, "--days must be 0 to 366")
        _refuse_unless(0 <= self.active <= 1, "--active is a share, from 0 to 1")
        _refuse_unless(self.follows <= self.cooks, "--follows cannot be more than --cooks")
        _refuse_unless(self.top_cook <= self.customers, "--top-cook cannot be more than --customers")
        try:
            self.follower_counts()
        except ValueError as error:
            raise Unseedable(f"{error} Change --top-cook, --follows or --customers.") from None

    def follower_counts(self) -> list[int]:
        return follower_counts(cooks=self.cooks, total=self.customers * self.follows, top=self.top_cook)


@dataclass(frozen=True, slots=True)
class PlatformReport:
    follows: int
    menus: int
    dishes: int
    top_cook: str
    some_customer: str


def seed_platform(plan: Plan, *, password: str) -> PlatformReport:
    """Make the platform in one transaction; `password` is everybody's hash. Unseedable: nothing was made."""
    plan.check()
    with bulk_load():
        _refuse_unless(
            not _seeded_before(), "there are accounts of an earlier seed, and one database holds one seed"
        )
        now = database_now()
        usernames = Usernames(_taken_usernames())
        cooks = _copy_cooks(plan, usernames, now, password)
        ids, some_customer = _copy_customers(plan, usernames, now, password)
        top, follows = _copy_follows(plan, [account_id for account_id, _ in cooks], ids, now)
        menus, dishes = _copy_menus(plan, cooks, now)
    names = {account_id: cook.person.username for account_id, cook in cooks}
    return PlatformReport(follows, menus, dishes, names[top], some_customer)


def _refuse_unless(condition: bool, message: str) -> None:
    if not condition:
        raise Unseedable(f"{message}.")


def _seeded_before() -> bool:
    return Account.objects.filter(email__endswith=EMAIL_DOMAIN).exists()


def _taken_usernames() -> set[str]:
    """Of the accounts that are here; those of loaded graphs (g123) are many and cannot be in the way."""
    return set(Account.objects.exclude(username__regex=r"^g\d+$").values_list("username", flat=True))


def _copy_cooks(plan: Plan, usernames: Usernames, now: datetime, password: str) -> list[tuple[int, Cook]]:
    random, seen = plan.random("cooks"), plan.random("cooks seen")
    cooks = [(account_id, some_cook(random, usernames)) for account_id in draw_ids(Account, plan.cooks)]
    rows = (
        _account_row(account_id, cook.person, password, now, seen, days=(0, 1), cook=cook)
        for account_id, cook in cooks
    )
    copy_rows(Account, _ACCOUNT_COLUMNS, rows)
    return cooks


def _copy_customers(plan: Plan, usernames: Usernames, now: datetime, password: str) -> tuple[list[int], str]:
    """(ids, the username of one who was seen lately, or of the first)."""
    ids = draw_ids(Account, plan.customers)
    random, seen = plan.random("customers"), plan.random("customers seen")
    active = set(seen.sample(range(plan.customers), round(plan.customers * plan.active)))
    shown = min(active, default=0)
    shown_name = ""

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal shown_name
        for n, account_id in enumerate(progress(ids, what="Customers", total=len(ids))):
            person = some_person(random, usernames)
            shown_name = person.username if n == shown else shown_name
            days = _lately() if n in active else (31, 365)
            yield _account_row(account_id, person, password, now, seen, days=days)

    copy_rows(Account, _ACCOUNT_COLUMNS, rows())
    return ids, shown_name


def _lately() -> tuple[float, float]:
    """Days ago of the last visit of who is active: well within the time for which a feed is kept."""
    return 0, min(3, settings.FEED_INACTIVE_AFTER / 86400 / 2)


def _account_row(
    account_id: int,
    person: Person,
    password: str,
    now: datetime,
    random: Random,
    *,
    days: tuple[float, float],
    cook: Cook | None = None,
) -> tuple[Any, ...]:
    last_seen = now - timedelta(days=random.uniform(*days))
    created_at = now - timedelta(days=random.uniform(_YOUNGEST.days, _OLDEST.days))
    bio, cuisine = (cook.bio, cook.cuisine.name) if cook else ("", "")
    return (
        account_id, password, person.username, person.username + EMAIL_DOMAIN, person.display_name, bio,
        person.city.name, cuisine, settings.TIME_ZONE, cook is not None, created_at, last_seen,
    )  # fmt: skip


def _copy_follows(plan: Plan, cook_ids: list[int], customer_ids: list[int], now: datetime) -> tuple[int, int]:
    """(id of the most followed cook, follows). Each cook's followers are drawn without repetition, and have come
    evenly since the youngest accounts were made."""
    random = plan.random("follows")
    ranked = random.sample(cook_ids, len(cook_ids))
    counts = plan.follower_counts()

    # As text, since it is said two million times.
    since = [str(now - _YOUNGEST * (_MOMENTS - n) / _MOMENTS) for n in range(_MOMENTS)]

    def rows() -> Iterator[tuple[int, int, str]]:
        for cook_id, count in zip(ranked, counts, strict=True):
            for place, n in enumerate(random.sample(range(len(customer_ids)), count)):
                yield customer_ids[n], cook_id, since[place * _MOMENTS // count]

    bar = progress(rows(), what="Follows", total=sum(counts))
    with trusted_keys():
        return ranked[0], copy_rows(Follow, ("follower_id", "followee_id", "created_at"), bar)


def _copy_menus(plan: Plan, cooks: list[tuple[int, Cook]], now: datetime) -> tuple[int, int]:
    menus = progress(_past_menus(plan, cooks, now), what="Menus", total=len(cooks) * plan.days * 2)
    return copy_menus(menus, since=now - timedelta(days=plan.days + 2))


def _past_menus(plan: Plan, cooks: list[tuple[int, Cook]], now: datetime) -> Iterator[PastMenu]:
    random, zone = plan.random("menus"), ZoneInfo(settings.TIME_ZONE)
    for account_id, cook in cooks:
        for moment, evening in menu_moments(random, now=now, days=plan.days, zone=zone):
            menu = some_menu(random, cook.cuisine, evening=evening, currency=cook.person.city.currency)
            yield PastMenu(account_id, moment, moment.date(), menu)
