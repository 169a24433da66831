"""Hands for the tests of the ranked feed."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from feeds.ranking.serving import RankedPage, read_ranked
from posts.ids import id_at
from social.models import Account
from tests.feeds.helpers import raw_sql

DISHES = (
    "soup",
    "stew",
    "roast",
    "pie",
    "rice",
    "salad",
    "curry",
    "noodles",
    "beans",
    "fish",
    "cake",
    "bread",
)


def different_menus(
    author_ids: Sequence[int], *, minutes_apart: float = 1, begin_minutes_ago: float = 1
) -> list[int]:
    """A menu of each author, no two alike, the first one the newest; their ids."""
    now = timezone.now()
    ids = [
        id_at(now - timedelta(minutes=begin_minutes_ago + minutes_apart * n)) for n in range(len(author_ids))
    ]
    texts = [f"{DISHES[n % 12]} with {DISHES[n // 12 % 12]}, table {n}" for n in range(len(author_ids))]
    with transaction.atomic():
        raw_sql("SET LOCAL courtyard.bulk_load = 'on'")
        raw_sql(
            "INSERT INTO posts_post (id, author_id, text)"
            " SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[])",
            ids,
            list(author_ids),
            texts,
        )
    return ids


def ids_of(page: RankedPage) -> list[int]:
    return [item.post_id for item in page.items]


def ranked_pages(viewer: Account, *, limit: int = 20) -> Iterator[RankedPage]:
    """All pages, following `next_cursor`."""
    cursor = None
    for _ in range(1000):
        page = read_ranked(viewer.pk, cursor=cursor, limit=limit)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
    pytest.fail("the ranked feed has no end")


def ranked_walk(viewer: Account, *, limit: int = 20) -> list[int]:
    return [post_id for page in ranked_pages(viewer, limit=limit) for post_id in ids_of(page)]
