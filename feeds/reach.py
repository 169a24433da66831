"""How far an author's menus have come: for her own page (posts/reach.py)."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from feeds.models import Outbox, PulledAuthor
from feeds.threshold import Interval, is_pushed, settling_seconds
from posts.reach import Reach
from social.models import Account, Follow


def tell_reach(author: Account, post_ids: Sequence[int]) -> dict[int, Reach]:
    """A fan-out pushes in the order of followers' ids, so its checkpoint says how many it has done. A row that is not
    there any more was done long ago.
    """
    followers, interval = author.follower_count, _interval_of(author)
    waiting = dict(
        Outbox.objects.filter(kind=Outbox.Kind.PUBLISHED, done_at=None, subject_id__in=post_ids).values_list(
            "subject_id", "checkpoint"
        )
    )
    told = {}
    for post_id in post_ids:
        if not is_pushed(post_id, interval):
            told[post_id] = Reach(followers, when_they_look=True)
        elif followers and post_id in waiting:
            told[post_id] = Reach(
                followers, reached=min(followers, count_followers_up_to(author, waiting[post_id]))
            )
        else:
            told[post_id] = Reach(followers)
    return told


def _interval_of(author: Account) -> Interval | None:
    row = PulledAuthor.objects.filter(author=author).first()
    if row is None:
        return None
    settled = row.opened_at < timezone.now() - timedelta(seconds=settling_seconds())
    return Interval(row.since_id, row.until_id, settled)


def count_followers_up_to(author: Account, checkpoint: int) -> int:
    """By the index of the followers of an account; of an author who is pushed there are not very many."""
    return Follow.objects.filter(followee=author, follower_id__lte=checkpoint).count() if checkpoint else 0
