"""PostgreSQL away, and what only looks like it."""

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import OperationalError

from feeds import overlay
from feeds.outage import Outage, postgresql, server_lives
from feeds.reading import read_feed
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import postgres_down, raw_post, shown, warm

Settle = Callable[[], None]


def lapse(monkeypatch: pytest.MonkeyPatch) -> None:
    """The overlay's mark is older than a second."""
    time.sleep(overlay.MARK_SECONDS + 0.05)


def busy(*args: Any) -> Any:
    raise OperationalError("couldn't get a connection after 2.00 sec")


@pytest.fixture
def fed(cast: Cast, settle: Settle) -> Cast:
    PostFactory(author=cast.ana)
    settle()
    warm(cast.carla)
    return cast


class TestWhatLooksLikeIt:
    def test_a_busy_pool_is_no_outage_others_go_on_committing(
        self, fed: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The lapsed mark must not be served: it says nothing of this post."""
        post_id = raw_post(fed.ana)
        lapse(monkeypatch)
        monkeypatch.setattr(overlay, "read_outbox", busy)
        assert post_id in shown(fed.carla)
        assert postgresql.may_try()

    @pytest.mark.parametrize(
        ("said", "lives"),
        [
            ("FATAL:  sorry, too many clients already", True),
            ("FATAL:  remaining connection slots are reserved", True),
            ("FATAL:  the database system is starting up", False),
            ("FATAL:  the database system is shutting down", False),
            ("FATAL:  the database system is not yet accepting connections", False),
            ("connection refused", False),
            ("connection timeout expired", False),
        ],
    )
    def test_by_what_a_refusal_says(
        self, stores: None, monkeypatch: pytest.MonkeyPatch, said: str, lives: bool
    ) -> None:
        def refuse(**parameters: Any) -> Any:
            raise psycopg.OperationalError(said)

        monkeypatch.setattr(psycopg, "connect", refuse)
        assert server_lives() is lives


class TestAway:
    def test_warm_pages_go_on_by_the_lapsed_mark(self, fed: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        before = shown(fed.carla)
        lapse(monkeypatch)
        with postgres_down():
            page = read_feed(fed.carla.pk)
        assert [item.post_id for item in page.items] == before
        assert not page.degraded

    def test_its_return_is_noticed_at_once(self, fed: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        lapse(monkeypatch)
        with postgres_down():
            shown(fed.carla)
            assert not postgresql.may_try()
        post_id = raw_post(fed.ana)
        time.sleep(0.3)
        assert post_id in shown(fed.carla)

    def test_one_thread_now_and_then_finds_out(self, stores: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("feeds.outage.RETRY_SECONDS", 60)
        outage = Outage()
        with postgres_down():
            assert outage.failed(OperationalError("away"))
            assert not any(outage.may_try() for _ in range(3))
        assert not outage.may_try()  # not looked at again yet
        monkeypatch.setattr(outage, "_retry_at", time.monotonic())
        assert outage.may_try()
        assert outage.may_try()
