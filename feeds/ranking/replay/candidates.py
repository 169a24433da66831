"""What a viewer's ranked feed would have been made of at a moment of the past."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from feeds.ranking.replay.past import Past
from feeds.ranking.signals import read_affinities, read_seen
from feeds.ranking.values import Affinity, Candidate
from feeds.reference import reference_page_ids
from posts.ids import EPOCH, id_at, time_of
from posts.models import Dish, Post

_FOLLOWED = "SELECT followee_id FROM social_follow WHERE follower_id = %s AND created_at < %s"


class Menus:
    """Authors and words of menus, each asked for once."""

    def __init__(self) -> None:
        self.author_of: dict[int, int] = {}
        self.words_of: dict[int, str] = {}

    def read(self, post_ids: Collection[int]) -> None:
        unknown = [post_id for post_id in post_ids if post_id not in self.author_of]
        if not unknown:
            return
        dishes: dict[int, list[str]] = {post_id: [] for post_id in unknown}
        rows = Dish.objects.filter(post_id__in=unknown).order_by("post_id", "position", "id")
        for post_id, name in rows.values_list("post_id", "name"):
            dishes[post_id].append(name)
        for post_id, author_id, text in Post.objects.filter(pk__in=unknown).values_list(
            "pk", "author_id", "text"
        ):
            self.author_of[post_id] = author_id
            self.words_of[post_id] = " ".join([text, *dishes[post_id]])


def oldest_at(moment: datetime) -> datetime:
    """How far back candidates go."""
    return max(EPOCH, moment - timedelta(seconds=settings.FEED_RANK_WINDOW))


def candidate_ids(viewer_id: int, moment: datetime, menus: Menus) -> list[int]:
    """The newest FEED_RANK_CANDIDATES of FEED_RANK_WINDOW before `moment`: the viewer's own menus, and of the feed's
    others those of authors whom it followed by then. Newest first."""
    limit, above, below = settings.FEED_RANK_CANDIDATES, id_at(oldest_at(moment)), id_at(moment)
    authors = {viewer_id, *_followed(viewer_id, moment)}
    found: list[int] = []
    while len(found) < limit:
        page = reference_page_ids(viewer_id, below=below, above=above, limit=limit)
        menus.read(page)
        found += [post_id for post_id in page if menus.author_of.get(post_id) in authors]
        if len(page) < limit:
            break
        below = page[-1]
    return found[:limit]


def candidates_at(viewer_id: int, moment: datetime, *, menus: Menus, past: Past) -> list[Candidate]:
    """Newest first, with what was known of them at `moment`."""
    ids, at = candidate_ids(viewer_id, moment, menus), moment.timestamp()
    if not ids:
        return []
    affinities = read_affinities(viewer_id, {menus.author_of[post_id] for post_id in ids}, moment)
    seen = read_seen(viewer_id, since=time_of(ids[-1]), until=moment)
    return [
        Candidate(
            post_id,
            menus.author_of[post_id],
            time_of(post_id).timestamp(),
            menus.words_of[post_id],
            likes=past.likes(post_id, at),
            impressions=past.impressions(post_id, at),
            openings=past.openings(post_id, at, viewer_id=viewer_id),
            seen=post_id in seen,
            affinity=affinities.get(menus.author_of[post_id], Affinity()),
        )
        for post_id in ids
    ]


def _followed(viewer_id: int, moment: datetime) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_FOLLOWED, [viewer_id, moment])
        return [account_id for (account_id,) in cursor.fetchall()]
