"""What the proof by random actions (tests/stateful) found, reduced to the least that shows it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from django.conf import settings
from django.db import transaction

from feeds import fanout, overlay, pulled
from feeds.models import Outbox
from posts.services import publish_post
from tests.conftest import Worker, forget_process_memory, wait_for
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import Background, Gate, in_threads, keys_now, raw_post, raw_sql, shown


@pytest.mark.usefixtures("settled")
class TestWhatWasSeenOnce:
    """A change that nobody acknowledged may be seen at once or within a second, but then it stays."""

    @pytest.fixture
    def settled(self, cast: Cast, settle) -> None:  # type: ignore[no-untyped-def]
        raw_sql("UPDATE feeds_pulledauthor SET opened_at = opened_at - interval '1 minute'")
        PostFactory(author=cast.ana)
        settle()
        shown(cast.carla)

    def test_it_outlives_the_mark_of_a_builder_who_had_read_the_outbox_before(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch, feed_redis: redis.Redis
    ) -> None:
        feed_redis.delete(keys_now().overlay)
        gate = Gate(monkeypatch, overlay, "read_outbox", after=True)
        builder = Background(lambda: overlay.build_overlay(keys_now()))
        gate.wait_until_reached()
        post_id = raw_post(cast.ana)
        assert post_id in shown(cast.carla)
        gate.open()
        builder.result()
        forget_process_memory()
        assert post_id in shown(cast.carla)

    def test_it_is_missing_on_no_process_that_remembers_its_pulled_author_without_it(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        remembered = dict(pulled.timeline_memory._entries)
        mark = overlay.own_copy().mark
        post_id = raw_post(cast.maria)
        fanout.fan_out(post_id, "as another post's worker takes it along", lambda post_id: None)
        monkeypatch.setattr(pulled.timeline_memory, "_entries", {})
        assert post_id in shown(cast.carla)
        monkeypatch.setattr(pulled.timeline_memory, "_entries", remembered)
        assert post_id in shown(cast.carla)
        assert overlay.own_copy().mark == mark, "too slow: the overlay was built anew meanwhile"

    def test_the_same_for_a_follow(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch, feed_redis: redis.Redis
    ) -> None:
        shown(cast.sam)
        feed_redis.delete(keys_now().overlay)
        gate = Gate(monkeypatch, overlay, "read_outbox", after=True)
        builder = Background(lambda: overlay.build_overlay(keys_now()))
        gate.wait_until_reached()
        raw_sql(
            "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", cast.sam.pk, cast.ana.pk
        )
        assert shown(cast.sam)
        gate.open()
        builder.result()
        forget_process_memory()
        assert shown(cast.sam)


@contextmanager
def broker_gone() -> Iterator[None]:
    """Its socket is away, and every connection with it."""
    socket = Path(urlsplit(settings.CELERY_BROKER_URL).path)
    away = socket.with_suffix(".away")
    with redis.Redis(unix_socket_path=str(socket)) as broker:
        broker.ping()
        socket.rename(away)
        try:
            broker.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            yield
        finally:
            away.rename(socket)


@pytest.mark.worker
def test_a_worker_whose_task_ended_while_the_broker_was_away_takes_the_next(
    cast: Cast, start_worker: Callable[..., Worker]
) -> None:
    worker = start_worker(CELERY_VISIBILITY_TIMEOUT="3")
    # A fan-out under way: it decides under a share lock on the row of its pulled author.
    with transaction.atomic():
        raw_sql("SELECT FROM feeds_pulledauthor WHERE author_id = %s FOR UPDATE", cast.maria.pk)
        in_threads([lambda: publish_post(author=cast.maria, text="soup")])
        wait_for(lambda: raw_sql("SELECT 1 FROM pg_locks WHERE NOT granted"))
        gone = ExitStack()
        gone.enter_context(broker_gone())
    with gone:
        wait_for(lambda: b"Couldn't ack" in worker.log.read_bytes())
    later = publish_post(author=cast.ana, text="bread")
    row = Outbox.objects.filter(kind="published", subject_id=later.pk)
    wait_for(lambda: row.get().done_at is not None, seconds=20)
