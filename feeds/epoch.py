"""The epoch: a number in PostgreSQL that is part of every key of derived data.

Raising it makes all stored lists and values unreachable at once, whoever holds which copy. Bulk loaders do so
instead of announcing a million changes. Writers read it from PostgreSQL; readers learn of a new one from the
overlay's mark, within a second.
"""

from django.db import connection

from feeds.models import FeedSettings

_known = 1


def known_epoch() -> int:
    """The newest epoch that this process has heard of; for reading only."""
    return _known


def learn_epoch(epoch: int) -> None:
    global _known
    _known = epoch


def current_epoch() -> int:
    """The epoch in force, from PostgreSQL."""
    return FeedSettings.objects.values_list("epoch", flat=True).filter(pk=1).first() or 1


def raise_epoch() -> None:
    """Begin a new epoch with the current transaction's commit."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO feeds_feedsettings (id, epoch) VALUES (1, 2)"
            " ON CONFLICT (id) DO UPDATE SET epoch = feeds_feedsettings.epoch + 1"
        )
