"""An author for staff to look at: how her followers grew, when she was pulled and pushed, how her menus come."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import connection
from django.utils import timezone

from feeds.models import Crossing, PulledAuthor
from feeds.reach import tell_reach
from posts.models import Post
from posts.reach import Reach
from social.models import Account

DAYS = 30
MOST_FOLLOWS = 100_000
NEWEST = 20

# The newest follows by the index follow_received; a day is one of admin's time zone.
_NEW_FOLLOWERS = """
WITH newest AS MATERIALIZED (
    SELECT created_at FROM social_follow WHERE followee_id = %(author)s ORDER BY id DESC LIMIT %(most)s
)
SELECT (created_at AT TIME ZONE %(zone)s)::date AS day, count(*)
FROM newest WHERE created_at >= %(since)s GROUP BY day ORDER BY day
"""


@dataclass(frozen=True, slots=True)
class Growth:
    """New followers of each day, the oldest first, today's last; only of follows that are still there. `cut`: there
    are more follows than were looked at, so that the first days may lack some."""

    days: list[tuple[date, int]]
    cut: bool

    @property
    def total(self) -> int:
        return sum(count for _, count in self.days)


def get_growth(author_id: int, *, now: datetime, days: int = DAYS, most: int = MOST_FOLLOWS) -> Growth:
    """Of the last `days` days, today included."""
    today = timezone.localtime(now).date()
    first = today - timedelta(days=days - 1)
    since = timezone.make_aware(datetime(first.year, first.month, first.day))
    zone = timezone.get_current_timezone_name()
    with connection.cursor() as cursor:
        cursor.execute(_NEW_FOLLOWERS, {"author": author_id, "most": most, "zone": zone, "since": since})
        counts = dict(cursor.fetchall())
    span = [first + timedelta(days=n) for n in range(days)]
    # When all that were looked at lie within the span, those behind them may too.
    return Growth([(day, counts.get(day, 0)) for day in span], cut=sum(counts.values()) >= most)


@dataclass(frozen=True, slots=True)
class Delivery:
    post: Post
    reach: Reach


@dataclass(frozen=True, slots=True)
class Author:
    """`interval` None: never pulled. `crossings` and `menus` are the newest, newest first."""

    account: Account
    interval: PulledAuthor | None
    crossings: list[Crossing]
    menus: list[Delivery]


def get_author(account: Account) -> Author:
    posts = list(Post.objects.filter(author=account).select_related("author").order_by("-pk")[:NEWEST])
    reach = tell_reach(account, [post.pk for post in posts])
    return Author(
        account,
        PulledAuthor.objects.filter(author=account).first(),
        list(Crossing.objects.filter(author=account).order_by("-id")[:NEWEST]),
        [Delivery(post, reach[post.pk]) for post in posts],
    )
