"""The overlay: what was published or changed a moment ago is seen by everyone, whatever else is late."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import celery
import pytest
import redis
from celery import Celery
from django.conf import settings as django_settings
from django.db import transaction

from courtyard.embedded import start_redis
from feeds import lists, overlay
from feeds.delivery import relay
from feeds.epoch import raise_epoch
from feeds.models import Outbox
from feeds.overlay import build_overlay, own_copy
from feeds.reading import read_feed
from posts.ids import draw_post_ids
from posts.models import Dish, Post
from posts.services import delete_post, publish_post
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.conftest import forget_process_memory
from tests.factories import Cast, DishFactory, PostFactory
from tests.feeds.helpers import (
    assert_exact,
    keys_now,
    postgres_down,
    raw_post,
    raw_sql,
    redis_down,
    shown,
    walk,
    warm,
)

Settle = Callable[[], None]


def entries(client: redis.Redis) -> list[str]:
    members = client.zrangebyscore(keys_now().overlay, "-inf", "(+inf")
    return [member.decode() for member in members]


def a_second_passes(client: redis.Redis) -> None:
    """The mark lapses: as after MARK_SECONDS, without the wait."""
    client.zremrangebyscore(keys_now().overlay, "+inf", "+inf")


@pytest.fixture
def ready(cast: Cast, settle: Settle) -> Cast:
    """The cast with warm feeds and nothing left to deliver."""
    publish_post(author=cast.ana, text="yesterday")
    settle()
    for viewer in (cast.ana, cast.carla, cast.sam, cast.maria):
        warm(viewer)
    return cast


class TestPublishing:
    def test_no_worker_is_needed_for_followers_to_see_it(self, ready: Cast) -> None:
        post = publish_post(author=ready.ana, text="today")
        assert shown(ready.carla)[0] == post.pk
        assert shown(ready.ana)[0] == post.pk
        assert Outbox.objects.get(subject_id=post.pk).done_at is None

    def test_others_do_not_see_it(self, ready: Cast) -> None:
        publish_post(author=ready.ana, text="today")
        assert shown(ready.sam) == []
        assert_exact(ready.maria)

    def test_it_comes_from_the_overlay_and_costs_its_readers_no_sql(self, ready: Cast) -> None:
        publish_post(author=ready.ana, text="today")
        shown(ready.carla)
        page = read_feed(ready.carla.pk)
        assert page.origins["overlay"] == 1
        assert page.queries == 0

    def test_until_the_commit_nobody_sees_it(self, ready: Cast) -> None:
        with transaction.atomic():
            post = Post.objects.create(author=ready.ana, text="not yet")
            assert f"post:{post.pk}:{ready.ana.pk}" in entries(redis_client())
        assert shown(ready.carla)[0] == post.pk

    def test_a_rolled_back_publish_leaves_nothing(self, ready: Cast) -> None:
        before = shown(ready.carla)
        with transaction.atomic():
            publish_post(author=ready.ana, text="oh no")
            transaction.set_rollback(True)
        assert shown(ready.carla) == before
        assert not Outbox.objects.filter(kind="published", done_at=None).exists()

    def test_an_id_that_does_not_resolve_yet_is_not_kept_as_gone(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        [post_id] = draw_post_ids(1)
        overlay_entry = f"post:{post_id}:{ready.ana.pk}"
        lists.execute(keys_now(), [overlay.list_command(keys_now(), [overlay_entry])])
        assert post_id not in shown(ready.carla)
        assert feed_redis.get(keys_now().card(post_id)) != b"gone"
        raw_sql("INSERT INTO posts_post (id, author_id) VALUES (%s, %s)", post_id, ready.ana.pk)
        assert shown(ready.carla)[0] == post_id


def redis_client() -> redis.Redis:
    return redis.Redis.from_url(django_settings.FEED_REDIS_URL)


class TestPastTheServices:
    def test_a_post_by_raw_sql_is_seen_within_a_second_and_stored_by_the_relay(
        self, ready: Cast, step_workers: Callable[[], int], settle: Settle
    ) -> None:
        shown(ready.carla)
        post_id = raw_post(ready.ana)
        time.sleep(1.05)
        assert shown(ready.carla)[0] == post_id
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")
        assert relay() == 1
        assert step_workers() == 1
        settle()
        warm(ready.carla)
        page = read_feed(ready.carla.pk)
        assert (page.items[0].post_id, page.items[0].origin) == (post_id, "pushed")
        assert page.queries == 0

    def test_posts_by_bulk_create_too(self, ready: Cast, feed_redis: redis.Redis) -> None:
        ids = draw_post_ids(3)
        Post.objects.bulk_create(Post(pk=i, author=ready.ana, text="bulk") for i in ids)
        a_second_passes(feed_redis)
        assert shown(ready.carla)[:3] == ids[::-1]

    @pytest.mark.parametrize(
        ("statement", "change"),
        [
            ("UPDATE posts_post SET text = 'changed by hand'", lambda page: page.items[0].post["text"]),
            ("UPDATE social_account SET display_name = 'changed by hand'", None),
            ("INSERT INTO posts_dish (post_id, position, name, price, currency, tags, sold_out)"
             " SELECT id, 0, 'changed by hand', 1, 'EUR', '{}', false FROM posts_post", None),
        ],
    )  # fmt: skip
    def test_an_edit_by_raw_sql_is_seen_within_a_second(
        self, ready: Cast, feed_redis: redis.Redis, statement: str, change: Any
    ) -> None:
        shown(ready.carla)
        raw_sql(statement)
        a_second_passes(feed_redis)
        assert "changed by hand" in str(read_feed(ready.carla.pk).items[0].post)

    def test_a_follow_and_an_unfollow_by_raw_sql_too(self, ready: Cast, feed_redis: redis.Redis) -> None:
        raw_sql(
            "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", ready.sam.pk, ready.ana.pk
        )
        a_second_passes(feed_redis)
        assert len(shown(ready.sam)) == 1
        raw_sql("DELETE FROM social_follow")
        a_second_passes(feed_redis)
        assert shown(ready.sam) == shown(ready.carla) == []

    def test_many_changes_of_one_subject_hide_no_other(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(overlay, "MOST_ENTRIES", 5)
        for _ in range(8):
            raw_sql(
                "UPDATE social_account SET display_name = display_name || 'x' WHERE id = %s", ready.sam.pk
            )
        post_id = raw_post(ready.ana)
        a_second_passes(feed_redis)
        assert shown(ready.carla)[0] == post_id


class TestMark:
    def test_it_lapses_after_a_second_and_is_never_extended(self, ready: Cast) -> None:
        shown(ready.carla)
        first = own_copy().mark
        assert first is not None
        publish_post(author=ready.ana, text="today")
        shown(ready.carla)
        assert own_copy().mark == first
        time.sleep(max(0, first.valid_until_us / 1e6 - time.time()) + 0.02)
        shown(ready.carla)
        later = own_copy().mark
        assert later is not None
        assert later.valid_until_us >= first.valid_until_us + 10_000

    def test_it_is_valid_from_the_moment_its_token_was_placed(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        a_second_passes(feed_redis)
        original = overlay.read_outbox

        def slowly() -> Any:
            answer = original()
            time.sleep(0.2)
            return answer

        monkeypatch.setattr(overlay, "read_outbox", slowly)
        placed = time.time()
        build_overlay(keys_now())
        [mark] = feed_redis.zrangebyscore(keys_now().overlay, "+inf", "+inf")
        assert int(mark.split(b":")[2]) / 1e6 < placed + 1.1

    def test_while_somebody_else_builds_readers_ask_the_outbox_themselves(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        a_second_passes(feed_redis)
        assert lists.commands.begin_overlay(keys_now())
        post_id = raw_post(ready.ana)
        assert shown(ready.carla)[0] == post_id
        assert shown(ready.carla)[0] == post_id

    def test_without_postgresql_a_lapsed_mark_is_served_as_it_is(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        post = publish_post(author=ready.ana, text="today")
        shown(ready.carla)
        key = keys_now().overlay
        [mark] = feed_redis.zrangebyscore(key, "+inf", "+inf")
        kind, generation, _, rest = mark.split(b":", 3)
        feed_redis.zadd(key, {b":".join([kind, generation, b"1", rest]): "+inf"})
        feed_redis.zrem(key, mark)
        with postgres_down():
            assert shown(ready.carla)[0] == post.pk

    def test_a_refused_store_still_answers(self, ready: Cast, feed_redis: redis.Redis) -> None:
        """The builder's token is gone when it comes to store."""
        a_second_passes(feed_redis)
        begun = lists.commands.begin_overlay(keys_now())
        assert begun is not None
        feed_redis.delete(keys_now().overlay)
        assert not lists.commands.store_overlay(keys_now(), begun[0], sweep_below=0, mark="1:1:0", entries=[])
        assert not feed_redis.exists(keys_now().overlay)


class TestLeaving:
    def test_a_post_stays_listed_until_it_was_fanned_out(self, ready: Cast, feed_redis: redis.Redis) -> None:
        post = publish_post(author=ready.ana, text="today")
        entry = f"post:{post.pk}:{ready.ana.pk}"
        self.age_positions(feed_redis)
        build_overlay(keys_now())
        assert entry in entries(feed_redis)

    def test_it_leaves_a_moment_after(
        self, ready: Cast, feed_redis: redis.Redis, step_workers: Callable[[], int]
    ) -> None:
        post = publish_post(author=ready.ana, text="today")
        entry = f"post:{post.pk}:{ready.ana.pk}"
        step_workers()
        self.age_positions(feed_redis)
        build_overlay(keys_now())
        assert entry in entries(feed_redis)
        raw_sql("UPDATE feeds_outbox SET done_at = done_at - interval '5 seconds'")
        build_overlay(keys_now())
        assert entry not in entries(feed_redis)
        forget_process_memory()
        assert shown(ready.carla)[0] == post.pk

    def test_what_was_listed_a_moment_ago_stays_though_the_outbox_does_not_have_it(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        lists.execute(keys_now(), [overlay.list_command(keys_now(), ["post:77:1"])])
        build_overlay(keys_now())
        assert "post:77:1" in entries(feed_redis)

    @staticmethod
    def age_positions(client: redis.Redis) -> None:
        """As if everything had been listed ten seconds ago."""
        key = keys_now().overlay
        for member, score in client.zrangebyscore(key, "-inf", "(+inf", withscores=True):
            client.zadd(key, {member: score - 10_000_000})


class TestGeneration:
    def test_a_flushed_overlay_is_no_empty_one(self, ready: Cast, feed_redis: redis.Redis) -> None:
        first = publish_post(author=ready.ana, text="first")
        shown(ready.carla)
        feed_redis.flushall()
        second = publish_post(author=ready.ana, text="second")
        assert shown(ready.carla)[:2] == [second.pk, first.pk]

    def test_a_process_with_an_old_copy_fetches_the_new_one_whole(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        publish_post(author=ready.ana, text="first")
        shown(ready.carla)
        old = own_copy()
        feed_redis.delete(keys_now().overlay)
        raw_post(ready.ana, "second")
        forget_process_memory()
        shown(ready.carla)  # another process builds it
        assert own_copy().mark is not None
        overlay.keep_copy(old, 0.0)
        assert_exact(ready.carla)

    @pytest.mark.parametrize("step", range(6))
    def test_a_flush_at_any_step_of_a_read_is_harmless(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, step: int
    ) -> None:
        from feeds.lists.server import FeedServer

        raw_post(ready.ana)
        feed_redis.delete(keys_now().overlay)
        original, trips = FeedServer._round_trip, []

        def flushing(self: FeedServer, keys: Any, commands: Any) -> Any:
            trips.append(commands)
            if len(trips) == step + 1:
                feed_redis.flushall()
            return original(self, keys, commands)

        with monkeypatch.context() as patch:
            patch.setattr(FeedServer, "_round_trip", flushing)
            assert_exact(ready.carla, limits=[2])
        assert_exact(ready.carla)

    @pytest.mark.parametrize("step", range(4))
    def test_a_flush_at_any_step_of_a_publish_is_harmless(
        self, ready: Cast, feed_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch, step: int
    ) -> None:
        from feeds.lists.server import FeedServer

        original, trips = FeedServer._round_trip, []

        def flushing(self: FeedServer, keys: Any, commands: Any) -> Any:
            trips.append(commands)
            if len(trips) == step + 1:
                feed_redis.flushall()
            return original(self, keys, commands)

        with monkeypatch.context() as patch:
            patch.setattr(FeedServer, "_round_trip", flushing)
            publish_post(author=ready.ana, text="today")
        assert_exact(ready.carla)


class TestFlooded:
    @pytest.fixture(autouse=True)
    def few_entries(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(overlay, "MOST_ENTRIES", 5)

    def test_pages_come_from_postgresql_and_are_exact(self, ready: Cast, feed_redis: redis.Redis) -> None:
        for _ in range(8):
            raw_post(ready.ana)
        a_second_passes(feed_redis)
        for viewer in (ready.carla, ready.sam, ready.ana):
            assert_exact(viewer)
        assert own_copy().flooded

    def test_a_change_that_is_not_listed_is_seen_all_the_same(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        shown(ready.carla)
        for _ in range(8):
            raw_post(ready.maria)
        raw_sql("UPDATE posts_post SET text = 'changed by hand' WHERE author_id = %s", ready.ana.pk)
        a_second_passes(feed_redis)
        page = read_feed(ready.carla.pk)
        assert page.items[-1].post["text"] == "changed by hand"

    def test_a_suspension_that_is_not_listed_is_seen_too(self, ready: Cast, feed_redis: redis.Redis) -> None:
        from feeds.reading import SignedOut

        shown(ready.carla)
        for _ in range(8):
            raw_post(ready.maria)
        raw_sql("UPDATE social_account SET is_active = false WHERE id = %s", ready.carla.pk)
        a_second_passes(feed_redis)
        with pytest.raises(SignedOut):
            read_feed(ready.carla.pk)

    def test_once_delivered_the_lists_serve_again(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        for _ in range(8):
            raw_post(ready.ana)
        a_second_passes(feed_redis)
        shown(ready.carla)
        settle()
        warm(ready.carla)
        page = read_feed(ready.carla.pk)
        assert page.queries == 0
        assert_exact(ready.carla)


class TestNextRead:
    """Promise 4: acknowledged is visible, whatever this or another process remembers."""

    def test_an_edited_menu_is_shown_as_edited(self, ready: Cast) -> None:
        post = Post.objects.get()
        shown(ready.carla)
        post.text = "with less salt"
        post.save()
        assert read_feed(ready.carla.pk).items[0].post["text"] == "with less salt"

    def test_a_sold_out_dish_is_shown_as_sold_out(self, ready: Cast) -> None:
        post = PostFactory(author=ready.ana)
        shown(ready.carla)
        dish = Dish.objects.filter(post=post).first()
        assert dish is not None
        dish.sold_out = True
        dish.save()
        assert read_feed(ready.carla.pk).items[0].post["dishes"][0]["sold_out"]

    def test_a_deleted_menu_is_gone_at_once(self, ready: Cast) -> None:
        [post_id] = shown(ready.carla)
        delete_post(actor=ready.ana, post_id=post_id)
        assert shown(ready.carla) == []

    def test_a_renamed_cook_has_her_new_name_on_every_menu(self, ready: Cast) -> None:
        shown(ready.carla)
        ready.ana.display_name = "Dona Ana"
        ready.ana.save()
        assert read_feed(ready.carla.pk).items[0].post["author"]["display_name"] == "Dona Ana"

    def test_a_follow_brings_what_was_written_before(self, ready: Cast) -> None:
        follow_account(follower=ready.sam, followee_id=ready.ana.pk)
        assert len(shown(ready.sam)) == 1

    def test_a_follow_still_has_it_when_the_overlay_has_forgotten(self, ready: Cast, settle: Settle) -> None:
        shown(ready.sam)
        follow_account(follower=ready.sam, followee_id=ready.ana.pk)
        settle()
        assert len(shown(ready.sam)) == 1

    def test_an_unfollow_takes_all_away(self, ready: Cast) -> None:
        unfollow_account(follower=ready.carla, followee_id=ready.ana.pk)
        assert shown(ready.carla) == []

    def test_deactivating_hides_and_reactivating_restores(self, ready: Cast) -> None:
        before = shown(ready.carla)
        ready.ana.is_active = False
        ready.ana.save()
        assert shown(ready.carla) == []
        ready.ana.is_active = True
        ready.ana.save()
        assert shown(ready.carla) == before

    @pytest.mark.parametrize("change", ["edit", "delete", "rename"])
    def test_also_while_readers_still_trust_an_older_epoch(self, ready: Cast, change: str) -> None:
        forget_process_memory()
        page = read_feed(ready.carla.pk)
        with transaction.atomic():
            raise_epoch()
        post = Post.objects.get()
        if change == "delete":
            delete_post(actor=ready.ana, post_id=post.pk)
            assert shown(ready.carla) == []
        elif change == "edit":
            post.text = "changed"
            post.save()
            assert read_feed(ready.carla.pk).items[0].post["text"] == "changed"
        else:
            ready.ana.display_name = "changed"
            ready.ana.save()
            assert read_feed(ready.carla.pk).items[0].post["author"]["display_name"] == "changed"
        assert page.items


class TestRedisAway:
    def test_reads_equal_the_reference(self, ready: Cast) -> None:
        publish_post(author=ready.ana, text="today")
        with redis_down():
            for viewer in (ready.carla, ready.ana, ready.sam):
                assert_exact(viewer)

    def test_a_publish_succeeds_and_its_writer_waits_a_second(self, ready: Cast) -> None:
        with redis_down():
            started = time.monotonic()
            post = publish_post(author=ready.ana, text="today", dishes=DishFactory.build_batch(3))
            seconds = time.monotonic() - started
            assert shown(ready.carla)[0] == post.pk
        assert 1 <= seconds < 2
        # From here on nobody trusts an overlay without it.
        assert shown(ready.carla)[0] == post.pk

    def test_deleting_a_menu_of_fifty_dishes_waits_no_longer(self, ready: Cast) -> None:
        post = PostFactory(author=ready.ana, dishes=DishFactory.build_batch(50))
        with redis_down():
            started = time.monotonic()
            delete_post(actor=ready.ana, post_id=post.pk)
            assert time.monotonic() - started < 3
        assert post.pk not in shown(ready.carla)

    def test_a_page_that_loses_redis_on_its_way_has_no_post_twice(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        for _ in range(30):
            raw_post(ready.ana)
        a_second_passes(feed_redis)
        first = read_feed(ready.carla.pk, limit=10)
        with redis_down():
            second = read_feed(ready.carla.pk, limit=10, cursor=first.next_cursor)
        third = read_feed(ready.carla.pk, limit=20, cursor=second.next_cursor)
        ids = [item.post_id for page in (first, second, third) for item in page.items]
        assert ids == walk(ready.carla)

    def test_a_restarted_server_is_an_empty_one(self, ready: Cast, tmp_path: Path) -> None:
        with start_redis(tmp_path, "feed") as server:
            lists.use_server(server.url)
            try:
                warm(ready.carla)
                server.stop()
                post = publish_post(author=ready.ana, text="while it was down")
                assert shown(ready.carla)[0] == post.pk
                server.start()
                for _ in range(4):
                    assert shown(ready.carla)[0] == post.pk
                overlay.forget_copy()
                warm(ready.carla)
                assert read_feed(ready.carla.pk).queries == 0
                assert_exact(ready.carla)
            finally:
                lists.use_server(django_settings.FEED_REDIS_URL)

    def test_a_server_that_hangs_costs_its_time_out_and_no_more(self, ready: Cast, tmp_path: Path) -> None:
        import os
        import signal

        with start_redis(tmp_path, "feed") as server:
            django_settings.REDIS_TIMEOUT, before = 0.1, django_settings.REDIS_TIMEOUT
            lists.use_server(server.url)
            try:
                warm(ready.carla)
                os.kill(server.pid, signal.SIGSTOP)
                started = time.monotonic()
                assert_exact(ready.carla, limits=[20])
                assert time.monotonic() - started < 1
                started = time.monotonic()
                publish_post(author=ready.ana, text="slow")
                assert time.monotonic() - started < 2
            finally:
                os.kill(server.pid, signal.SIGCONT)
                django_settings.REDIS_TIMEOUT = before
                lists.use_server(django_settings.FEED_REDIS_URL)


class TestBrokerAway:
    @pytest.fixture(autouse=True)
    def dead_broker(self) -> Iterator[None]:
        living = celery.current_app._get_current_object()
        dead = Celery("nobody", set_as_current=True)
        dead.config_from_object("django.conf:settings", namespace="CELERY")
        dead.conf.broker_url = "redis+socket:///nonexistent/broker.sock?virtual_host=0"
        yield
        living.set_current()
        living.set_default()

    def test_a_publish_takes_its_normal_time_and_the_relay_has_it(
        self, ready: Cast, step_workers: Callable[[], int]
    ) -> None:
        started = time.monotonic()
        post = publish_post(author=ready.ana, text="today")
        assert time.monotonic() - started < 0.7
        assert shown(ready.carla)[0] == post.pk
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")
        assert relay() == 1
        assert step_workers() == 1


def test_every_key_has_an_expiry(ready: Cast, feed_redis: redis.Redis, step_workers: Settle) -> None:
    for cook in (ready.ana, ready.maria):
        publish_post(author=cook, text="today")
    step_workers()
    for viewer in (ready.carla, ready.sam, ready.ana, ready.maria, ready.stef):
        warm(viewer)
    ready.ana.display_name = "Dona Ana"
    ready.ana.save()
    delete_post(actor=ready.ana, post_id=shown(ready.ana)[0])
    follow_account(follower=ready.sam, followee_id=ready.ana.pk)
    shown(ready.sam)
    step_workers()
    Account.objects.update(last_seen=None)
    shown(ready.sam)
    keys = feed_redis.keys("*")
    assert len(keys) > 10
    assert [key for key in keys if feed_redis.ttl(key) < 0] == []


def test_follows_that_vanish_with_their_account_leave_the_feed(ready: Cast) -> None:
    assert shown(ready.carla)
    Follow.objects.all().delete()
    assert shown(ready.carla) == []
