"""What the proof by random actions (tests/stateful) found, reduced to the least that shows it."""

import pytest
import redis

from feeds import fanout, overlay, pulled
from tests.conftest import forget_process_memory
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import Background, Gate, keys_now, raw_post, raw_sql, shown


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
