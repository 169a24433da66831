"""The API's Account object, and the short form of it that stands on a menu."""

from datetime import UTC, datetime
from typing import Any

from social.models import Account


def iso(moment: datetime) -> str:
    """UTC, ISO 8601, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def author_dict(account: Account) -> dict[str, Any]:
    return {
        "id": account.pk,
        "username": account.username,
        "display_name": account.display_name,
        "avatar_url": account.avatar_url or None,
        "city": account.city,
    }


def account_dict(account: Any) -> dict[str, Any]:
    """Of an account as `social.relations.with_relation` gives it."""
    return {
        "id": account.pk,
        "username": account.username,
        "display_name": account.display_name,
        "bio": account.bio,
        "city": account.city,
        "cuisine": account.cuisine,
        "avatar_url": account.avatar_url or None,
        "order_url": account.order_url or None,
        "is_cook": account.is_cook,
        "is_private": account.is_private,
        "follower_count": account.follower_count,
        "following_count": account.following_count,
        "relation": account.relation,
    }


def own_account_dict(account: Any) -> dict[str, Any]:
    """The same for its owner, with what nobody else sees."""
    own = {"email": account.email, "time_zone": account.time_zone, "language": account.language}
    return account_dict(account) | own
