"""What somebody takes along of people: her account, and who is between her and others, in chunks of bounded size.

Of others it tells the name, as far as her pages show it too: whoever blocks her or is away is left out.
"""

from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import QuerySet

from social.models import Account, Block, Follow, FollowRequest, Mute
from social.relations import get_account_with_relation
from social.rendering import iso, own_account_dict
from social.rules import IN_FORCE
from social.selectors import may_know

CHUNK = 500  # rows read at once

# A name in the file, and its entries one by one.
Part = tuple[str, Iterator[dict[str, Any]]]


def account_to_export(account: Account) -> dict[str, Any]:
    """As she sees herself. NotFound."""
    told = own_account_dict(get_account_with_relation(viewer_id=account.pk, account_id=account.pk))
    told.pop("relation")  # there is none to oneself
    return told | {"created_at": iso(account.created_at)}


def people_to_export(account_id: int) -> list[Part]:
    return [
        ("following", _others(Follow.objects.filter(follower_id=account_id), "followee", account_id)),
        ("followers", _others(Follow.objects.filter(followee_id=account_id), "follower", account_id)),
        (
            "requests_sent",
            _others(FollowRequest.objects.filter(follower_id=account_id), "followee", account_id),
        ),
        (
            "requests_received",
            _others(FollowRequest.objects.filter(followee_id=account_id), "follower", account_id),
        ),
        ("blocks", _others(Block.objects.filter(blocker_id=account_id), "blocked", account_id)),
        ("mutes", _others(Mute.objects.filter(IN_FORCE, muter_id=account_id), "muted", account_id)),
    ]


def _others(rows: QuerySet[Any], other: str, account_id: int) -> Iterator[dict[str, Any]]:
    known = rows.filter(may_know(account_id, other)).select_related(other)
    return in_chunks(known, lambda row: _told(row, getattr(row, other)))


def _told(row: Any, other: Account) -> dict[str, Any]:
    told: dict[str, Any] = {
        "username": other.username,
        "display_name": other.display_name,
        "since": iso(row.created_at),
    }
    if isinstance(row, Mute):
        told["until"] = iso(row.expires_at) if row.expires_at else None
    return told


def in_chunks(rows: QuerySet[Any], tell: Callable[[Any], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What `tell` makes of each row, newest first. Keyset by the primary key: no row is read twice, and what is
    written meanwhile is above and not waited for."""
    rows, below = rows.order_by("-pk"), None
    while True:
        chunk = list((rows if below is None else rows.filter(pk__lt=below))[:CHUNK])
        yield from map(tell, chunk)
        if len(chunk) < CHUNK:
            return
        below = chunk[-1].pk
