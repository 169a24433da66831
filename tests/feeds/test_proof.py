"""The commands that prove, warm and rebuild feeds, and the threshold's."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command

from feeds.epoch import current_epoch
from feeds.fanout import fan_out
from feeds.models import Outbox, PulledAuthor
from feeds.threshold import current_threshold
from social.models import Account
from tests.conftest import forget_process_memory
from tests.factories import THRESHOLD, Cast, PostFactory
from tests.feeds.helpers import keys_now, raw_sql, warm

Settle = Callable[[], None]


def run(*arguments: str, **options: Any) -> str:
    """What a command prints, in this process."""
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def verify(*arguments: str) -> str:
    return run("verify_feeds", *(arguments or ("--all",)), processes=1)


@pytest.fixture
def fed(cast: Cast, settle: Settle) -> Cast:
    """The cast, with warm feeds and three menus that were pushed, pulled and delivered."""
    settle()  # their follows are no news any more
    for viewer in (cast.carla, cast.sam):
        warm(viewer)
    for author in (cast.ana, cast.maria, cast.ana):
        PostFactory(author=author)
    settle()
    return cast


class TestVerify:
    def test_right_feeds(self, fed: Cast) -> None:
        said = verify()
        assert "Differences: 0" in said
        assert f"Feeds checked: {Account.objects.count()} " in said

    def test_where_posts_came_from_and_that_no_sql_was_needed(self, fed: Cast) -> None:
        warm(fed.carla)
        said = verify("--account", str(fed.carla.pk))
        assert "Served from stored lists without SQL: 1 (100.0%)" in said
        assert "overlay 0, database 0" in said

    def test_a_post_that_a_stored_list_lacks(self, fed: Cast, feed_redis: redis.Redis) -> None:
        lost = Outbox.objects.filter(kind="published", author_id=fed.ana.pk).values_list(
            "subject_id", flat=True
        )[0]
        assert feed_redis.zrem(keys_now().feed(fed.carla.pk), lost) == 1
        out = StringIO()
        with pytest.raises(CommandError, match=r"1 of .* differ"):
            call_command("verify_feeds", "--all", processes=1, stdout=out, stderr=StringIO())
        assert f"viewer {fed.carla.pk}: 1 missing (first: {lost})" in out.getvalue()
        assert "stored feed: does not hold it, floor 0, complete there" in out.getvalue()

    def test_a_card_that_is_not_what_the_menu_says(self, fed: Cast, feed_redis: redis.Redis) -> None:
        post = PostFactory(author=fed.ana, text="Caldo verde")
        run("verify_feeds", "--all", processes=1)
        warm(fed.carla)
        name = keys_now().card(post.pk)
        right = feed_redis.get(name)
        assert right is not None
        feed_redis.set(name, right.replace(b"Caldo", b"Carne"))
        forget_process_memory()
        out = StringIO()
        with pytest.raises(CommandError, match="differ"):
            call_command("verify_feeds", "--all", processes=1, stdout=out, stderr=StringIO())
        assert f"viewer {fed.carla.pk}: 1 stale (first: {post.pk})" in out.getvalue()

    def test_what_the_viewer_likes_is_compared_too(self, fed: Cast, feed_redis: redis.Redis) -> None:
        post = PostFactory(author=fed.ana)
        warm(fed.carla)
        assert "Differences: 0" in verify()
        raw_sql("SET courtyard.bulk_load = 'on'")  # so that nobody hears of it
        raw_sql("INSERT INTO posts_like (account_id, post_id) VALUES (%s, %s)", fed.carla.pk, post.pk)
        raw_sql("RESET courtyard.bulk_load")
        with pytest.raises(CommandError, match="differ"):
            verify()

    def test_a_fan_out_that_only_says_it_was_done(
        self, fed: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("feeds.fanout._push_page", lambda *args: 0)
        PostFactory(author=fed.ana)
        settle()
        with pytest.raises(CommandError, match="differ"):
            verify()

    def test_a_fan_out_that_does_nothing_is_waited_for_in_vain(self, fed: Cast) -> None:
        PostFactory(author=fed.ana)
        assert "Differences: 0" in verify()  # the overlay carries it
        with pytest.raises(CommandError, match="Is a worker running"):
            verify("--all", "--drained", "0.3")

    def test_looking_stores_no_list_and_is_no_visit(self, fed: Cast, feed_redis: redis.Redis) -> None:
        feed_redis.flushall()
        forget_process_memory()
        Account.objects.update(last_seen=None)
        assert "Differences: 0" in verify()
        assert not [key for key in feed_redis.keys("cy:*") if b":feed:" in key or b":timeline:" in key]
        assert not Account.objects.exclude(last_seen=None).exists()

    def test_an_account_that_is_not_there(self, fed: Cast) -> None:
        with pytest.raises(CommandError, match="no account"):
            verify("--account", "999999")


def test_warming_builds_lists_and_is_a_visit(fed: Cast, feed_redis: redis.Redis) -> None:
    feed_redis.flushall()
    forget_process_memory()
    Account.objects.update(last_seen=None)
    assert "Feeds opened: 1 (1 built)" in run("warm_feeds", account=[fed.carla.pk])
    assert feed_redis.zscore(keys_now().feed(fed.carla.pk), "floor") == 0
    assert list(Account.objects.exclude(last_seen=None)) == [fed.carla]


def test_rebuilding_all_raises_the_epoch(fed: Cast) -> None:
    before = current_epoch()
    run("rebuild_feeds", "--all")
    assert current_epoch() == before + 1
    assert "Differences: 0" in verify()


def test_rebuilding_one_deletes_its_lists(fed: Cast, feed_redis: redis.Redis) -> None:
    run("rebuild_feeds", account=[fed.carla.pk])
    assert not feed_redis.exists(keys_now().feed(fed.carla.pk), keys_now().follows(fed.carla.pk))


class TestThreshold:
    def test_it_crosses_whom_it_concerns(self, fed: Cast) -> None:
        run("set_threshold", "1")
        assert PulledAuthor.objects.filter(author=fed.ana, until_id=None).exists()
        run("set_threshold", "1000")
        assert not PulledAuthor.objects.filter(until_id=None).exists()

    @pytest.mark.parametrize("followers", ["0", "-1", "2147483648", "many"])
    def test_nonsense_leaves_the_old_one(self, fed: Cast, followers: str) -> None:
        with pytest.raises(CommandError):
            run("set_threshold", "--", followers)
        assert current_threshold() == THRESHOLD


def test_one_menu_of_a_pulled_author_costs_no_push(fed: Cast, feed_redis: redis.Redis) -> None:
    PulledAuthor.objects.filter(author=fed.maria).update(opened_at="2024-01-01T00:00Z")
    post = PostFactory(author=fed.maria)
    assert fan_out(post.pk, "test", lambda post_id: None) == 0
    assert feed_redis.zscore(keys_now().feed(fed.carla.pk), post.pk) is None
