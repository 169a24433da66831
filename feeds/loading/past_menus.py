"""Writing menus of the past: ids from the menus' own times, rows by COPY."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

from django.db import connection

from feeds.loading.bulk import copy_rows
from feeds.loading.menus import Menu
from posts.ids import id_at
from posts.models import Dish, Photo, Post

_BATCH = 2000
# Imported ids are those of the last generator, which no running site has: they cannot meet drawn ones.
_FIRST_SEQUENCE, _LAST_SEQUENCE = 63 << 6, 63 << 6 | 63


@dataclass(frozen=True, slots=True)
class PastMenu:
    author_id: int
    moment: datetime
    day: date
    menu: Menu


class PastIds:
    """Unique ids for moments; a full millisecond passes on to the one before it."""

    def __init__(self, since: datetime) -> None:
        self._taken = _imported_ids(since)

    def take(self, moment: datetime) -> int:
        while True:
            for sequence in range(_FIRST_SEQUENCE, _LAST_SEQUENCE + 1):
                post_id = id_at(moment, sequence)
                if post_id not in self._taken:
                    self._taken.add(post_id)
                    return post_id
            moment -= timedelta(milliseconds=1)


def database_now() -> datetime:
    """The database's clock: the one that later ids are drawn by."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
        return moment.astimezone(UTC)


def copy_menus(menus: Iterable[PastMenu], *, since: datetime) -> tuple[int, int]:
    """Write menus none of which is older than `since`; inside bulk_load. (menus, dishes)."""
    ids, written, dishes = PastIds(since), 0, 0
    remaining = iter(menus)
    while batch := list(islice(remaining, _BATCH)):
        numbered = [(ids.take(past.moment), past) for past in batch]
        copy_rows(Post, ("id", "author_id", "text", "day"), map(_post_row, numbered))
        dishes += copy_rows(
            Dish,
            ("post_id", "position", "name", "price", "currency", "tags", "sold_out"),
            _dish_rows(numbered),
        )
        _copy_photos(numbered)
        written += len(batch)
    return written, dishes


def _copy_photos(numbered: list[tuple[int, PastMenu]]) -> None:
    names = ("url", "alt", "width", "height", "placeholder")
    rows = (
        (post_id, position, *(getattr(Photo(**photo), name) for name in names))
        for post_id, past in numbered
        for position, photo in enumerate(past.menu.photos)
    )
    copy_rows(Photo, ("post_id", "position", *names), rows)


def _post_row(numbered: tuple[int, PastMenu]) -> tuple[Any, ...]:
    post_id, past = numbered
    return post_id, past.author_id, past.menu.text, past.day


def _dish_rows(numbered: list[tuple[int, PastMenu]]) -> Iterator[tuple[Any, ...]]:
    for post_id, past in numbered:
        for position, dish in enumerate(past.menu.dishes):
            yield (
                post_id, position, dish["name"], dish["price"], dish["currency"], dish["tags"],
                dish.get("sold_out", False),
            )  # fmt: skip


def _imported_ids(since: datetime) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM posts_post WHERE id >= %s AND id & %s = %s",
            [id_at(since), _FIRST_SEQUENCE, _FIRST_SEQUENCE],
        )
        return {row[0] for row in cursor.fetchall()}
