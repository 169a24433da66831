"""How accounts stand to a viewer, and the lists of whom one follows, blocks, mutes or has been asked by.

A list is a page of rows, newest first by the row's id. It costs two queries, for 3 rows and for 300.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, JSONObject

from social.cursors import sign, unsign
from social.discovery import holding
from social.errors import NotFound
from social.models import Account, Block, Follow, FollowRequest, Mute
from social.rules import IN_FORCE, blocked_by, may_see
from social.selectors import get_visible_account, may_know, visible_accounts

DEFAULT_LIMIT, MAX_LIMIT = 20, 100


def with_relation(accounts: QuerySet[Account], viewer_id: int) -> QuerySet[Any]:
    """Accounts with `following_count`, and with `relation`: a dict of what is between each and the viewer."""
    theirs, mine = {"follower_id": OuterRef("pk")}, {"follower_id": viewer_id}
    to_me, to_them = {"followee_id": viewer_id}, {"followee_id": OuterRef("pk")}
    followed = Follow.objects.filter(**theirs).order_by().values("follower_id").annotate(n=Count("id"))
    return accounts.annotate(
        following_count=Coalesce(Subquery(followed.values("n"), output_field=IntegerField()), 0),
        relation=JSONObject(
            following=Exists(Follow.objects.filter(**mine, **to_them)),
            requested=Exists(FollowRequest.objects.filter(**mine, **to_them)),
            followed_by=Exists(Follow.objects.filter(**theirs, **to_me)),
            blocking=Exists(Block.objects.filter(blocker_id=viewer_id, blocked_id=OuterRef("pk"))),
            muting=Exists(Mute.objects.filter(IN_FORCE, muter_id=viewer_id, muted_id=OuterRef("pk"))),
        ),
    )


def with_no_relation(account: Account) -> Any:
    """The same of an account that has just been made, which nothing is between: no query."""
    names = ("following", "requested", "followed_by", "blocking", "muting")
    account.following_count, account.relation = 0, dict.fromkeys(names, False)  # type: ignore[attr-defined]
    return account


def get_account_with_relation(*, viewer_id: int, account_id: int) -> Any:
    """One visible account as `with_relation` gives it, or NotFound."""
    get_visible_account(viewer_id=viewer_id, account_id=account_id)
    return with_relation(visible_accounts(viewer_id), viewer_id).get(pk=account_id)


# --- Lists -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """An account in a list, as `with_relation` gives it, and the row that put it there."""

    account: Any
    row: Any


@dataclass(frozen=True, slots=True)
class AccountPage:
    lines: list[Line]
    next_cursor: str | None

    @property
    def accounts(self) -> list[Any]:
        return [line.account for line in self.lines]


@dataclass(frozen=True, slots=True)
class Place:
    """Which page of a list: after `cursor` (None: from the top), at most `limit` rows."""

    cursor: str | None = None
    limit: int = DEFAULT_LIMIT


TOP = Place()


def followers_of(account_id: int, *, viewer_id: int, place: Place = TOP) -> AccountPage:
    """Who follows an account whose menus the viewer may see; else NotFound. InvalidCursor."""
    _refuse_unseen(account_id, viewer_id)
    rows = Follow.objects.filter(~blocked_by(viewer_id, "follower"), followee_id=account_id)
    return _page(rows, "follower", viewer_id, f"followers {account_id}", place)


def followed_by_account(account_id: int, *, viewer_id: int, place: Place = TOP) -> AccountPage:
    """Whom an account follows whose menus the viewer may see; else NotFound. InvalidCursor."""
    _refuse_unseen(account_id, viewer_id)
    rows = Follow.objects.filter(~blocked_by(viewer_id, "followee"), follower_id=account_id)
    return _page(rows, "followee", viewer_id, f"following {account_id}", place)


def requests_received(account_id: int, *, place: Place = TOP) -> AccountPage:
    rows = FollowRequest.objects.filter(followee_id=account_id)
    return _page(rows, "follower", account_id, "requests", place)


def blocked_accounts(account_id: int, *, place: Place = TOP) -> AccountPage:
    return _page(Block.objects.filter(blocker_id=account_id), "blocked", account_id, "blocks", place)


def muted_accounts(account_id: int, *, place: Place = TOP) -> AccountPage:
    return _page(Mute.objects.filter(IN_FORCE, muter_id=account_id), "muted", account_id, "mutes", place)


def find_accounts(*, viewer_id: int, wanted: Mapping[str, str], place: Place = TOP) -> AccountPage:
    """Accounts by `username` (exactly), `city` and `cuisine` (in any case) and `q` (words in any of them)."""
    rows = Account.objects.filter(holding(wanted.get("q", "")))
    if "username" in wanted:
        rows = rows.filter(username=Account.normalize_username(wanted["username"]))
    if "city" in wanted:
        rows = rows.filter(city__iexact=wanted["city"])
    if "cuisine" in wanted:
        rows = rows.filter(cuisine__iexact=wanted["cuisine"])
    return _page(rows, "", viewer_id, "accounts", place)


def count_requests(account_id: int, *, most: int = 100) -> int:
    """How many ask to follow an account, up to `most`."""
    asking = FollowRequest.objects.filter(may_know(account_id, "follower"), followee_id=account_id)
    return asking[:most].count()


def _refuse_unseen(account_id: int, viewer_id: int) -> None:
    account = get_visible_account(viewer_id=viewer_id, account_id=account_id)
    if not Account.objects.filter(may_see(viewer_id), pk=account.pk).exists():
        raise NotFound("Only followers of this account may see that.")


def _page(rows: QuerySet[Any], other: str, viewer_id: int, name: str, place: Place) -> AccountPage:
    """A page of `rows` by falling id, with the visible accounts that `other` (a relation of the row, or "" where
    rows are accounts) leads to."""
    rows = rows.filter(may_know(viewer_id, other))
    key, purpose = settings.SECRET_KEY.encode(), name.encode()
    if place.cursor is not None:
        rows = rows.filter(pk__lt=unsign(key, purpose, viewer_id, place.cursor)[0])
    found = list(rows.order_by("-pk")[: place.limit + 1])
    ids = {row.pk: getattr(row, f"{other}_id") if other else row.pk for row in found[: place.limit]}
    accounts = with_relation(visible_accounts(viewer_id), viewer_id).in_bulk(list(ids.values()))
    lines = [Line(accounts[ids[row.pk]], row) for row in found[: place.limit] if ids[row.pk] in accounts]
    more = len(found) > place.limit
    return AccountPage(lines, sign(key, purpose, viewer_id, [found[-2].pk]) if more else None)
