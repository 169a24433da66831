"""Finding cooks: the most followed first, narrowed by a few words, a city, a cuisine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import Aggregate, CharField, Count, Q, QuerySet
from django.db.models.functions import Upper

from social.models import Account, Follow
from social.relations import NO_RELATION, relation_to
from social.rules import blocked_by
from social.rules import followed_by as is_followed_by
from social.selectors import visible_accounts

PAGE_LENGTH = 24
FOLLOWED_LENGTH = 50
MOST_COUNTED = 10_000
MOST_CHOICES = 100  # cities, or cuisines, that are offered
KNOWN_CITIES, KNOWN_CITIES_SECONDS = "known_cities", 300


@dataclass(frozen=True, slots=True)
class CookLine:
    """A cook as a list shows her, and what is between her and the viewer (social/relations.py)."""

    account: Account
    relation: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class CookPage:
    """`after` continues the list; empty at the end."""

    cooks: list[CookLine]
    after: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A city or a cuisine, as most of its cooks write it, and how many cooks it has."""

    name: str
    count: int


class Mode(Aggregate):
    """The value that is there most often."""

    template = "MODE() WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = CharField()


def find_cooks(
    viewer_id: int | None,
    *,
    words: str = "",
    city: str = "",
    cuisine: str = "",
    after: str = "",
    limit: int = PAGE_LENGTH,
) -> CookPage:
    """Cooks whose name, city or cuisine holds each of `words`, of this city and this cuisine (in any case), most
    followed first (indexes `account_followers`, `account_cook_city`, `account_cook_cuisine`)."""
    cooks = _cooks(viewer_id, words=words, city=city, cuisine=cuisine).order_by("-follower_count", "id")
    if position := _position(after):
        count, pk = position
        cooks = cooks.filter(Q(follower_count__lt=count) | Q(follower_count=count, pk__gt=pk))
    found = _lines(cooks[: limit + 1], viewer_id)
    last = found[limit - 1].account if len(found) > limit else None
    return CookPage(found[:limit], f"{last.follower_count}-{last.pk}" if last else "")


def suggest_cooks(viewer_id: int | None, *, city: str = "", new: bool = False, limit: int) -> list[CookLine]:
    """Cooks to follow: those of a city first, then whom most people follow; never oneself. `new`: nobody whom one
    follows already."""
    cooks = _cooks(viewer_id).order_by("-follower_count", "id")
    if viewer_id is not None:
        cooks = cooks.exclude(pk=viewer_id)
        cooks = cooks.exclude(is_followed_by(viewer_id)) if new else cooks
    near = _lines(cooks.filter(city__iexact=city)[:limit], viewer_id) if city else []
    others = cooks.exclude(city__iexact=city) if city else cooks
    return near + (_lines(others[: limit - len(near)], viewer_id) if len(near) < limit else [])


def count_cooks(viewer_id: int | None, *, words: str = "", city: str = "", cuisine: str = "") -> int:
    """How many cooks `find_cooks` finds on all its pages."""
    return _cooks(viewer_id, words=words, city=city, cuisine=cuisine).count()


def cities_of_cooks(viewer_id: int | None, *, words: str = "", cuisine: str = "") -> list[Choice]:
    """In which cities the cooks are that `find_cooks` finds in any city, by name."""
    return _choices(_cooks(viewer_id, words=words, cuisine=cuisine), "city")


def cuisines_of_cooks(viewer_id: int | None, *, words: str = "", city: str = "") -> list[Choice]:
    """Which cuisines the cooks have that `find_cooks` finds of any cuisine, by name."""
    return _choices(_cooks(viewer_id, words=words, city=city), "cuisine")


def _cooks(viewer_id: int | None, *, words: str = "", city: str = "", cuisine: str = "") -> QuerySet[Account]:
    cooks = visible_accounts(viewer_id).filter(is_cook=True)
    if viewer_id is not None:
        cooks = cooks.exclude(blocked_by(viewer_id))
    if city:
        cooks = cooks.filter(city__iexact=city)
    if cuisine:
        cooks = cooks.filter(cuisine__iexact=cuisine)
    return cooks.filter(holding(words))


def known_cities() -> list[str]:
    """Cities that have cooks, as most of them write them: to be offered while somebody types. Minutes old."""
    cities: list[str] | None = cache.get(KNOWN_CITIES)
    if cities is None:
        try:
            cities = [choice.name for choice in cities_of_cooks(None)]
        except DatabaseError:  # a form without suggestions is a form
            return []
        cache.set(KNOWN_CITIES, cities, KNOWN_CITIES_SECONDS)
    return cities


def _choices(cooks: QuerySet[Account], field: str) -> list[Choice]:
    """The MOST_CHOICES with the most cooks; "porto" and "Porto" are one."""
    named = cooks.exclude(**{field: ""}).annotate(whole=Upper(field)).values("whole")
    counted = named.annotate(name=Mode(field), count=Count("pk")).order_by("-count", "whole")
    choices = [Choice(row["name"], row["count"]) for row in counted[:MOST_CHOICES]]
    return sorted(choices, key=lambda choice: choice.name.casefold())


def holding(words: str) -> Q:
    """Accounts whose name, city or cuisine holds each of `words` (the first five)."""
    held = Q()
    for word in words.replace("\x00", " ").split()[:5]:
        held &= (
            Q(username__icontains=word.lstrip("@"))
            | Q(display_name__icontains=word)
            | Q(city__icontains=word)
            | Q(cuisine__icontains=word)
        )
    return held


def followed_by(viewer_id: int, *, after: str = "", limit: int = FOLLOWED_LENGTH) -> CookPage:
    """Whom the viewer follows, in the order of ids: the index of `follow_once`, read as far as one page."""
    followed = Follow.objects.filter(follower_id=viewer_id).order_by("followee_id")
    if after.isascii() and after.isdecimal() and len(after) < 19:
        followed = followed.filter(followee_id__gt=int(after))
    ids = list(followed.values_list("followee_id", flat=True)[: limit + 1])
    accounts = visible_accounts(viewer_id).filter(pk__in=ids[:limit]).order_by("pk")
    return CookPage(_lines(accounts, viewer_id), str(ids[limit - 1]) if len(ids) > limit else "")


def count_followers(account: Account) -> int:
    """Her followers now, where `follower_count` is recounted a moment later. Of very many the stored count:
    there nobody sees one more, and counting them would take longer than following (index only up to there).
    """
    rows = Follow.objects.filter(followee_id=account.pk).order_by()
    counted = rows[: MOST_COUNTED + 1].count()
    return counted if counted <= MOST_COUNTED else account.follower_count


def _lines(accounts: QuerySet[Any], viewer_id: int | None) -> list[CookLine]:
    """One query, with what the viewer may do about each."""
    if viewer_id is None:
        return [CookLine(account, NO_RELATION) for account in accounts]
    return [
        CookLine(account, account.relation) for account in accounts.annotate(relation=relation_to(viewer_id))
    ]


def _position(after: str) -> tuple[int, int] | None:
    """`after` as (followers, id); None when it is empty or damaged, which begins at the top."""
    count, _, pk = after.partition("-")
    if not (count.isascii() and count.isdecimal() and pk.isascii() and pk.isdecimal()):
        return None
    return (int(count), int(pk)) if len(count) < 10 and len(pk) < 19 else None
