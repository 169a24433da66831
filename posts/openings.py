"""Who has opened a menu's page: remembered once for each account, told to the cook as a number and to nobody else."""

import logging
from collections.abc import Sequence

from django.db import DatabaseError, connection

from posts.models import Post
from posts.selectors import MOST_COUNTED
from social.models import Account

logger = logging.getLogger(__name__)


def note_opening(post: Post, account: Account | None) -> None:
    """`account` has opened the page of `post`; its cook does not count, nor who is signed out. It is a figure, and
    never in the way: what goes wrong is only logged.
    """
    if account is None or account.pk == post.author_id:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO posts_opening (account_id, post_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [account.pk, post.pk],
            )
    except DatabaseError as error:  # the menu was deleted meanwhile, or PostgreSQL is going away
        logger.info("An opening of menu %s was not noted: %s", post.pk, error)


def count_openings(post_ids: Sequence[int]) -> dict[int, int]:
    """How many accounts have opened each, counted up to MOST_COUNTED (index only, `opening_once`)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT post.id, counted.n FROM unnest(%s::bigint[]) post(id) CROSS JOIN LATERAL (SELECT count(*) AS n"
            " FROM (SELECT FROM posts_opening WHERE post_id = post.id LIMIT %s) few) counted",
            [list(post_ids), MOST_COUNTED],
        )
        return dict(cursor.fetchall())
