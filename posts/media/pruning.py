"""What nobody uses: photos that no menu took, and files that no photo names. In steps of bounded size."""

import logging
import time
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from posts.media.files import AWAY, remove
from posts.models import Leftover

logger = logging.getLogger(__name__)

PHOTOS_AT_ONCE = 500
MOST_PHOTOS = 10_000  # a run
FILES_AT_ONCE = 50
RUN_SECONDS = 20.0
AGAIN_SECONDS = 300


def prune_unused_photos() -> int:
    """Delete photos that no menu took within MEDIA_KEEP_UNUSED_SECONDS; how many.

    One that a menu is just taking is locked, and stays; what this deletes first, no menu finds.
    """
    pruned = 0
    while pruned < MOST_PHOTOS:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM posts_photo WHERE id = ANY(ARRAY(SELECT id FROM posts_photo"
                " WHERE post_id IS NULL AND NOT as_avatar AND created_at < now() - %s * interval '1 second'"
                " LIMIT %s FOR UPDATE SKIP LOCKED))",
                [settings.MEDIA_KEEP_UNUSED_SECONDS, PHOTOS_AT_ONCE],
            )
            pruned += cursor.rowcount
            if cursor.rowcount < PHOTOS_AT_ONCE:
                break
    return pruned


def delete_leftovers(*, seconds: float = RUN_SECONDS) -> int:
    """Delete the files of photos that have gone, and those whose photo was never saved; how many."""
    deadline, deleted = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        with transaction.atomic():
            due = Leftover.objects.filter(due_at__lte=Now()).order_by("due_at")
            rows = list(due.select_for_update(skip_locked=True)[:FILES_AT_ONCE])
            gone = _delete_files(rows)
            Leftover.objects.filter(pk__in=gone).delete()
        deleted += len(gone)
        if len(gone) < FILES_AT_ONCE:
            break
    return deleted


def _delete_files(rows: list[Leftover]) -> list[int]:
    """Keys of the rows whose file is gone. One that cannot be deleted is a later run's, and holds up no other."""
    gone = []
    for row in rows:
        try:
            remove(row.storage, row.name)
        except AWAY as error:
            logger.warning("File %s is left to a later run: %s", row.name, error)
            row.due_at = Now() + timedelta(seconds=AGAIN_SECONDS)
            row.save(update_fields=["due_at"])
        else:
            gone.append(row.pk)
    return gone
