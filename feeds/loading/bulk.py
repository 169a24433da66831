"""Loading many rows at once: COPY, in one transaction, with the outbox silent."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Field, Model
from django.db.models.fields import NOT_PROVIDED

from feeds.counts import RECOUNT_LOCK
from feeds.epoch import raise_epoch
from feeds.threshold import reconcile
from posts.models import Dish, Photo, Post
from social.models import Account, Follow

# A load takes as long as it takes; the limits of the site's own transactions are not for it. One at a time:
# two would wait for each other's accounts, and each would think that it starts from an empty database.
_PREPARE = (
    f"SELECT pg_advisory_xact_lock({RECOUNT_LOCK})",
    "SET LOCAL courtyard.bulk_load = 'on'",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    "SET LOCAL work_mem = '128MB'",
)

# Locked in the order of ids, so that a recount of the running site and this one never wait for each other.
_RECOUNT = """
WITH counted AS (
    SELECT followee_id AS id, count(*) AS followers FROM social_follow GROUP BY followee_id
), wrong AS (
    SELECT a.id, coalesce(c.followers, 0) AS followers
    FROM social_account a LEFT JOIN counted c USING (id)
    WHERE a.follower_count <> coalesce(c.followers, 0)
    ORDER BY a.id FOR NO KEY UPDATE OF a
)
UPDATE social_account a SET follower_count = wrong.followers FROM wrong WHERE a.id = wrong.id
"""


@contextmanager
def bulk_load() -> Iterator[None]:
    """One transaction whose rows reach no outbox: all of it is kept, or nothing.

    1. the triggers are silent;  2. the caller writes;  3. followers are recounted;  4. the epoch rises, so
    that no stored list from before is read again;  and after the commit  5. the planner learns the new
    sizes;  6. authors on the other side of the threshold are moved, in small transactions of their own.
    """
    with transaction.atomic():
        _execute(*_PREPARE)
        yield
        _execute(_RECOUNT)
        raise_epoch()
    refresh_statistics()
    reconcile()


def copy_rows(model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """COPY `rows` into the model's table; `columns` are names of columns. Returns how many.

    Columns that are not named take the default of the database, or else the model's.
    """
    constants = _constants(model, columns)
    names = ", ".join(f'"{name}"' for name in (*columns, *constants))
    tail = tuple(constants.values())
    count = 0
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {model._meta.db_table} ({names}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row((*row, *tail) if tail else row)
            count += 1
    return count


@contextmanager
def trusted_keys() -> Iterator[None]:
    """Within bulk_load: rows whose foreign keys the caller's own transaction has just made, and nobody else sees.

    Checking two million such rows at the commit takes longer than everything else. A role that may not skip
    the checks (PostgreSQL reserves that for superusers and whom they grant it to) has them done.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_parameter_privilege('session_replication_role', 'SET')")
        allowed = cursor.fetchone()[0]
    if allowed:
        _execute("SET LOCAL session_replication_role = 'replica'")
    yield
    if allowed:
        _execute("SET LOCAL session_replication_role = 'origin'")


def draw_ids(model: type[Model], count: int) -> list[int]:
    """`count` fresh keys of a table with an identity column, for rows that refer to each other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return [row[0] for row in cursor.fetchall()]


def refresh_statistics() -> None:
    """Tell the planner the new sizes; outside a transaction also mark pages for index-only scans."""
    verb = "ANALYZE" if connection.in_atomic_block else "VACUUM (ANALYZE)"
    _execute(*(f"{verb} {model._meta.db_table}" for model in (Account, Follow, Post, Dish, Photo)))


def _constants(model: type[Model], columns: Sequence[str]) -> dict[str, Any]:
    fields = [field for field in model._meta.local_concrete_fields if field.column not in columns]
    return {str(field.column): field.get_default() for field in fields if _needs_value(field)}


def _needs_value(field: "Field[Any, Any]") -> bool:
    return not field.null and not field.primary_key and field.db_default is NOT_PROVIDED


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
