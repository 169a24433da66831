"""What all changes between two accounts have in common."""

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext

from social.errors import NotFound, SelfTarget, Unavailable
from social.models import Account

MOST_TRIES = 20  # of a row that others make and end at the same time

Answer = TypeVar("Answer")


def refuse_oneself(actor: Account, account_id: int, words: str) -> None:
    if actor.pk == account_id:
        raise SelfTarget(words)


def persistently(attempt: Callable[[], Answer]) -> Answer:
    """`attempt` in a transaction; once more when somebody else has changed the same between two of its steps.

    It has to look at both accounts anew each time: what the database refused (a follow beside a block, a row of an
    account that was erased) then becomes the right refusal.
    """
    for _ in range(MOST_TRIES):
        try:
            with transaction.atomic():
                return attempt()
        except IntegrityError:
            continue
    raise Unavailable(gettext("Too many are changing this at once. Try again."))


# --- Locks -------------------------------------------------------------------------------------------------
# In this order, so that no two wait for each other: the row of an account that is changed (or shared while a
# request is made to it), then the rows that tell follows from blocks (social/keep_blocks.sql) in rising order,
# then the rows between accounts. None of the first kind stands in the way of the second.


def lock_account(account_id: int) -> Account:
    """The account as it is now, unchanged by others until the transaction ends. NotFound when it is erased."""
    account = Account.objects.select_for_update(no_key=True).filter(pk=account_id).first()
    if account is None:
        raise NotFound(gettext("There is no such account."))
    return account


def still_private(account_id: int) -> bool:
    """Whether an account is private, and stays so until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT is_private FROM social_account WHERE id = %s FOR SHARE", [account_id])
        row = cursor.fetchone()
    return row is not None and row[0]


def hold_off_blocks(account_id: int, other_id: int) -> None:
    """No block begins between the two until the transaction ends; one that has begun is waited for.

    The trigger would take the same lock, but only when a row that the block wants to delete is locked already.
    """
    with connection.cursor() as cursor:
        lesser = min(account_id, other_id)
        cursor.execute("SELECT FROM social_account WHERE id = %s FOR KEY SHARE", [lesser])


def hold_off_blocks_of_requests(followee_id: int) -> None:
    """The same between an account and all who ask to follow it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM social_account WHERE id IN"
            " (SELECT least(follower_id, followee_id) FROM social_followrequest WHERE followee_id = %s)"
            " ORDER BY id FOR KEY SHARE",
            [followee_id],
        )
