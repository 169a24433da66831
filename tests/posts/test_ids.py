"""Post ids: their layout, and the database's own draw of them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection, transaction

from posts.ids import EPOCH, MAX_ID, draw_post_ids, id_at, time_of
from posts.models import Post
from tests.factories import Cast
from tests.feeds.helpers import in_threads, raw_sql

LAST_MOMENT = EPOCH + timedelta(milliseconds=2**41 - 1)


@pytest.mark.parametrize(
    ("moment", "sequence", "post_id"),
    [
        (EPOCH, 0, 0),
        (EPOCH + timedelta(milliseconds=1), 0, 4096),
        (EPOCH + timedelta(milliseconds=1), 4095, 8191),
        (EPOCH + timedelta(microseconds=1999), 0, 4096),
        (datetime(2026, 3, 2, 11, tzinfo=UTC), 7, 68_382_000_000 * 4096 + 7),
        (LAST_MOMENT, 4095, MAX_ID),
    ],
)
def test_an_id_is_milliseconds_then_twelve_bits(moment: datetime, sequence: int, post_id: int) -> None:
    assert id_at(moment, sequence) == post_id
    assert time_of(post_id) == moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@pytest.mark.parametrize(
    ("moment", "sequence"),
    [
        (EPOCH - timedelta(milliseconds=1), 0),
        (LAST_MOMENT + timedelta(milliseconds=1), 0),
        (EPOCH, 4096),
        (EPOCH, -1),
    ],
)
def test_no_id_stands_for_what_does_not_fit(moment: datetime, sequence: int) -> None:
    with pytest.raises(ValueError, match="No post id"):
        id_at(moment, sequence)


def test_the_largest_id_is_exact_as_a_double() -> None:
    assert int(float(MAX_ID)) == MAX_ID
    assert int(float(MAX_ID - 1)) == MAX_ID - 1


def milliseconds(post_id: int) -> int:
    return post_id >> 12


def draw(clock: int | None = None, generator: int | None = None, count: int = 1) -> list[int]:
    """Ids as drawn while the database's clock says `clock` (ms since 1970)."""
    with transaction.atomic(), connection.cursor() as cursor:
        if clock is not None:
            cursor.execute("SELECT set_config('courtyard.clock', %s, true)", [str(clock)])
        if generator is not None:
            cursor.execute("SELECT set_config('courtyard.generator', %s, true)", [str(generator)])
        return draw_post_ids(count)


def a_future_clock() -> int:
    """A clock above everything that was drawn so far."""
    [last] = draw()
    return milliseconds(last) + 1_704_067_200_000 + 1000


@pytest.mark.usefixtures("stores")
class TestDrawing:
    def test_an_id_carries_the_time_of_the_database(self) -> None:
        clock = a_future_clock()
        [drawn] = draw(clock)
        assert milliseconds(drawn) == clock - 1_704_067_200_000

    def test_ids_rise_when_the_clock_steps_back(self) -> None:
        clock = a_future_clock()
        drawn = [draw(clock + step)[0] for step in (0, -1, -3_600_000, 1, 1, -1, 2)]
        assert drawn == sorted(set(drawn))

    def test_more_than_64_in_a_millisecond_run_ahead_of_the_clock(self) -> None:
        clock = a_future_clock()
        drawn = draw(clock, count=200)
        assert drawn == sorted(set(drawn))
        assert [milliseconds(i) - milliseconds(drawn[0]) for i in (drawn[63], drawn[64], drawn[199])] == [
            0,
            1,
            3,
        ]

    def test_the_generator_is_in_the_middle_bits(self) -> None:
        [drawn] = draw(generator=63)
        assert (drawn >> 6) & 63 == 63

    @pytest.mark.parametrize("generator", [-1, 64])
    def test_a_generator_that_does_not_fit_is_refused(self, generator: int) -> None:
        with pytest.raises(Exception, match="it must be 0 to 63"):
            draw(generator=generator)
        assert draw()

    def test_raw_sql_gets_an_id_too(self, cast: Cast) -> None:
        [before] = draw()
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO posts_post (author_id) VALUES (%s) RETURNING id", [cast.ana.pk])
            [post_id] = cursor.fetchone()
        assert before < post_id < draw()[0]
        assert Post.objects.get(pk=post_id).created_at == time_of(post_id)

    def test_a_statement_time_out_at_any_moment_of_a_draw_leaves_nothing_locked(self) -> None:
        for _ in range(100):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = '2ms'")
                with pytest.raises(OperationalError):
                    draw_post_ids(5_000)
                connection.needs_rollback = True
        assert raw_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]
        assert self.others_draw(within=2)

    def test_a_transaction_that_has_drawn_keeps_nobody_waiting(self) -> None:
        with transaction.atomic():
            draw_post_ids(2)
            assert self.others_draw(within=2)

    def test_a_wait_for_the_lock_ends_with_the_statement_time_out(self) -> None:
        with connection.cursor() as holder:
            holder.execute("SELECT pg_advisory_lock(7306075916)")
            try:
                assert not self.others_draw(within=0.1)
            finally:
                holder.execute("SELECT pg_advisory_unlock(7306075916)")
        assert self.others_draw(within=2)

    def test_four_connections_at_once_never_draw_the_same(self) -> None:
        drawn: list[int] = []
        in_threads([lambda: drawn.extend(draw_post_ids(500))] * 4)
        assert len(drawn) == len(set(drawn)) == 2000

    @staticmethod
    def others_draw(within: float) -> bool:
        """Whether another connection gets an id within a statement time-out."""
        answers: list[bool] = []

        def try_it() -> None:
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL statement_timeout = {int(within * 1000)}")
                    draw_post_ids(1)
                answers.append(True)
            except OperationalError:
                answers.append(False)

        in_threads([try_it])
        return answers[0]
