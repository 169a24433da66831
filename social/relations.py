"""How accounts stand to a viewer: whether one follows the other, has asked to, blocks or mutes."""

from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce, JSONObject
from django.utils.translation import gettext as _

from social.errors import NotFound
from social.models import Account, Block, Follow, FollowRequest, Mute
from social.rules import IN_FORCE, may_see
from social.selectors import BIGINT_MAX, visible_accounts

RELATIONS = ("following", "requested", "followed_by", "blocking", "muting")
NO_RELATION = dict.fromkeys(RELATIONS, False)


def relation_to(viewer_id: int) -> JSONObject:
    """A column for a query of accounts: what is between each and the viewer, as a dict of RELATIONS."""
    mine, to_them = {"follower_id": viewer_id}, {"followee_id": OuterRef("pk")}
    return JSONObject(
        following=Exists(Follow.objects.filter(**mine, **to_them)),
        requested=Exists(FollowRequest.objects.filter(**mine, **to_them)),
        followed_by=Exists(Follow.objects.filter(follower_id=OuterRef("pk"), followee_id=viewer_id)),
        blocking=Exists(Block.objects.filter(blocker_id=viewer_id, blocked_id=OuterRef("pk"))),
        muting=Exists(Mute.objects.filter(IN_FORCE, muter_id=viewer_id, muted_id=OuterRef("pk"))),
    )


def with_relation(accounts: QuerySet[Account], viewer_id: int | None) -> QuerySet[Any]:
    """Accounts with `following_count`, and with `relation` where there is a viewer."""
    follows = Follow.objects.filter(follower_id=OuterRef("pk")).order_by().values("follower_id")
    counted = Subquery(follows.annotate(n=Count("followee_id")).values("n"), output_field=IntegerField())
    accounts = accounts.annotate(following_count=Coalesce(counted, 0))
    return accounts if viewer_id is None else accounts.annotate(relation=relation_to(viewer_id))


def with_no_relation(account: Account) -> Any:
    """The same of an account that has just been made, which nothing is between: no query."""
    account.following_count, account.relation = 0, NO_RELATION  # type: ignore[attr-defined]
    return account


def get_account_with_relation(*, viewer_id: int, account_id: int) -> Any:
    """One visible account by id as `with_relation` gives it, with `menus_open`: whether the viewer may see its
    menus. NotFound."""
    return _get(viewer_id, pk=account_id if account_id <= BIGINT_MAX else 0)


def get_account_with_relation_by_name(*, viewer_id: int | None, username: str) -> Any:
    """The same by username, in any case."""
    name = Account.normalize_username(username)
    return _get(viewer_id, username="" if "\x00" in name else name)


def _get(viewer_id: int | None, **by: Any) -> Any:
    accounts = with_relation(visible_accounts(viewer_id).filter(**by), viewer_id)
    menus_open = ExpressionWrapper(may_see(viewer_id), output_field=BooleanField())
    account = accounts.annotate(menus_open=menus_open).first()
    if account is None:
        raise NotFound(_("There is no such account."))
    return account
