"""Races of delivery: fan-outs, relays and first drivers meet each other, follows, deletions and bad replies."""

from collections.abc import Callable

import pytest
from django.db import transaction

from feeds import delivery
from feeds.delivery import deliver_now, relay
from feeds.models import Outbox
from feeds.reading import read_feed
from tests.factories import Cast
from tests.feeds.helpers import (
    Background,
    Gate,
    assert_exact,
    in_threads,
    raw_post,
    raw_sql,
    walk,
    warm,
)
from tests.feeds.moments import deliver, stored_feed

Settle = Callable[[], None]


def overdue() -> None:
    raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")


def row_of(post_id: int) -> Outbox:
    return Outbox.objects.get(kind="published", subject_id=post_id)


class TestTwoAtOnce:
    def test_two_fan_outs_of_one_post(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        in_threads([lambda n=n: deliver(post_id, f"job {n}") for n in range(3)])
        assert stored_feed(ready.carla).ids[0] == post_id
        assert not Outbox.objects.filter(done_at=None).exists()

    def test_two_relays(self, ready: Cast, settle: Settle) -> None:
        posts = [raw_post(ready.ana) for _ in range(20)]
        raw_sql("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)",
                ready.sam.pk, ready.ana.pk)  # fmt: skip
        overdue()
        assert max(in_threads([relay] * 4)) == 21
        settle()
        for viewer in (ready.carla, ready.sam):
            assert walk(viewer)[:20] == posts[::-1]
            assert_exact(viewer)

    def test_a_delivery_that_is_done_by_four(self, ready: Cast) -> None:
        raw_sql("UPDATE social_account SET display_name = 'Dona Ana' WHERE id = %s", ready.ana.pk)
        in_threads([lambda: deliver_now([("account_changed", ready.ana.pk)])] * 4)
        assert read_feed(ready.carla.pk).items[0].post["author"]["display_name"] == "Dona Ana"
        assert not Outbox.objects.filter(done_at=None).exists()

    @pytest.mark.parametrize("first", ["driver", "relay"])
    def test_the_relay_and_the_first_driver(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle, first: str
    ) -> None:
        """One is held up between reading the outbox and delivering; the other does all of it meanwhile. What the
        slower one then deletes, a reader has built again: it is built once more."""
        raw_sql("UPDATE social_account SET display_name = 'Dona Ana' WHERE id = %s", ready.ana.pk)
        raw_sql("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)",
                ready.sam.pk, ready.ana.pk)  # fmt: skip
        overdue()
        changes = [("account_changed", ready.ana.pk), ("followed", ready.sam.pk)]
        drivers = [lambda: deliver_now(changes), relay]
        slow, quick = drivers if first == "driver" else drivers[::-1]
        gate = Gate(monkeypatch, delivery, "apply")
        held = Background(slow)
        gate.wait_until_reached()
        quick()
        for viewer in (ready.carla, ready.sam):
            warm(viewer)
        gate.open()
        held.result()
        assert not Outbox.objects.filter(done_at=None).exists()
        for _ in range(2):
            for viewer in (ready.carla, ready.sam):
                assert read_feed(viewer.pk).items[0].post["author"]["display_name"] == "Dona Ana"
                assert_exact(viewer)
            settle()

    def test_a_change_that_commits_while_the_relay_delivers_the_one_before(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch, settle: Settle
    ) -> None:
        """The relay picks by what is not done, never by a high-water id, and ends only the rows that it read."""
        raw_sql("UPDATE social_account SET display_name = 'first' WHERE id = %s", ready.ana.pk)
        overdue()
        gate = Gate(monkeypatch, delivery, "apply", after=True)
        held = Background(relay)
        gate.wait_until_reached()
        warm(ready.carla)
        raw_sql("UPDATE social_account SET display_name = 'second' WHERE id = %s", ready.ana.pk)
        gate.open()
        held.result()
        assert Outbox.objects.filter(done_at=None, kind="account_changed").count() == 1
        overdue()
        relay()
        settle()
        assert read_feed(ready.carla.pk).items[0].post["author"]["display_name"] == "second"

    def test_a_row_of_an_earlier_id_that_commits_later_is_relayed_too(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ids of rows are drawn at insert: a long transaction commits below what is done already."""
        queued: list[int] = []
        monkeypatch.setattr("feeds.delivery.enqueue_fan_out", lambda post_id: queued.append(post_id) or True)

        def meanwhile() -> int:
            post_id = raw_post(ready.ana)
            overdue()
            relay()
            return post_id

        with transaction.atomic():
            late = raw_post(ready.ana)
            [quick] = in_threads([meanwhile])
        overdue()
        relay()
        assert queued == [quick, late]
