"""Finding cooks: the most followed first, narrowed by a few words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from social.models import Account, Follow
from social.relations import NO_RELATION, relation_to
from social.rules import blocked_by
from social.selectors import visible_accounts

PAGE_LENGTH = 24
FOLLOWED_LENGTH = 50
MOST_COUNTED = 10_000


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


def find_cooks(
    viewer_id: int | None, *, words: str = "", after: str = "", limit: int = PAGE_LENGTH
) -> CookPage:
    """Cooks whose name, city or cuisine holds each of `words`, most followed first (index `account_followers`)."""
    cooks = visible_accounts(viewer_id).filter(is_cook=True).order_by("-follower_count", "id")
    if viewer_id is not None:
        cooks = cooks.exclude(blocked_by(viewer_id))
    cooks = cooks.filter(holding(words))
    if position := _position(after):
        count, pk = position
        cooks = cooks.filter(Q(follower_count__lt=count) | Q(follower_count=count, pk__gt=pk))
    found = _lines(cooks[: limit + 1], viewer_id)
    last = found[limit - 1].account if len(found) > limit else None
    return CookPage(found[:limit], f"{last.follower_count}-{last.pk}" if last else "")


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
