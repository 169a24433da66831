"""The reference feed: what a viewer's feed must be, by one plain SQL query over the truth.

Posts in the feed (social/rules.py, posts/selectors.py), from before the follow too, by id, newest first. Reads
below the stored lists go on with it, in a form that touches the newest posts of each author in question only.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, QuerySet
from django.db.models.expressions import RawSQL

from posts.models import Post
from posts.selectors import LIVE, feed_posts
from social.models import Account
from social.rules import in_feed


def reference_feed_ids(viewer_id: int) -> list[int]:
    """The whole reference feed, plainly; for proofs."""
    return list(_reference(viewer_id).order_by("-pk").values_list("pk", flat=True))


def count_reference(viewer_id: int, *, most: int) -> int:
    """How many posts the reference feed has; `most` stands for that many or more."""
    return _reference(viewer_id).order_by()[:most].count()


def _reference(viewer_id: int) -> QuerySet[Post]:
    in_question = RawSQL(_IN_QUESTION, [viewer_id, viewer_id], BigIntegerField())
    return feed_posts(viewer_id).filter(author_id__in=in_question)


def reference_page_ids(viewer_id: int, *, below: int, limit: int, above: int = 0) -> list[int]:
    """The newest `limit` ids of the reference feed between two ids, newest first; fewer: there are no more."""
    query, places = _page_query(limit)
    values = {_VIEWER: viewer_id, _BELOW: below, _ABOVE: above}
    with connection.cursor() as cursor:
        cursor.execute(query, [values.get(place, place) for place in places])
        return [row[0] for row in cursor.fetchall()]


# From the rules alone PostgreSQL would look at every account or post there is. Both queries begin at the accounts
# in question, whom the rules then judge.
_IN_QUESTION = (
    "SELECT unnest(ARRAY(SELECT followee_id FROM social_follow WHERE follower_id = %s UNION SELECT %s))"
)
_PAGE = """
SELECT post.id FROM (
    SELECT followee_id AS id FROM social_follow WHERE follower_id = %s UNION SELECT %s
) candidate
CROSS JOIN LATERAL ({authors}) author (id)
CROSS JOIN LATERAL ({posts}) post (id)
ORDER BY post.id DESC LIMIT {limit}
"""

# Where the values go: compiling the query anew for each reader would take longer than running it.
_VIEWER, _BELOW, _ABOVE = -1, -2, -3


@cache
def _page_query(limit: int) -> tuple[str, Sequence[Any]]:
    """The query for pages of `limit`, and its parameters with the places above among them."""
    account, author = (RawSQL(f"{name}.id", [], BigIntegerField()) for name in ("candidate", "author"))
    authors = Account.objects.filter(in_feed(_VIEWER), pk=account).values("pk")
    posts = Post.objects.filter(LIVE, author_id=author, pk__lt=_BELOW, pk__gt=_ABOVE)
    authors_sql, authors_values = authors.query.sql_with_params()
    posts_sql, posts_values = posts.order_by("-pk").values("pk")[:limit].query.sql_with_params()
    query = _PAGE.format(authors=authors_sql, posts=posts_sql, limit=limit)
    return query, (_VIEWER, _VIEWER, *authors_values, *posts_values)
