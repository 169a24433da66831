"""Sentences about feeds, by tables."""

from datetime import UTC, datetime, timedelta

import pytest

from feeds.admin.wording import how_delivered, how_exact, how_stored, interval_of, span, whether_pushed_to
from feeds.audience import Author
from feeds.models import PulledAuthor
from feeds.proof.one_feed import Row, StoredFeed, Viewer
from posts.ids import id_at
from posts.reach import Reach
from social.models import Account

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
MAY = id_at(datetime(2026, 5, 3, 9, 30, tzinfo=UTC))
JUNE = id_at(datetime(2026, 6, 4, 10, tzinfo=UTC))


def viewer(last_seen: datetime | None, *, active: bool = True) -> Viewer:
    return Viewer(Account(username="carla", last_seen=last_seen, is_active=active), 3, timedelta(days=14))


def row(*, origin: str = "pushed", wanted: bool = True) -> Row:
    return Row(1, origin, wanted, None)


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (timedelta(seconds=-3), "0 seconds"),
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=59.9), "59 seconds"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(hours=23, minutes=59), "23 hours"),
        (timedelta(days=1), "1 day"),
        (timedelta(days=1200), "1,200 days"),
    ],
)
def test_spans(duration: timedelta, words: str) -> None:
    assert span(duration) == words


@pytest.mark.parametrize(
    ("seen", "stored", "words"),
    [
        (NOW, StoredFeed([5], 0, NOW), "is stored, complete down to the first menu ever"),
        (NOW, StoredFeed([5], MAY, NOW), "is stored, complete down to 3 May 2026, 09:30 UTC"),
        (None, None, "is not stored: it was never opened, and its first visit builds it"),
        (
            NOW - timedelta(days=31),
            None,
            "is not stored: the last visit was 31 days ago, and the next one builds it",
        ),
    ],
)
def test_how_a_feed_is_stored(seen: datetime | None, stored: StoredFeed | None, words: str) -> None:
    assert how_stored(viewer(seen), stored, now=NOW) == words


def test_an_active_viewer_whose_feed_is_gone() -> None:
    now = datetime.now(UTC)
    assert how_stored(viewer(now), None, now=now) == "is not stored at the moment: the next visit builds it"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "it is empty, as by the reference"),
        ([row()], "its newest menu equals the reference"),
        ([row()] * 20, "its newest 20 menus equal the reference"),
        ([row(), row(origin="")], "it differs from the reference: 1 menu is missing"),
        ([row(wanted=False)], "it differs from the reference: 1 menu is there that should not be"),
        (
            [row(origin=""), row(origin=""), row(wanted=False), row(wanted=False)],
            "it differs from the reference: 2 menus are missing and 2 menus are there that should not be",
        ),
    ],
)
def test_how_exact_a_feed_is(rows: list[Row], words: str) -> None:
    assert how_exact(rows) == words


@pytest.mark.parametrize(
    ("last_seen", "active", "begins"),
    [
        (datetime.now(UTC), False, "No: the account is off."),
        (None, True, "No: it has never opened its feed."),
        (datetime.now(UTC), True, "Yes: its last visit was within 14 days."),
        (datetime.now(UTC) - timedelta(days=15), True, "No: its last visit was longer than 14 days ago."),
    ],
)
def test_whether_new_menus_are_pushed_to_a_feed(
    last_seen: datetime | None, active: bool, begins: str
) -> None:
    assert whether_pushed_to(viewer(last_seen, active=active)).startswith(begins)


@pytest.mark.parametrize(
    ("bounds", "begins"),
    [
        (None, "Pushed, and was never pulled"),
        ((MAY, None), "Pulled since 3 May 2026, 09:30 UTC: new menus are in nobody's stored feed"),
        ((MAY, JUNE), "Pushed again since 4 Jun 2026, 10:00 UTC: each new menu is put into the feeds"),
    ],
)
def test_intervals(bounds: tuple[int, int | None] | None, begins: str) -> None:
    interval = PulledAuthor(since_id=bounds[0], until_id=bounds[1], opened_at=NOW) if bounds else None
    assert interval_of(Author(Account(username="ana"), interval, [], [])).startswith(begins)


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (Reach(1200), "Pushed to 1,200 followers"),
        (Reach(1), "Pushed to 1 follower"),
        (Reach(0), "Nobody follows"),
        (Reach(1200, reached=400), "On its way: pushed to 400 of 1,200 followers"),
        (Reach(1200, when_they_look=True), "Pulled: 1,200 followers find it when they look"),
        (Reach(0, when_they_look=True), "Pulled: nobody follows"),
    ],
)
def test_how_a_menu_is_delivered(reach: Reach, words: str) -> None:
    assert how_delivered(reach) == words
