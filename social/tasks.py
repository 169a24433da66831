"""Celery tasks: doors. Each may run twice, and two at once."""

from celery import shared_task

from social import erasing, new_passwords
from social.services import prune_token_families


@shared_task(name=erasing.TASK)
def erase_accounts() -> int:
    """Go on erasing the accounts whose owners have deleted them."""
    return erasing.erase_marked_accounts()


@shared_task(name="social.prune_token_families")
def prune_families() -> int:
    """Forget sign-ins of programs that have expired."""
    return prune_token_families()


@shared_task(name=new_passwords.TASK)
def send_password_mails() -> int:
    """Send the links to new passwords that were asked for."""
    return new_passwords.send_password_mails()
