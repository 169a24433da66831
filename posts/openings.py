"""Who has opened a menu's page: remembered once for each account, told to the cook as a number and to nobody else."""

from collections.abc import Callable, Sequence

from django.db import connection

from posts.models import Post
from posts.selectors import MOST_COUNTED
from social.models import Account

# How an opening by an account, of a menu, is put down: past the request, and with nothing that could go wrong.
PutDown = Callable[[int, int], None]

_put_down: list[PutDown] = []


def put_down_by(put_down: PutDown) -> None:
    """Register who does (feeds/apps.py)."""
    _put_down[:] = [put_down]


def note_opening(post: Post, account: Account | None) -> None:
    """`account` has opened the page of `post`; its cook does not count, nor who is signed out. It is remembered a few
    seconds later."""
    if account is not None and account.pk != post.author_id:
        for put_down in _put_down:
            put_down(account.pk, post.pk)


# An account or a menu that has gone meanwhile has no row to refer to.
_REMEMBER = """
INSERT INTO posts_opening (account_id, post_id, at)
SELECT DISTINCT ON (noted.account_id, noted.post_id) noted.account_id, noted.post_id, to_timestamp(noted.at)
FROM unnest(%s::bigint[], %s::bigint[], %s::float8[]) noted (account_id, post_id, at)
JOIN posts_post ON posts_post.id = noted.post_id AND posts_post.author_id <> noted.account_id
JOIN social_account ON social_account.id = noted.account_id AND social_account.is_active
ORDER BY noted.account_id, noted.post_id, noted.at
ON CONFLICT DO NOTHING RETURNING post_id
"""


def remember_openings(openings: Sequence[tuple[int, int, float]]) -> list[int]:
    """Remember (account, menu, seconds since 1970); the menu of each that was its account's first.

    Doing it twice is the same as once. IntegrityError, when an account or a menu goes at this very moment.
    """
    if not openings:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_REMEMBER, [list(column) for column in zip(*openings, strict=True)])
        return [post_id for (post_id,) in cursor.fetchall()]


def count_openings(post_ids: Sequence[int]) -> dict[int, int]:
    """How many accounts have opened each, counted up to MOST_COUNTED (index only, `opening_once`)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT post.id, counted.n FROM unnest(%s::bigint[]) post(id) CROSS JOIN LATERAL (SELECT count(*) AS n"
            " FROM (SELECT FROM posts_opening WHERE post_id = post.id LIMIT %s) few) counted",
            [list(post_ids), MOST_COUNTED],
        )
        return dict(cursor.fetchall())
