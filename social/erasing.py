"""Erasing accounts: in the background, in steps of bounded size, each a short transaction.

Whoever stands in the middle is harmless: the account is marked and hidden, its row goes last, and the next run goes
on. Triggers record what the feed has to know, so that rows may go past the models.
"""

import logging
import time
from collections.abc import Callable

from celery import current_app
from django.db import IntegrityError, connection, transaction
from kombu.exceptions import OperationalError

from social.models import Account

logger = logging.getLogger(__name__)

TASK = "social.erase_accounts"
BATCH = 500  # rows a transaction
RUN_SECONDS = 5.0
# Rows a run. A cook's 80,000 follows, ended at once, would be more changes than the feed lists one by one.
RUN_ROWS = 2500

# Erases at most so many rows of an account and answers how many they were; 0 when none is left.
Step = Callable[[int, int], int]


def rows_of(table: str, column: str) -> Step:
    """A step that deletes the rows of `table` whose `column` is the account."""

    def erase(account_id: int, limit: int) -> int:
        with connection.cursor() as cursor:
            # Rows that others are just deleting are theirs: waiting for them while holding some is a deadlock. An
            # array is read once; a subquery of IN may be read anew for each row, and then finds others that are free.
            cursor.execute(
                f"DELETE FROM {table} WHERE id = ANY(ARRAY(SELECT id FROM {table} WHERE {column} = %s"
                " LIMIT %s FOR UPDATE SKIP LOCKED))",
                [account_id, limit],
            )
            return cursor.rowcount

    return erase


# Other apps put theirs in front (posts/apps.py): menus are what people look for first.
STEPS: list[Step] = [
    rows_of("social_followrequest", "follower_id"),
    rows_of("social_followrequest", "followee_id"),
    rows_of("social_mute", "muter_id"),
    rows_of("social_mute", "muted_id"),
    rows_of("social_block", "blocker_id"),
    rows_of("social_block", "blocked_id"),
    rows_of("social_follow", "follower_id"),
    rows_of("social_follow", "followee_id"),
    rows_of("social_tokenfamily", "account_id"),
]


def erase_first(*steps: Step) -> None:
    """Register steps of another app, to run before the others in the order given."""
    STEPS[:0] = steps


def erase_marked_accounts(*, seconds: float = RUN_SECONDS, rows: int = RUN_ROWS) -> int:
    """Go on erasing for about so long, and about so many rows; how many accounts are gone. Two runs at once share
    the work."""
    deadline, erased, above = time.monotonic() + seconds, 0, 0
    while rows > 0 and time.monotonic() < deadline:
        account_id = taken = 0
        try:
            with transaction.atomic():
                account = _claim(above)
                if account is None:
                    break
                account_id = account.pk
                taken = _erase_some(account)
        except IntegrityError:  # somebody has just added to it what no step has seen: the next run finds it
            logger.info("Account %s is left to the next run", account_id)
            above = account_id
        else:
            erased, rows = erased + (taken == 0), rows - taken
    return erased


def _claim(above: int) -> Account | None:
    """An account to be erased, held until the transaction ends; not one that another run holds."""
    marked = Account.objects.filter(inactive_because=Account.Inactive.ERASING, pk__gt=above)
    return marked.select_for_update(skip_locked=True, no_key=True).order_by("pk").first()


def _erase_some(account: Account) -> int:
    """One step's worth: how many rows it took; 0: none is left, and the account's own row has gone."""
    for step in STEPS:
        if taken := step(account.pk, BATCH):
            return taken
    account.delete()
    return 0


def enqueue_erasing() -> None:
    """Ask a worker to begin. Without a broker the next beat does."""
    try:
        current_app.send_task(TASK, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("Erasing is left to the next beat: the broker is away (%s)", error)
