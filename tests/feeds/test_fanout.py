"""Fan-out, stepped by hand: claims, batches, checkpoints, coalescing, the relay."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone

from feeds import fanout, outbox
from feeds.delivery import relay
from feeds.fanout import fan_out, read_followers
from feeds.lists import ListsUnavailable, commands
from feeds.models import Outbox, PulledAuthor
from feeds.threshold import close_interval, open_interval
from posts.models import Post
from posts.services import publish_post
from social.models import Account
from tests.factories import AccountFactory, Cast, FollowFactory
from tests.feeds.helpers import (
    assert_exact,
    keys_now,
    raw_post,
    raw_sql,
    redis_down,
    shown,
    warm,
)

Settle = Callable[[], None]


@pytest.fixture
def ready(cast: Cast, settle: Settle) -> Cast:
    """ana has seven followers, all with warm feeds; nothing is left to deliver."""
    for _ in range(6):
        FollowFactory(followee=cast.ana)
    settle()
    for viewer in followers_of(cast.ana):
        warm(viewer)
    settle()
    return cast


def followers_of(author: Account) -> list[Account]:
    return list(Account.objects.filter(following_rows__followee=author).order_by("pk"))


def stored(viewer: Account) -> list[int]:
    """The ids in a viewer's stored feed."""
    keys = keys_now()
    return commands.read_lists(keys, [keys.feed(viewer.pk)], limit=1000)[0].ids


def holders(author: Account, post_id: int) -> int:
    return sum(post_id in stored(viewer) for viewer in followers_of(author))


def row_of(post_id: int) -> Outbox:
    return Outbox.objects.get(kind="published", subject_id=post_id)


def no_hand_over(post_id: int) -> None:
    pytest.fail("handed over")


class TestDelivering:
    def test_every_active_follower_gets_the_id_and_the_row_is_done(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        assert fan_out(post_id, "job", no_hand_over) == 7
        assert holders(ready.ana, post_id) == 7
        assert row_of(post_id).done_at is not None

    def test_without_the_overlay_it_is_read_from_the_stored_list(self, ready: Cast, settle: Settle) -> None:
        post_id = raw_post(ready.ana)
        fan_out(post_id, "job", no_hand_over)
        settle()
        warm(ready.carla)
        assert shown(ready.carla) == [post_id]

    def test_once_more_changes_nothing(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        fan_out(post_id, "job", no_hand_over)
        assert fan_out(post_id, "job", no_hand_over) == 0
        Outbox.objects.update(done_at=None, checkpoint=0)
        fan_out(post_id, "job", no_hand_over)
        assert stored(ready.carla) == [post_id]

    def test_who_has_no_stored_feed_gets_none(self, ready: Cast, feed_redis: redis.Redis) -> None:
        feed_redis.delete(keys_now().feed(ready.carla.pk))
        post_id = raw_post(ready.ana)
        assert fan_out(post_id, "job", no_hand_over) == 6
        assert not feed_redis.exists(keys_now().feed(ready.carla.pk))

    def test_who_has_been_away_is_skipped(self, ready: Cast) -> None:
        Account.objects.filter(pk=ready.carla.pk).update(
            last_seen=timezone.now() - timedelta(days=14, hours=1)
        )
        other = followers_of(ready.ana)[1]
        Account.objects.filter(pk=other.pk).update(last_seen=None)
        post_id = raw_post(ready.ana)
        assert fan_out(post_id, "job", no_hand_over) == 5

    def test_who_returns_after_weeks_has_a_complete_feed(
        self, ready: Cast, feed_redis: redis.Redis, settle: Settle
    ) -> None:
        Account.objects.filter(pk=ready.carla.pk).update(last_seen=timezone.now() - timedelta(days=30))
        feed_redis.delete(keys_now().feed(ready.carla.pk))  # it expired with the window
        for _ in range(5):
            publish_post(author=ready.ana, text="while she was away")
        settle()
        assert_exact(ready.carla)
        post = publish_post(author=ready.ana, text="now that she is back")
        fan_out(post.pk, "job", no_hand_over)
        assert post.pk in stored(ready.carla)
        settle()
        assert_exact(ready.carla)

    def test_a_feed_never_outlives_the_committed_visit_plus_the_window(
        self, ready: Cast, feed_redis: redis.Redis
    ) -> None:
        for viewer in followers_of(ready.ana):
            seen = Account.objects.get(pk=viewer.pk).last_seen
            assert seen is not None
            expires = feed_redis.pexpiretime(keys_now().feed(viewer.pk)) / 1000
            assert expires <= seen.timestamp() + 14 * 86400 + 0.002

    def test_a_visit_after_a_day_prolongs_it(self, ready: Cast, feed_redis: redis.Redis) -> None:
        name = keys_now().feed(ready.carla.pk)
        yesterday = timezone.now() - timedelta(days=1, minutes=1)
        Account.objects.filter(pk=ready.carla.pk).update(last_seen=yesterday)
        feed_redis.pexpireat(name, int((yesterday + timedelta(days=14)).timestamp() * 1000))
        shown(ready.carla)
        seen = Account.objects.get(pk=ready.carla.pk).last_seen
        assert seen is not None
        assert timezone.now() - seen < timedelta(minutes=1)
        assert abs(feed_redis.pexpiretime(name) / 1000 - (seen + timedelta(days=14)).timestamp()) < 1

    def test_a_deleted_post_is_not_pushed(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        raw_sql("DELETE FROM posts_post WHERE id = %s", post_id)
        assert fan_out(post_id, "job", no_hand_over) == 0
        assert row_of(post_id).done_at is not None

    def test_the_authors_own_timeline_takes_it_again(self, ready: Cast) -> None:
        warm(ready.ana)
        post_id = raw_post(ready.ana)
        fan_out(post_id, "job", no_hand_over)
        keys = keys_now()
        assert commands.read_lists(keys, [keys.timeline(ready.ana.pk)], limit=10)[0].ids == [post_id]

    def test_lists_stay_within_a_quarter_above_their_length(
        self, ready: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.FEED_LENGTH = 10
        monkeypatch.setattr(fanout, "TRIM_SHARE", 1)
        for _ in range(30):
            fan_out(raw_post(ready.ana), "job", no_hand_over)
            assert len(stored(ready.carla)) <= 11
        assert_exact(ready.carla)


class TestPulled:
    def test_a_settled_authors_post_costs_no_push(self, ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        post_id = raw_post(ready.ana)
        monkeypatch.setattr(fanout, "read_followers", lambda *args: pytest.fail("looked for followers"))
        assert fan_out(post_id, "job", no_hand_over) == 0
        assert holders(ready.ana, post_id) == 0
        assert row_of(post_id).done_at is not None

    def test_until_everybody_knows_she_is_pushed_as_well(self, ready: Cast) -> None:
        open_interval(ready.ana.pk)
        assert fan_out(raw_post(ready.ana), "job", no_hand_over) == 7

    def test_a_post_from_before_she_was_pulled_is_pushed(self, ready: Cast) -> None:
        before = raw_post(ready.ana)
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        assert fan_out(before, "job", no_hand_over) == 7

    def test_after_she_is_no_longer_pulled_posts_are_pushed_again(self, ready: Cast, settle: Settle) -> None:
        open_interval(ready.ana.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        inside = raw_post(ready.ana)
        close_interval(ready.ana.pk)
        assert fan_out(inside, "job", no_hand_over) == 0
        after = raw_post(ready.ana)
        assert fan_out(after, "job", no_hand_over) == 7
        settle()
        assert_exact(ready.carla)

    def test_an_interval_closes_above_all_of_the_authors_posts(self, ready: Cast) -> None:
        open_interval(ready.ana.pk)
        ahead = raw_post(ready.ana) + 10_000_000
        raw_sql("INSERT INTO posts_post (id, author_id) VALUES (%s, %s)", ahead, ready.ana.pk)
        close_interval(ready.ana.pk)
        assert PulledAuthor.objects.get(author=ready.ana).until_id == ahead + 1

    def test_crossing_twice_is_once(self, ready: Cast) -> None:
        assert open_interval(ready.ana.pk)
        assert not open_interval(ready.ana.pk)
        assert close_interval(ready.ana.pk)
        assert not close_interval(ready.ana.pk)
        assert open_interval(ready.ana.pk)


class TestCheckpoints:
    @pytest.fixture(autouse=True)
    def small_batches(self, settings: Any) -> None:
        settings.FANOUT_BATCH_SIZE = 2

    def test_small_batches_reach_everybody(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        assert fan_out(post_id, "job", no_hand_over) == 7
        assert holders(ready.ana, post_id) == 7

    @pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8])
    def test_pages_of_followers_are_complete_and_disjoint(self, ready: Cast, limit: int) -> None:
        for follower in followers_of(ready.ana)[::2]:
            FollowFactory(follower=follower, followee=ready.stef)
        found: dict[int, list[int]] = {ready.ana.pk: [], ready.stef.pk: []}
        after: int | None = 0
        while after is not None:
            page = read_followers([ready.ana.pk, ready.stef.pk], after, limit)
            for author, ids in page.followers.items():
                found[author] += ids
            after = page.next_after
        for author in (ready.ana, ready.stef):
            assert sorted(found[author.pk]) == [follower.pk for follower in followers_of(author)]

    def test_a_batch_of_inactive_followers_only_does_not_end_it(self, ready: Cast) -> None:
        away = [follower.pk for follower in followers_of(ready.ana)[2:4]]
        Account.objects.filter(pk__in=away).update(last_seen=None)
        assert fan_out(raw_post(ready.ana), "job", no_hand_over) == 5

    def test_a_long_job_hands_the_rest_over(self, ready: Cast, settings: Any) -> None:
        settings.FANOUT_HANDOVER_SECONDS = 0
        post_id, handed = raw_post(ready.ana), []
        assert fan_out(post_id, "job", handed.append) == 2
        assert handed == [post_id]
        row = row_of(post_id)
        assert (row.done_at, row.claimed_by) == (None, "")
        assert row.checkpoint == followers_of(ready.ana)[1].pk
        taken = [fan_out(post_id, "next job", handed.append) for _ in range(4)]
        assert taken == [2, 2, 1, 0]
        assert row_of(post_id).done_at is not None
        assert holders(ready.ana, post_id) == 7

    def test_a_job_that_is_handed_over_does_not_begin_again_for_newer_posts(
        self, ready: Cast, settings: Any
    ) -> None:
        """Else a steady stream of posts would keep a long fan-out from ever ending."""
        settings.FANOUT_HANDOVER_SECONDS = 0
        post_id = raw_post(ready.ana)
        for _ in range(6):
            raw_post(ready.maria)
            fan_out(post_id, "job", lambda post_id: None)
        assert row_of(post_id).done_at is not None
        assert holders(ready.ana, post_id) == 7

    def test_a_killed_job_goes_on_from_its_checkpoint(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post_id = raw_post(ready.ana)
        self.die_at_batch(2, post_id, monkeypatch)
        assert row_of(post_id).checkpoint == followers_of(ready.ana)[3].pk
        assert fan_out(post_id, "job", no_hand_over) == 3
        assert holders(ready.ana, post_id) == 7

    def test_another_job_waits_for_its_claim_to_lapse(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post_id = raw_post(ready.ana)
        self.die_at_batch(2, post_id, monkeypatch)
        assert fan_out(post_id, "another", no_hand_over) == 0
        Outbox.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
        assert fan_out(post_id, "another", no_hand_over) == 3

    def test_the_checkpoint_moves_only_after_the_batch_was_acknowledged(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post_id = raw_post(ready.ana)
        original, batches = fanout._push_page, []

        def third_fails(*args: Any) -> int:
            batches.append(1)
            if len(batches) == 3:
                raise ListsUnavailable("one reply of the pipeline was an error")
            return original(*args)

        with monkeypatch.context() as patch:
            patch.setattr(fanout, "_push_page", third_fails)
            with pytest.raises(ListsUnavailable):
                fan_out(post_id, "job", no_hand_over)
        row = row_of(post_id)
        assert row.done_at is None
        assert row.checkpoint == followers_of(ready.ana)[3].pk
        assert (row.claimed_by, row.last_error) == ("", "one reply of the pipeline was an error")

    @staticmethod
    def die_at_batch(number: int, post_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """The worker is gone right after it has written its checkpoint."""

        class Killed(BaseException):
            pass

        original, saved = outbox.save_checkpoint, []

        def save(ids: Any, follower_id: int) -> None:
            original(ids, follower_id)
            saved.append(follower_id)
            if len(saved) == number:
                raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(outbox, "save_checkpoint", save)
            with pytest.raises(Killed):
                fan_out(post_id, "job", no_hand_over)


class TestCoalescing:
    def test_waiting_posts_reach_a_follower_in_one_insert(
        self, ready: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        FollowFactory(follower=ready.carla, followee=ready.stef)
        warm(ready.carla)
        posts = [raw_post(author) for author in (ready.ana, ready.stef, ready.ana)]
        original, batches = fanout._push_page, []
        monkeypatch.setattr(fanout, "_push_page", lambda *args: (batches.append(args), original(*args))[1])
        fan_out(posts[0], "job", no_hand_over)
        assert len(batches) == 1
        assert Outbox.objects.filter(kind="published", done_at=None).count() == 0
        for follower in followers_of(ready.ana):
            if follower != ready.carla:  # her feed went with her follow
                assert set(stored(follower)) == {posts[0], posts[2]}

    def test_at_most_eight_together(self, ready: Cast) -> None:
        posts = [raw_post(ready.ana) for _ in range(10)]
        fan_out(posts[9], "job", no_hand_over)
        left = Outbox.objects.filter(kind="published", done_at=None).values_list("subject_id", flat=True)
        assert sorted(left) == posts[7:9]

    def test_a_post_in_other_hands_is_left_alone(self, ready: Cast) -> None:
        first, second = raw_post(ready.ana), raw_post(ready.ana)
        outbox.claim_published(first, "somebody", limit=1)
        fan_out(second, "job", no_hand_over)
        assert row_of(first).done_at is None
        assert row_of(second).done_at is not None

    def test_pushed_and_pulled_posts_do_not_mix(self, ready: Cast) -> None:
        open_interval(ready.maria.pk)
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        raw_post(ready.maria)
        pushed = raw_post(ready.ana)
        fan_out(pushed, "job", no_hand_over)
        assert stored(ready.carla) == [pushed]
        assert Outbox.objects.filter(kind="published", done_at=None).count() == 0


class TestFailing:
    def test_with_redis_away_nothing_is_done_and_the_row_is_free(self, ready: Cast) -> None:
        post_id = raw_post(ready.ana)
        with redis_down(), pytest.raises(ListsUnavailable):
            fan_out(post_id, "job", no_hand_over)
        row = row_of(post_id)
        assert (row.done_at, row.claimed_by, row.claimed_until) == (None, "", None)
        assert row.last_error
        assert fan_out(post_id, "another", no_hand_over) == 7

    def test_it_is_done_only_after_the_last_push(self, ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        order: list[str] = []
        for module, name in ((fanout, "_push_page"), (outbox, "mark_done")):
            original = getattr(module, name)
            monkeypatch.setattr(
                module, name, lambda *args, o=original, n=name: (order.append(n), o(*args))[1]
            )
        fan_out(raw_post(ready.ana), "job", no_hand_over)
        assert order == ["_push_page", "mark_done"]


class TestRelay:
    @pytest.fixture
    def overdue(self) -> Callable[[], None]:
        def age() -> None:
            raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")

        return age

    def test_it_leaves_young_rows_to_their_writers(self, ready: Cast) -> None:
        raw_post(ready.ana)
        assert relay() == 0

    def test_it_queues_each_overdue_post_once(
        self, ready: Cast, overdue: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queued: list[int] = []
        monkeypatch.setattr("feeds.delivery.enqueue_fan_out", lambda post_id: queued.append(post_id) or True)
        posts = [raw_post(ready.ana) for _ in range(3)]
        overdue()
        assert relay() == 3
        assert relay() == 0
        assert queued == posts

    def test_it_repeats_when_the_claim_lapses_each_time_later(
        self, ready: Cast, overdue: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queued: list[int] = []
        monkeypatch.setattr("feeds.delivery.enqueue_fan_out", lambda post_id: queued.append(post_id) or True)
        post_id = raw_post(ready.ana)
        overdue()
        waits = []
        for _ in range(3):
            assert relay() == 1
            row = row_of(post_id)
            assert row.claimed_until is not None
            waits.append(round((row.claimed_until - timezone.now()).total_seconds(), -1))
            Outbox.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
        assert queued == [post_id] * 3
        assert waits == [10, 20, 40]

    def test_with_the_broker_away_a_post_is_tried_again_at_once_when_it_is_back(
        self, ready: Cast, overdue: Settle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post_id, back = raw_post(ready.ana), [False]
        monkeypatch.setattr("feeds.delivery.enqueue_fan_out", lambda post_id: back[0])
        overdue()
        for _ in range(5):
            relay()
        back[0] = True
        assert relay() == 1
        assert row_of(post_id).claimed_by == outbox.QUEUED

    def test_a_post_that_the_relay_queued_is_taken_by_its_worker(self, ready: Cast, overdue: Settle) -> None:
        post_id = raw_post(ready.ana)
        overdue()
        relay()
        assert fan_out(post_id, "job", no_hand_over) == 7

    def test_changes_are_delivered_and_done(
        self, ready: Cast, overdue: Settle, feed_redis: redis.Redis
    ) -> None:
        raw_sql(
            "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)",
            ready.carla.pk,
            ready.stef.pk,
        )
        overdue()
        assert relay() == 1
        assert not feed_redis.exists(keys_now().feed(ready.carla.pk), keys_now().follows(ready.carla.pk))
        assert not Outbox.objects.filter(done_at=None).exists()

    def test_with_redis_away_everything_stays(self, ready: Cast, overdue: Settle) -> None:
        raw_post(ready.ana)
        overdue()
        with redis_down(), pytest.raises(ListsUnavailable):
            relay()
        assert relay() == 1


def test_a_large_menu_day_ends_with_everybody_exact(
    ready: Cast, settings: Any, step_workers: Callable[[], int], settle: Settle
) -> None:
    settings.FANOUT_BATCH_SIZE = 3
    settings.FEED_LENGTH = 10
    for _ in range(8):
        for cook in (ready.ana, ready.maria):
            Post.objects.create(author=cook, text="soup")
    settle()
    AccountFactory()
    for viewer in followers_of(ready.ana):
        assert_exact(viewer, limits=[3])
