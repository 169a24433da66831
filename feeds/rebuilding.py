"""Having feeds built anew: what is stored is forgotten, and the next visit of each viewer builds from PostgreSQL."""

from collections.abc import Iterable

from django.db import transaction

from feeds.epoch import current_epoch, raise_epoch
from feeds.lists import commands, execute, keys_at


def delete_feeds(viewer_ids: Iterable[int]) -> None:
    """Delete what is stored for these viewers: feed, own menus, follows. A build that is under way loses its token
    with it and stores nothing. ListsUnavailable."""
    keys = keys_at(current_epoch())
    names = [name for v in viewer_ids for name in (keys.feed(v), keys.timeline(v), keys.follows(v))]
    execute(keys, [commands.delete_command(*names)])


def forget_all_feeds() -> int:
    """Make every stored list and card unreachable at once, whether or not Redis is there; the new epoch."""
    with transaction.atomic():
        raise_epoch()
        return current_epoch()
