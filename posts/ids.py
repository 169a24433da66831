"""Post ids: time-ordered and below 2^53, because Redis scores are doubles.

    41 bits  milliseconds since 2024-01-01T00:00Z
     6 bits  generator, one a database (setting `courtyard.generator`, 0 to 63)
     6 bits  sequence within the millisecond

After Twitter's Snowflake. PostgreSQL draws them (`next_post_id()`, migration 0001), so that raw SQL gets
them too; they rise strictly even when the clock steps back, and a bulk draw of over 64 a millisecond runs
ahead of the clock. Sorting by id sorts by time; the id is the cursor position.
"""

from datetime import UTC, datetime, timedelta

from django.db import connection, models

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
MAX_ID = 2**53 - 1
_TIME_SHIFT = 12


def id_at(moment: datetime, sequence: int = 0) -> int:
    """The id number `sequence` (0 to 4095) of the millisecond of `moment`; for imports, and for bounds."""
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    if not 0 <= milliseconds < 1 << 41 or not 0 <= sequence < 1 << _TIME_SHIFT:
        raise ValueError(f"No post id stands for {moment.isoformat()}, number {sequence}.")
    return milliseconds << _TIME_SHIFT | sequence


def time_of(post_id: int) -> datetime:
    """The moment at which `post_id` was drawn, UTC, to the millisecond."""
    return EPOCH + timedelta(milliseconds=post_id >> _TIME_SHIFT)


class NextPostId(models.Func):
    """The database's own draw, as the default of the key column."""

    function = "next_post_id"
    arity = 0
    output_field = models.BigIntegerField()


def draw_post_ids(count: int) -> list[int]:
    """`count` fresh ids in rising order, for bulk inserts (a bulk insert does not learn database defaults)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT next_post_id() FROM generate_series(1, %s)", [count])
        return [row[0] for row in cursor.fetchall()]
