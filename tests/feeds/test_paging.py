"""Walking a feed from page 1 to the first post ever written."""

from collections.abc import Callable
from typing import Any

import pytest

from feeds.cursor import InvalidCursor
from feeds.models import PulledAuthor
from feeds.reading import LOOKING, read_feed
from feeds.reference import reference_feed_ids
from posts.services import delete_post
from social.models import Account
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import assert_exact, ids_of, pages, past_posts, raw_sql, shown, walk, warm

Settle = Callable[[], None]


def publish(author: Account, count: int = 1) -> list[int]:
    return [PostFactory(author=author, dishes=[]).pk for _ in range(count)]


def open_long_ago(author: Account) -> None:
    """From here on every process knows that the author is pulled, and fan-out skips her."""
    PulledAuthor.objects.filter(author=author).update(opened_at="2024-01-01T00:00Z")


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 10])
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "overlay"])
def test_a_null_cursor_is_the_end_and_only_there(
    cast: Cast, settle: Settle, count: int, stored: bool
) -> None:
    limit, posts = 5, publish(cast.ana, count)
    if stored:
        settle()
        warm(cast.carla)
    lengths = [len(page.items) for page in pages(cast.carla.pk, limit=limit)]
    assert lengths == ([5] * ((count - 1) // 5) + [count - (count - 1) // 5 * 5] if count else [0])
    assert walk(cast.carla, limit=limit) == posts[::-1]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_below_the_stored_window_it_goes_on_from_the_database(
    cast: Cast, settle: Settle, settings: Any, limit: int
) -> None:
    settings.FEED_LENGTH = 10
    open_long_ago(cast.maria)
    posts = [post for _ in range(18) for author in (cast.ana, cast.maria) for post in publish(author)]
    settle()
    warm(cast.carla)
    assert walk(cast.carla, limit=limit) == posts[::-1] == reference_feed_ids(cast.carla.pk)


def test_the_stored_window_was_used(cast: Cast, settle: Settle, settings: Any) -> None:
    """The test above would hold without any stored list: here they are looked at."""
    settings.FEED_LENGTH = 10
    open_long_ago(cast.maria)
    past_posts([cast.ana.pk, cast.maria.pk] * 18)
    settle()
    warm(cast.carla)
    first, *_, last = pages(cast.carla.pk, limit=4)
    assert set(first.origins) == {"pushed", "pulled"}
    assert first.queries == 0
    assert set(last.origins) == {"database"}


def test_own_menus_are_in_it_below_the_window_too(cast: Cast, settle: Settle, settings: Any) -> None:
    settings.FEED_LENGTH = 10
    posts = publish(cast.ana, 30)
    settle()
    warm(cast.ana)
    assert walk(cast.ana, limit=4) == posts[::-1]


def test_a_cursor_survives_the_deletion_of_the_post_it_stands_on(cast: Cast, settle: Settle) -> None:
    posts = publish(cast.ana, 6)[::-1]
    settle()
    page = read_feed(cast.carla.pk, limit=3)
    delete_post(actor=cast.ana, post_id=posts[2])
    assert ids_of(read_feed(cast.carla.pk, limit=3, cursor=page.next_cursor)) == posts[3:]


def test_posts_that_come_meanwhile_move_no_page(cast: Cast, settle: Settle) -> None:
    posts = publish(cast.ana, 6)[::-1]
    settle()
    page = read_feed(cast.carla.pk, limit=3)
    publish(cast.ana, 5)
    assert ids_of(read_feed(cast.carla.pk, limit=3, cursor=page.next_cursor)) == posts[3:]


@pytest.mark.parametrize("limit", [1, 20])
def test_three_hundred_hidden_posts_in_a_row_do_not_end_the_scroll(
    cast: Cast, settle: Settle, limit: int
) -> None:
    [oldest] = publish(cast.ana)
    raw_sql("INSERT INTO posts_post (author_id) SELECT %s FROM generate_series(1, 300)", cast.maria.pk)
    [newest] = publish(cast.ana)
    settle()
    warm(cast.carla)
    Account.objects.filter(pk=cast.maria.pk).update(is_active=False)
    settle()
    assert walk(cast.carla, limit=limit) == [newest, oldest]


@pytest.mark.parametrize("limit", [1, 20])
def test_three_hundred_deleted_posts_in_a_row_do_not_end_it_either(
    cast: Cast, settle: Settle, limit: int
) -> None:
    [oldest] = publish(cast.ana)
    raw_sql("INSERT INTO posts_post (author_id) SELECT %s FROM generate_series(1, 300)", cast.ana.pk)
    [newest] = publish(cast.ana)
    settle()
    warm(cast.carla)
    raw_sql("DELETE FROM posts_post WHERE id > %s AND id < %s", oldest, newest)
    settle()
    assert walk(cast.carla, limit=limit) == [newest, oldest]


def test_a_list_of_mostly_dead_ids_is_built_anew(cast: Cast, settle: Settle) -> None:
    raw_sql("INSERT INTO posts_post (author_id) SELECT %s FROM generate_series(1, 150)", cast.ana.pk)
    settle()
    warm(cast.carla)
    raw_sql("DELETE FROM posts_post")
    settle()
    shown(cast.carla)  # drops them all, and the list
    shown(cast.carla)  # builds it
    page = read_feed(cast.carla.pk)
    assert (page.items, page.next_cursor, page.queries) == ([], None, 0)


@pytest.mark.parametrize("cursor", ["", "x", "null", "0"])
def test_a_damaged_cursor_is_refused(cast: Cast, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        read_feed(cast.carla.pk, cursor=cursor)


def test_a_cursor_of_somebody_else_is_refused(cast: Cast) -> None:
    publish(cast.ana, 3)
    page = read_feed(cast.carla.pk, limit=1)
    with pytest.raises(InvalidCursor):
        read_feed(cast.ana.pk, cursor=page.next_cursor)


def test_looking_stores_no_list_and_is_no_visit(cast: Cast, settle: Settle, feed_redis: Any) -> None:
    publish(cast.ana, 3)
    Account.objects.filter(pk=cast.carla.pk).update(last_seen=None)
    settle()
    feed_redis.flushall()
    assert len(walk(cast.carla, mode=LOOKING)) == 3
    kinds = {key.split(b":")[-2] for key in feed_redis.keys("cy:*:*:*:*")}
    assert not kinds & {b"feed", b"timeline", b"follows"}
    assert Account.objects.get(pk=cast.carla.pk).last_seen is None


def test_looking_does_not_prolong_a_feed(cast: Cast, settle: Settle, feed_redis: Any) -> None:
    publish(cast.ana)
    settle()
    warm(cast.carla)
    Account.objects.filter(pk=cast.carla.pk).update(last_seen="2026-01-01T00:00Z")
    [feed] = feed_redis.keys(f"cy:*:feed:{cast.carla.pk}")
    feed_redis.pexpire(feed, 60_000)
    walk(cast.carla, mode=LOOKING)
    assert feed_redis.pttl(feed) <= 60_000
    assert str(Account.objects.get(pk=cast.carla.pk).last_seen).startswith("2026-01-01")


def test_everyone_reads_the_reference_feed(cast: Cast, settle: Settle) -> None:
    for author in (cast.ana, cast.maria, cast.ana):
        publish(author, 2)
    for viewer in (cast.ana, cast.carla, cast.sam, cast.maria, cast.stef):
        assert_exact(viewer)
    settle()
    for viewer in (cast.ana, cast.carla, cast.sam, cast.maria, cast.stef):
        assert_exact(viewer)
