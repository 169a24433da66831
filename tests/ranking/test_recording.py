"""What was seen and opened reaches PostgreSQL: each once, bounded, and at worst some seconds of it are lost."""

import time
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from feeds.lists import ListsUnavailable, commands
from feeds.models import Exposure, Seen
from feeds.ranking import notes, recording
from feeds.ranking.notes import Note, note_opened, note_seen
from feeds.ranking.recording import SEEN_KEPT_DAYS, bring_notes, prune_recorded, record
from posts.ids import id_at
from posts.models import Opening
from posts.services import delete_post
from social.erasing import erase_marked_accounts
from social.services import deactivate_account, erase_account, unfollow_account
from tests.factories import AccountFactory, FollowFactory, PostFactory
from tests.feeds.helpers import counted_round_trips, in_threads, keys_now, query_count, redis_down
from tests.ranking.helpers import different_menus


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(notes, "_kept", type(notes._kept)())
    monkeypatch.setattr(notes, "_try_again_at", 0.0)


def seen_by(account):
    return [post_id for row in Seen.objects.filter(viewer_id=account.pk) for post_id in row.post_ids]


def exposed(post):
    row = Exposure.objects.filter(pk=post.pk).first()
    return (row.impressions, row.openings) if row else (0, 0)


@pytest.mark.parametrize(
    "note", [Note(7, [1, 2**53 - 1], 1790000000.125), Note(8, [3], 0.0, opened=True), Note(9, [], 5.0)]
)
def test_a_note_comes_out_as_it_went_in(note):
    assert Note.unpack(note.pack()) == note


class TestNoting:
    def test_it_is_one_round_trip_and_no_statement(self, cast, monkeypatch):
        keys_now()
        with counted_round_trips(monkeypatch) as trips:
            assert query_count(lambda: note_seen(cast.carla.pk, list(range(1, 101)))) == 0
        assert trips == [1]

    def test_nothing_seen_is_no_note(self, cast, feed_redis):
        note_seen(cast.carla.pk, [])
        assert not feed_redis.exists(keys_now().notes)

    def test_only_so_many_wait_the_newest_and_not_for_ever(self, cast, feed_redis, monkeypatch):
        monkeypatch.setattr(notes, "MOST_WAITING", 3)
        counted = []
        monkeypatch.setattr(notes, "count", lambda name, number: counted.append((name, number)))
        for post_id in range(1, 6):
            note_seen(cast.carla.pk, [post_id])
        waiting = feed_redis.lrange(keys_now().notes, 0, -1)
        assert [Note.unpack(note).post_ids for note in waiting] == [[3], [4], [5]]
        assert counted == [("notes:dropped", 1)] * 2
        assert 0 < feed_redis.ttl(keys_now().notes) <= notes.NOTES_SECONDS

    def test_a_key_of_another_type_is_replaced(self, cast, feed_redis):
        feed_redis.set(keys_now().notes, "rubbish")
        note_seen(cast.carla.pk, [1])
        assert feed_redis.llen(keys_now().notes) == 1

    def test_while_redis_is_away_it_waits_in_memory_and_nobody_waits_for_it(
        self, cast, feed_redis, monkeypatch
    ):
        posts = PostFactory.create_batch(3, author=cast.ana)
        with redis_down():
            note_seen(cast.carla.pk, [posts[0].pk])
            with monkeypatch.context() as patch:
                patch.setattr(commands, "add_notes", never)
                note_opened(cast.carla.pk, posts[1].pk)  # a moment ago it was away: nobody asks
        monkeypatch.setattr(notes, "_try_again_at", 0.0)
        note_seen(cast.carla.pk, [posts[2].pk])
        assert bring_notes() == 3
        assert seen_by(cast.carla) == [posts[0].pk, posts[2].pk]
        assert Opening.objects.get().post_id == posts[1].pk

    def test_of_that_too_only_so_much(self, cast, monkeypatch):
        monkeypatch.setattr(notes, "MOST_KEPT", 2)
        with redis_down():
            for post_id in (1, 2, 3):
                note_seen(cast.carla.pk, [post_id])
        assert [Note.unpack(note).post_ids for note in notes._kept] == [[2], [3]]

    def test_the_background_hands_it_over(self, cast, feed_redis, monkeypatch):
        with redis_down():
            note_seen(cast.carla.pk, [1])
        monkeypatch.setattr(notes, "_try_again_at", 0.0)
        notes.hand_over()
        assert feed_redis.llen(keys_now().notes) == 1


class TestBringing:
    def test_a_menu_counts_once_for_each_viewer(self, cast):
        post = PostFactory(author=cast.ana)
        FollowFactory(follower=cast.sam, followee=cast.ana)
        for viewer in (cast.carla, cast.carla, cast.sam):
            note_seen(viewer.pk, [post.pk, post.pk])
        bring_notes()
        note_seen(cast.carla.pk, [post.pk])
        bring_notes()
        assert exposed(post) == (2, 0)
        assert seen_by(cast.carla) == [post.pk]

    def test_also_over_midnight(self, cast):
        post = PostFactory(author=cast.ana)
        now = time.time()
        record([Note(cast.carla.pk, [post.pk], now - 86_400)])
        record([Note(cast.carla.pk, [post.pk], now)])
        assert exposed(post) == (1, 0)
        [row] = Seen.objects.all()
        assert row.day == datetime.fromtimestamp(now - 86_400, UTC).date()
        assert row.moments == [int(now - 86_400)]

    def test_an_opening_too_with_its_moment(self, cast):
        post = PostFactory(author=cast.ana)
        before = time.time()
        note_opened(cast.carla.pk, post.pk)
        note_opened(cast.carla.pk, post.pk)
        bring_notes()
        note_opened(cast.carla.pk, post.pk)
        bring_notes()
        opening = Opening.objects.get()
        assert before - 1 <= opening.at.timestamp() <= time.time()
        assert exposed(post) == (0, 1)

    def test_what_is_no_menu_of_somebody_followed_is_no_impression(self, cast):
        unfollowed, own = PostFactory(author=AccountFactory(cook=True)), PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [unfollowed.pk, 12345])
        note_seen(cast.ana.pk, [own.pk])
        bring_notes()
        assert not Exposure.objects.exists()
        assert seen_by(cast.carla) == [unfollowed.pk]  # recommended, perhaps: she has seen it
        assert seen_by(cast.ana) == []

    def test_what_is_gone_meanwhile_is_left_out(self, cast):
        post, other = PostFactory.create_batch(2, author=cast.ana)
        note_seen(cast.carla.pk, [post.pk, other.pk])
        note_opened(cast.carla.pk, post.pk)
        note_opened(cast.sam.pk, other.pk)
        delete_post(actor=cast.ana, post_id=post.pk)
        deactivate_account(cast.sam.pk)
        bring_notes()
        assert seen_by(cast.carla) == [other.pk]
        assert not Opening.objects.exists()

    def test_of_an_old_menu_nothing_is_counted(self, cast):
        [old] = different_menus([cast.ana.pk], begin_minutes_ago=(SEEN_KEPT_DAYS + 1) * 1440)
        note_seen(cast.carla.pk, [old])
        bring_notes()
        assert not Seen.objects.exists()

    def test_a_day_has_room_for_so_many(self, cast, monkeypatch):
        monkeypatch.setattr(recording, "MOST_A_DAY", 2)
        posts = PostFactory.create_batch(3, author=cast.ana)
        for post in posts:
            record([Note(cast.carla.pk, [post.pk], time.time())])
        assert seen_by(cast.carla) == [posts[0].pk, posts[1].pk]
        assert exposed(posts[2]) == (0, 0)

    def test_twice_is_once(self, cast):
        post = PostFactory(author=cast.ana)
        both = [Note(cast.carla.pk, [post.pk], time.time(), opened=opened) for opened in (True, False)]
        record(both)
        record(both)
        assert exposed(post) == (1, 1)

    def test_a_worker_that_dies_in_between_leaves_it_to_the_next(self, cast, monkeypatch):
        post, later = PostFactory.create_batch(2, author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        with monkeypatch.context() as patch:
            patch.setattr(commands, "forget_taken_notes", dying)
            with pytest.raises(ListsUnavailable):
                bring_notes()
        note_seen(cast.carla.pk, [later.pk])
        bring_notes()
        bring_notes()
        assert seen_by(cast.carla) == [post.pk, later.pk]
        assert exposed(post) == (1, 0)

    def test_so_does_one_whose_transaction_fails(self, cast, monkeypatch):
        post = PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        with monkeypatch.context() as patch:
            patch.setattr(recording, "_COUNT", "SELECT 1 / 0, %s, %s, %s")
            with pytest.raises(DatabaseError):
                bring_notes()
        assert not Seen.objects.exists()
        bring_notes()
        assert exposed(post) == (1, 0)

    def test_two_at_once_count_once(self, cast):
        posts = PostFactory.create_batch(4, author=cast.ana)
        for post in posts * 5:
            note_seen(cast.carla.pk, [post.pk])
        in_threads([bring_notes] * 4)
        bring_notes()
        assert sorted(seen_by(cast.carla)) == [post.pk for post in posts]
        assert [exposed(post) for post in posts] == [(1, 0)] * 4

    def test_while_another_is_at_it_nothing_is_done_and_nothing_lost(self, cast):
        post = PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [recording.RECORDING_LOCK])
            assert in_threads([bring_notes]) == [0]
        assert bring_notes() == 1
        assert exposed(post) == (1, 0)

    def test_rubbish_among_them_is_dropped(self, cast, feed_redis):
        post = PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        feed_redis.rpush(keys_now().notes, b"rubbish", b"", b"s x y z")
        assert bring_notes() == 1
        assert exposed(post) == (1, 0)

    def test_nothing_is_left_behind(self, cast, feed_redis):
        note_seen(cast.carla.pk, [PostFactory(author=cast.ana).pk])
        bring_notes()
        assert not feed_redis.exists(keys_now().notes, keys_now().notes_taken)
        assert bring_notes() == 0


def dying(*args, **kwargs):
    raise ListsUnavailable("killed")


def never(*args, **kwargs):
    pytest.fail("nobody should have asked")


class TestForgetting:
    def test_after_a_week_and_a_day(self, cast):
        today = datetime.now(UTC).date()
        for days in (SEEN_KEPT_DAYS, SEEN_KEPT_DAYS + 1):
            day = today - timedelta(days=days)
            Seen.objects.create(viewer_id=cast.carla.pk, day=day, post_ids=[1], moments=[1])
        young = id_at(timezone.now() - timedelta(days=SEEN_KEPT_DAYS - 1))
        for post_id in (young, id_at(timezone.now() - timedelta(days=SEEN_KEPT_DAYS + 1))):
            Exposure.objects.create(pk=post_id)
        assert prune_recorded() == 2
        assert [row.day for row in Seen.objects.all()] == [today - timedelta(days=SEEN_KEPT_DAYS)]
        assert [row.pk for row in Exposure.objects.all()] == [young]

    def test_in_bounded_steps(self, cast):
        for day in range(1, 6):
            Seen.objects.create(viewer_id=cast.carla.pk, day=date(2024, 1, day), post_ids=[1], moments=[1])
        assert prune_recorded(most=2) == 2
        assert Seen.objects.count() == 3

    def test_with_the_account(self, cast):
        post = PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        bring_notes()
        erase_account(cast.carla.pk)
        note_seen(cast.carla.pk, [post.pk])
        assert erase_marked_accounts() == 1
        bring_notes()
        assert not Seen.objects.exists()

    def test_unfollowing_takes_nothing_back(self, cast):
        post = PostFactory(author=cast.ana)
        note_seen(cast.carla.pk, [post.pk])
        bring_notes()
        unfollow_account(follower=cast.carla, followee_id=cast.ana.pk)
        assert exposed(post) == (1, 0)
