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


def account_dict(account: Account, *, following_count: int, relation: dict[str, bool]) -> dict[str, Any]:
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
        "following_count": following_count,
        "relation": relation,
    }
