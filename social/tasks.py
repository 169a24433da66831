"""Celery tasks: doors. Each may run twice, and two at once."""

from celery import shared_task

from social import erasing


@shared_task(name=erasing.TASK)
def erase_accounts() -> int:
    """Go on erasing the accounts whose owners have deleted them."""
    return erasing.erase_marked_accounts()
