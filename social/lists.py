"""Lists of whom one follows, blocks, mutes or has been asked by, and the search for accounts.

A list is a page of rows, newest first by the row's id. It costs two queries, for 3 rows and for 300.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from social.discovery import holding
from social.errors import NotFound
from social.models import Account, Block, Follow, FollowRequest, Mute
from social.paging import TOP, Place
from social.relations import get_account_with_relation, with_relation
from social.rules import IN_FORCE, blocked_by
from social.selectors import may_know, visible_accounts


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
    if not get_account_with_relation(viewer_id=viewer_id, account_id=account_id).menus_open:
        raise NotFound(_("Only followers of this account may see that."))


def _page(rows: QuerySet[Any], other: str, viewer_id: int, name: str, place: Place) -> AccountPage:
    """A page of `rows` by falling id, with the visible accounts that `other` (a relation of the row, or "" where
    rows are accounts) leads to."""
    rows = rows.filter(may_know(viewer_id, other))
    if (below := place.below(name, viewer_id)) is not None:
        rows = rows.filter(pk__lt=below)
    shown, next_cursor = place.cut(list(rows.order_by("-pk")[: place.limit + 1]), name, viewer_id)
    ids = {row.pk: getattr(row, f"{other}_id") if other else row.pk for row in shown}
    accounts = with_relation(visible_accounts(viewer_id), viewer_id).in_bulk(list(ids.values()))
    # Who has gone between the two queries is left out.
    lines = [Line(accounts[ids[row.pk]], row) for row in shown if ids[row.pk] in accounts]
    return AccountPage(lines, next_cursor)
