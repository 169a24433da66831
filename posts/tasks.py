"""Celery tasks: doors. Each may run twice, and two at once."""

from celery import shared_task

from posts import idempotency
from posts.media import processing, pruning, queueing


@shared_task(name=queueing.PROCESS)
def process_photo(photo_id: int) -> bool:
    """Make the sizes of an uploaded photo; the sweep repeats what fails."""
    return processing.process_photo(photo_id)


@shared_task(name="posts.process_left")
def process_left() -> int:
    """Hand over photos that are still not ready."""
    return processing.process_left()


@shared_task(name="posts.prune_photos")
def prune_photos() -> tuple[int, int]:
    """Delete photos that nobody uses, and files that no photo names."""
    return pruning.prune_unused_photos(), pruning.delete_leftovers()


@shared_task(name="posts.prune_keys")
def prune_keys() -> int:
    """Forget answers that nobody may ask for again."""
    return idempotency.prune_keys()
