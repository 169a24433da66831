"""Writes to accounts and follows. Safe to repeat and safe in parallel: the database holds the rules."""

from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from social.errors import InvalidInput, SelfTarget, Unavailable
from social.models import Account, Follow
from social.selectors import get_visible_account

MOST_TRIES = 20  # of a follow that others make and end at the same time


def create_account(*, username: str, password: str, **fields: Any) -> Account:
    """A new account with a checked password. InvalidInput by field, also for a username that is taken."""
    account = Account(username=Account.normalize_username(username), **fields)
    account.display_name = account.display_name or account.username
    errors: dict[str, list[str]] = {}
    try:
        account.full_clean(exclude=["password", "created_at"])
    except ValidationError as error:
        errors |= error.message_dict
    try:
        validate_password(password, account)
    except ValidationError as error:
        errors["password"] = error.messages
    if errors:
        raise InvalidInput("The account was not made.", errors=errors)
    account.set_password(password)
    try:
        with transaction.atomic():
            account.save()
    except IntegrityError:  # taken between the check and the insert
        raise InvalidInput(
            "The account was not made.", errors={"username": ["This username is taken."]}
        ) from None
    return account


def follow_account(*, follower: Account, followee_id: int) -> None:
    """`follower` follows `followee_id` from now on; following twice is once. SelfTarget, NotFound."""
    if follower.pk == followee_id:
        raise SelfTarget("You cannot follow yourself.")
    followee = get_visible_account(viewer_id=follower.pk, account_id=followee_id)
    for _ in range(MOST_TRIES):
        try:
            with transaction.atomic():
                Follow.objects.get_or_create(follower=follower, followee=followee)
                return
        except IntegrityError:  # made and ended again by somebody else between two steps, or erased
            followee = get_visible_account(viewer_id=follower.pk, account_id=followee_id)
    raise Unavailable("Too many are changing this follow at once. Try again.")


def unfollow_account(*, follower: Account, followee_id: int) -> None:
    """`follower` no longer follows `followee_id`; harmless to repeat. SelfTarget, NotFound."""
    if follower.pk == followee_id:
        raise SelfTarget("You cannot unfollow yourself.")
    deleted, _ = Follow.objects.filter(follower=follower, followee_id=followee_id).delete()
    if not deleted:
        get_visible_account(viewer_id=follower.pk, account_id=followee_id)
