"""Who is active: whose feed is kept and pushed to.

`last_seen` is committed at most once a day, and before a feed's life is prolonged: a feed never outlives the
committed `last_seen` plus the window, so that fan-out may leave out whoever it says is away.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, execute_one
from feeds.models import FeedSettings
from feeds.outage import postgresql
from social.models import Account


def seen_step() -> timedelta:
    """How old a `last_seen` may be before a read renews it."""
    return min(timedelta(days=1), timedelta(seconds=settings.FEED_INACTIVE_AFTER / 2))


def needs_seen(feed_ms_left: int) -> bool:
    """Whether a stored feed's remaining life says that `last_seen` is older than the step."""
    window_ms = settings.FEED_INACTIVE_AFTER * 1000
    return feed_ms_left < window_ms - seen_step().total_seconds() * 1000


def mark_seen(viewer_id: int) -> datetime:
    """Commit that the viewer is here, unless that was said a moment ago; the committed `last_seen`."""
    now = timezone.now()
    stale = Account.objects.filter(pk=viewer_id).exclude(last_seen__gt=now - seen_step())
    if stale.update(last_seen=now):
        return now
    committed = Account.objects.filter(pk=viewer_id).values_list("last_seen", flat=True).first()
    return committed or now  # erased this very moment: there is nobody to be kept a feed for


def prolong_feed(keys: Keys, viewer_id: int) -> None:
    """Renew `last_seen`, then let the viewer's stored feed live as long as the window allows.

    What cannot be done now is left to the next visit: a page that is there is shown all the same.
    """
    if not postgresql.may_try():
        return
    try:
        last_seen = mark_seen(viewer_id)
        window = FeedSettings.objects.values_list("inactive_after", flat=True).filter(pk=1).first()
    except DatabaseError as error:
        postgresql.failed(error)
        return
    expires_at = last_seen + timedelta(seconds=window or settings.FEED_INACTIVE_AFTER)
    command = commands.prolong_list_command(keys.feed(viewer_id), int(expires_at.timestamp() * 1000))
    try:
        execute_one(keys, command)
    except ListsUnavailable:
        return  # the feed ends sooner and is built again
