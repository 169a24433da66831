"""Celery tasks: doors. Each may run twice, and two at once."""

from celery import shared_task

from posts import idempotency


@shared_task(name="posts.prune_keys")
def prune_keys() -> int:
    """Forget answers that nobody may ask for again."""
    return idempotency.prune_keys()
