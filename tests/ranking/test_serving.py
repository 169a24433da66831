"""The ranked feed: candidates of the exact feed, one order while one pages, the full rule at each page."""

import time
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from feeds.lists import execute_one
from feeds.models import Exposure, RankingSettings, Seen
from feeds.page import Filling
from feeds.ranking.current import change_weights, current_weights
from feeds.ranking.serving import read_ranked
from feeds.ranking.snapshot import MOST_SNAPSHOTS, Snapshot, SnapshotExpired
from feeds.reading import SignedOut, count_updates, read_feed
from feeds.reference import reference_feed_ids
from posts.ids import id_at
from posts.models import Like, Opening, Post
from posts.services import delete_post, edit_post, hide_post, publish_post, restore_post
from social import services
from social.cursors import InvalidCursor
from social.errors import Unavailable
from social.models import Account
from tests.factories import AccountFactory, DishFactory, FollowFactory, PostFactory
from tests.feeds.helpers import keys_now, postgres_down, raw_post, redis_down, warm
from tests.ranking.helpers import different_menus, ids_of, ranked_pages, ranked_walk


def cooks_for(viewer: Account, count: int) -> list[Account]:
    cooks = AccountFactory.create_batch(count, cook=True)
    for cook in cooks:
        FollowFactory(follower=viewer, followee=cook)
    return cooks


@pytest.fixture
def market(cast, settle):
    """carla follows ana, maria and eight others, who have posted sixty menus within three hours."""
    cooks = [cast.ana, cast.maria, *cooks_for(cast.carla, 8)]
    ids = different_menus([cooks[n % 10].pk for n in range(60)], minutes_apart=3)
    settle()
    return cast, cooks, ids


class TestCandidates:
    def test_all_of_the_exact_feed_each_once(self, market):
        cast, _, ids = market
        assert sorted(ranked_walk(cast.carla, limit=7)) == sorted(ids)
        assert sorted(ids) == sorted(reference_feed_ids(cast.carla.pk))

    def test_the_newest_so_many(self, market, settings):
        cast, _, ids = market
        settings.FEED_RANK_CANDIDATES = 25
        assert sorted(ranked_walk(cast.carla)) == sorted(ids[:25])

    def test_within_the_window(self, market, settings):
        cast, _, ids = market
        settings.FEED_RANK_WINDOW = 3600
        until = id_at(timezone.now() - timedelta(hours=1))
        assert sorted(ranked_walk(cast.carla)) == sorted(i for i in ids if i > until)

    def test_of_nobody_else_and_one_s_own(self, cast):
        PostFactory(author=AccountFactory(cook=True))
        own = PostFactory(author=AccountFactory(cook=True))
        assert ranked_walk(own.author) == [own.pk]
        assert ranked_walk(cast.sam) == []

    def test_what_reached_postgresql_past_everybody(self, cast):
        ids = different_menus([cast.ana.pk] * 2)
        warm(cast.carla)
        newer = raw_post(cast.ana)
        time.sleep(1.1)  # the overlay's mark
        assert set(ranked_walk(cast.carla)) == {*ids, newer}


class TestSources:
    """Recommendations: menus of cooks who are not followed."""

    class FromStrangers:
        name, recommends = "strangers", True
        ids: list[int] = []

        def find(self, reader, *, above, limit):
            filling = Filling(limit, 0)
            reader.take_in_order(filling, self.ids, dict.fromkeys(self.ids, "strangers"), frozenset(self.ids))
            return filling

    @pytest.fixture
    def recommended(self, cast, settings):
        stranger = AccountFactory(cook=True)
        menu = PostFactory(author=stranger)
        self.FromStrangers.ids = [menu.pk]
        settings.FEED_RANK_SOURCES = [
            "feeds.ranking.candidates.Followed",
            "tests.ranking.test_serving.TestSources.FromStrangers",
        ]
        return stranger, menu

    @pytest.fixture(autouse=True)
    def importable(self, monkeypatch):
        from feeds.ranking import candidates

        found = {"tests.ranking.test_serving.TestSources.FromStrangers": self.FromStrangers()}
        original = candidates._made
        monkeypatch.setattr(candidates, "_made", lambda path: found.get(path) or original(path))

    def test_it_is_among_the_others_and_says_where_it_is_from(self, cast, recommended):
        _, menu = recommended
        followed = PostFactory(author=cast.ana)
        page = read_ranked(cast.carla.pk)
        for again in (page, read_ranked(cast.carla.pk, cursor=page.top_cursor)):
            sources = {post_id: why.source for post_id, why in again.explanations.items()}
            assert sources == {menu.pk: "strangers", followed.pk: "followed"}

    @pytest.mark.parametrize(
        "out_of_sight",
        [
            lambda viewer, cook, menu: services.block_account(blocker=viewer, blocked_id=cook.pk),
            lambda viewer, cook, menu: services.block_account(blocker=cook, blocked_id=viewer.pk),
            lambda viewer, cook, menu: services.mute_account(muter=viewer, muted_id=cook.pk),
            lambda viewer, cook, menu: services.update_account(cook.pk, is_private=True),
            lambda viewer, cook, menu: services.deactivate_account(cook.pk),
            lambda viewer, cook, menu: hide_post(post_id=menu.pk),
            lambda viewer, cook, menu: delete_post(actor=cook, post_id=menu.pk),
        ],
        ids=["blocked", "blocks", "muted", "private", "deactivated", "hidden", "deleted"],
    )
    def test_each_page_asks_whether_it_may_be_seen_now(self, cast, recommended, out_of_sight):
        stranger, menu = recommended
        page = read_ranked(cast.carla.pk)
        assert ids_of(page) == [menu.pk]
        out_of_sight(cast.carla, stranger, menu)
        assert ids_of(read_ranked(cast.carla.pk, cursor=page.top_cursor)) == []
        assert ids_of(read_ranked(cast.carla.pk)) == []

    def test_whoever_is_unfollowed_does_not_stay_for_being_recommended_otherwise(self, cast, recommended):
        stranger, menu = recommended
        FollowFactory(follower=cast.carla, followee=stranger)
        other = PostFactory(author=stranger)
        page = read_ranked(cast.carla.pk)
        assert set(ids_of(page)) == {menu.pk, other.pk}
        services.unfollow_account(follower=cast.carla, followee_id=stranger.pk)
        assert (
            ids_of(read_ranked(cast.carla.pk, cursor=page.top_cursor)) == []
        )  # as followed it was found first
        assert ids_of(read_ranked(cast.carla.pk)) == [menu.pk]


class TestSignals:
    def parts(self, viewer, post):
        return read_ranked(viewer.pk).explanations[post.pk].parts

    def test_nothing_is_known_at_first(self, cast):
        post = PostFactory(author=cast.ana)
        parts = self.parts(cast.carla, post)
        assert parts.pop("recency") == pytest.approx(1, abs=0.01)
        assert parts.pop("follow") == pytest.approx(1.5, abs=0.01)
        assert set(parts.values()) == {1}

    def test_openings_and_likes_of_an_author_raise_all_of_hers(self, cast):
        old, new = PostFactory.create_batch(2, author=cast.ana)
        other = PostFactory(author=cast.maria)
        Opening.objects.create(account=cast.carla, post=old)
        Opening.objects.create(account=cast.sam, post=other)
        Like.objects.create(account=cast.carla, post=old)
        assert self.parts(cast.carla, new)["openings"] > 1
        assert self.parts(cast.carla, new)["likes"] > 1
        assert self.parts(cast.carla, other)["openings"] == 1
        page = ids_of(read_ranked(cast.carla.pk))
        assert page.index(new.pk) < page.index(other.pk)

    def test_an_opening_of_which_nobody_knows_when_counts_for_nothing(self, cast):
        post = PostFactory(author=cast.ana)
        Opening.objects.create(account=cast.carla, post=post, at=None)
        assert self.parts(cast.carla, post)["openings"] == 1

    def test_the_interest_of_others(self, cast):
        post = PostFactory(author=cast.ana)
        Exposure.objects.create(post_id=post.pk, impressions=1000, openings=500)
        assert self.parts(cast.carla, post)["engagement"] > 1
        Exposure.objects.update(openings=0)
        assert self.parts(cast.carla, post)["engagement"] < 1

    def test_sold_out(self, cast):
        post = PostFactory(author=cast.ana, dishes=[DishFactory(), DishFactory(sold_out=True)])
        assert self.parts(cast.carla, post)["sold_out"] == pytest.approx(0.65)

    def test_seen(self, cast):
        post = PostFactory(author=cast.ana)
        now = int(time.time())
        Seen.objects.create(
            viewer_id=cast.carla.pk, day=timezone.now().date(), post_ids=[post.pk], moments=[now - 60]
        )
        assert self.parts(cast.carla, post)["seen"] == pytest.approx(0.4)

    def test_however_many_menus_and_acts_they_cost_as_many_queries(
        self, market, settle, django_assert_max_num_queries
    ):
        cast, _, ids = market
        Opening.objects.bulk_create(Opening(account=cast.carla, post_id=i) for i in ids)
        Like.objects.bulk_create(Like(account=cast.carla, post_id=i) for i in ids)
        settle()
        read_ranked(cast.carla.pk)
        with django_assert_max_num_queries(6):  # weights and five of signals; all else is stored
            read_ranked(cast.carla.pk)


class TestWeights:
    def test_they_change_the_order_at_once(self, cast):
        older, newer = different_menus([cast.ana.pk, cast.maria.pk], minutes_apart=60)[::-1]
        Opening.objects.create(account=cast.carla, post_id=older)
        change_weights({"openings_weight": 10}, by=cast.stef, reason="Friends first.")
        assert ranked_walk(cast.carla) == [older, newer]
        change_weights({"openings_weight": 0, "follow_weight": 0}, by=cast.stef, reason="News first.")
        assert ranked_walk(cast.carla) == [newer, older]

    def test_what_is_out_of_range_is_refused_and_changes_nothing(self, cast):
        with pytest.raises(ValueError, match="gravity must be from 0 to 5"):
            change_weights({"gravity": 6}, by=cast.stef, reason="Too much.")
        assert current_weights()["gravity"] == 1.2

    def test_nonsense_in_the_row_is_the_default(self, cast):
        RankingSettings.objects.create(weights={"gravity": "steep", "of_old": 3})
        post = PostFactory(author=cast.ana)
        assert ranked_walk(cast.carla) == [post.pk]

    def test_another_ranker_is_a_setting(self, market, settings):
        cast, cooks, _ = market
        settings.FEED_RANKER = "feeds.ranking.rankers.TurnsRanker"
        page = read_ranked(cast.carla.pk, limit=10)
        assert {item.card.author_id for item in page.items} == {cook.pk for cook in cooks}
        assert set(page.explanations[page.items[0].post_id].parts) == {"turn", "seen"}


class TestSnapshot:
    def test_the_order_stays_while_one_pages(self, market):
        cast, _, ids = market
        first = read_ranked(cast.carla.pk, limit=10)
        before = ids_of(read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=50))
        Like.objects.bulk_create(Like(account=cast.carla, post_id=i) for i in ids[30:])
        change_weights({"gravity": 0}, by=None, reason="Meanwhile.")
        PostFactory.create_batch(3, author=cast.ana)
        again = read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=50)
        assert ids_of(again) == before
        assert ids_of(read_ranked(cast.carla.pk, cursor=first.top_cursor, limit=10)) == ids_of(first)
        assert again.next_cursor is None

    @pytest.mark.parametrize("limit", [1, 7, 60, 100])
    def test_no_cursor_at_the_end_and_only_there(self, market, limit):
        cast, _, ids = market
        pages = list(ranked_pages(cast.carla, limit=limit))
        assert [len(ids_of(page)) for page in pages[:-1]] == [limit] * (len(pages) - 1)
        assert sum(len(ids_of(page)) for page in pages) == len(ids)

    def test_two_hundred_published_and_twenty_deleted_meanwhile(self, market):
        cast, cooks, ids = market
        shown, deleted, published, cursor = [], [], 0, None
        for turn in range(100):
            page = read_ranked(cast.carla.pk, cursor=cursor, limit=2)
            assert not set(ids_of(page)) & set(deleted), "deleted before its page was asked for"
            shown += ids_of(page)
            cursor = page.next_cursor
            if cursor is None:
                break
            for _ in range(10):
                cook = cooks[turn % 10]
                publish_post(author=cook, text=f"Meanwhile {turn}", dishes=[DishFactory()])
                published += 1
            for gone in [i for i in ids[turn::19] if i not in deleted][:1]:
                post = Post.objects.get(pk=gone)
                delete_post(actor=post.author, post_id=gone)
                deleted.append(gone)
        assert published >= 200
        assert len(deleted) >= 20
        assert len(shown) == len(set(shown))
        assert set(ids) - set(deleted) <= set(shown) <= set(ids)

    def test_a_page_fills_up_over_what_is_out_of_sight(self, market):
        cast, cooks, _ = market
        first = read_ranked(cast.carla.pk, limit=10)
        rest = ids_of(read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=50))
        authors = dict(Post.objects.values_list("pk", "author_id"))
        muted, blocked, gone = cooks[0], cooks[1], cooks[2]
        services.mute_account(muter=cast.carla, muted_id=muted.pk)
        services.block_account(blocker=blocked, blocked_id=cast.carla.pk)
        services.deactivate_account(gone.pk)
        hidden = next(i for i in rest if authors[i] not in (muted.pk, blocked.pk, gone.pk))
        hide_post(post_id=hidden)
        left = [i for i in rest if authors[i] not in (muted.pk, blocked.pk, gone.pk) and i != hidden]
        page = read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=20)
        assert ids_of(page) == left[:20]
        assert ids_of(read_ranked(cast.carla.pk, cursor=page.next_cursor, limit=50)) == left[20:]
        services.unmute_account(muter=cast.carla, muted_id=muted.pk)
        restore_post(post_id=hidden)
        assert hidden in ids_of(read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=50))

    def test_menus_are_shown_as_they_are_now(self, market):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk)
        post = Post.objects.get(pk=ids_of(page)[0])
        edit_post(actor=post.author, post_id=post.pk, text="Only soup is left.")
        again = read_ranked(cast.carla.pk, cursor=page.top_cursor)
        assert again.items[0].card.members["text"] == "Only soup is left."

    def test_it_ends_after_its_time(self, market, settings):
        cast, _, _ = market
        settings.FEED_SNAPSHOT_TTL = 1
        page = read_ranked(cast.carla.pk)
        read_ranked(cast.carla.pk, cursor=page.next_cursor)
        time.sleep(0.6)
        read_ranked(cast.carla.pk)  # another keeps the key alive, not this one
        time.sleep(0.6)
        with pytest.raises(SnapshotExpired):
            read_ranked(cast.carla.pk, cursor=page.next_cursor)

    def test_an_emptied_redis(self, market, feed_redis):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk)
        feed_redis.flushall()
        with pytest.raises(SnapshotExpired):
            read_ranked(cast.carla.pk, cursor=page.next_cursor)
        assert len(ids_of(read_ranked(cast.carla.pk))) == 20

    def test_damage_is_an_expired_one(self, market, feed_redis):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk)
        [field] = feed_redis.hkeys(keys_now().snapshots(cast.carla.pk))
        feed_redis.hset(keys_now().snapshots(cast.carla.pk), field, b"rubbish")
        with pytest.raises(SnapshotExpired):
            read_ranked(cast.carla.pk, cursor=page.next_cursor)

    def test_a_key_of_another_type_is_replaced(self, market, feed_redis):
        cast, _, _ = market
        feed_redis.set(keys_now().snapshots(cast.carla.pk), "rubbish")
        page = read_ranked(cast.carla.pk)
        assert len(ids_of(read_ranked(cast.carla.pk, cursor=page.next_cursor))) == 20

    def test_of_a_viewer_a_few_are_kept_the_newest(self, market, feed_redis):
        cast, _, _ = market
        tops = [read_ranked(cast.carla.pk).top_cursor for _ in range(MOST_SNAPSHOTS + 2)]
        key = keys_now().snapshots(cast.carla.pk)
        assert feed_redis.hlen(key) == MOST_SNAPSHOTS
        assert 0 < feed_redis.ttl(key) <= django_settings.FEED_SNAPSHOT_TTL
        for expired in tops[:2]:
            with pytest.raises(SnapshotExpired):
                read_ranked(cast.carla.pk, cursor=expired)
        for kept in tops[2:]:
            read_ranked(cast.carla.pk, cursor=kept)

    def test_cursors_belong_to_viewer_and_order(self, market):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk)
        for foreign in (read_feed(cast.carla.pk).next_cursor, page.refresh_cursor, "nonsense"):
            with pytest.raises(InvalidCursor):
                read_ranked(cast.carla.pk, cursor=foreign)
        with pytest.raises(InvalidCursor):
            read_ranked(cast.sam.pk, cursor=page.next_cursor)
        with pytest.raises(InvalidCursor):
            read_feed(cast.carla.pk, cursor=page.next_cursor)

    def test_what_was_packed_is_what_comes_out(self, market):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk)
        again = read_ranked(cast.carla.pk, cursor=page.top_cursor)
        assert again.explanations == page.explanations
        for why in page.explanations.values():
            assert why.score > 0
        packed = execute_one(keys_now(), ("HVALS", keys_now().snapshots(cast.carla.pk)))
        snapshot = Snapshot.unpack(packed[0][10:])
        assert Snapshot.unpack(snapshot.pack()) == snapshot
        assert len(packed[0]) < 60 * 40 + 500  # bytes a menu


class TestWhatIsNew:
    def test_what_is_newer_than_the_list_counts(self, market):
        cast, _, _ = market
        first = read_ranked(cast.carla.pk, limit=10)
        new = PostFactory.create_batch(3, author=cast.ana)
        second = read_ranked(cast.carla.pk, cursor=first.next_cursor, limit=10)
        assert second.refresh_cursor == first.refresh_cursor
        assert count_updates(cast.carla.pk, since=first.refresh_cursor).count == 3
        fresh = read_feed(cast.carla.pk, since=second.refresh_cursor)
        assert [item.post_id for item in fresh.items] == [post.pk for post in new[::-1]]

    def test_nothing_is_new_at_first(self, market, settings):
        cast, _, _ = market
        assert count_updates(cast.carla.pk, since=read_ranked(cast.carla.pk).refresh_cursor).count == 0
        settings.FEED_RANK_CANDIDATES = 5
        assert count_updates(cast.carla.pk, since=read_ranked(cast.carla.pk).refresh_cursor).count == 0

    def test_menus_of_the_last_seconds_count_only_if_they_were_not_there(self, cast, settings):
        settings.FEED_RANK_CANDIDATES = 5
        PostFactory.create_batch(9, author=cast.ana)
        assert count_updates(cast.carla.pk, since=read_ranked(cast.carla.pk).refresh_cursor).count == 0

    def test_a_repetition_that_is_left_out_is_not_new(self, cast):
        PostFactory.create_batch(2, author=cast.ana, text="Soup of the day", dishes=[])
        page = read_ranked(cast.carla.pk)
        assert len(page.items) == 1
        assert count_updates(cast.carla.pk, since=page.refresh_cursor).count == 0

    def test_in_a_feed_of_old_menus_only_what_comes(self, cast):
        different_menus([cast.ana.pk] * 3, begin_minutes_ago=5 * 1440)
        page = read_ranked(cast.carla.pk)
        assert ids_of(page) == []
        assert count_updates(cast.carla.pk, since=page.refresh_cursor).count == 0
        PostFactory(author=cast.ana)
        assert count_updates(cast.carla.pk, since=page.refresh_cursor).count == 1


class TestOutages:
    def test_without_postgresql_age_alone_decides_and_pages_go_on(self, market):
        cast, _, ids = market
        change_weights({"follow_weight": 0}, by=None, reason="To see what is left.")
        ranked_walk(cast.carla)
        with postgres_down():
            page = read_ranked(cast.carla.pk, limit=10)
            assert not page.degraded
            assert page.items[0].post_id == ids[0]
            rest = read_ranked(cast.carla.pk, cursor=page.next_cursor, limit=100)
        assert sorted(ids_of(page) + ids_of(rest)) == sorted(ids)

    def test_without_redis_there_is_a_first_page_and_nothing_is_kept(self, market):
        cast, _, ids = market
        with redis_down():
            page = read_ranked(cast.carla.pk, limit=10)
            assert page.degraded
            assert set(ids_of(page)) <= set(ids)
            with pytest.raises(Unavailable):
                read_ranked(cast.carla.pk, cursor=page.next_cursor)
        with pytest.raises(SnapshotExpired):
            read_ranked(cast.carla.pk, cursor=page.next_cursor)

    def test_without_both_it_is_said(self, market):
        cast, _, _ = market
        with redis_down(), postgres_down(), pytest.raises(Unavailable):
            read_ranked(cast.carla.pk)

    def test_a_list_that_may_lack_something_has_no_end(self, market, feed_redis):
        cast, _, _ = market
        warm(cast.carla)
        feed_redis.delete(keys_now().feed(cast.carla.pk))
        with postgres_down():
            page = read_ranked(cast.carla.pk)
            assert page.degraded
            while page.items:
                assert page.next_cursor is not None
                if len(page.items) < 20:
                    break
                page = read_ranked(cast.carla.pk, cursor=page.next_cursor)
            with pytest.raises(SnapshotExpired):
                read_ranked(cast.carla.pk, cursor=page.next_cursor)

    def test_who_has_just_unfollowed_sees_it_with_the_workers_away(self, market):
        cast, cooks, _ = market
        page = read_ranked(cast.carla.pk, limit=5)
        with redis_down():
            services.unfollow_account(follower=cast.carla, followee_id=cooks[3].pk)
        later = read_ranked(cast.carla.pk, cursor=page.top_cursor, limit=60)
        assert cooks[3].pk not in {item.card.author_id for item in later.items}


class TestWhoReads:
    def test_an_ended_sign_in(self, market):
        cast, _, _ = market
        page = read_ranked(cast.carla.pk, version=cast.carla.auth_version)
        services.sign_out_everywhere(cast.carla.pk)
        for cursor in (None, page.next_cursor):
            with pytest.raises(SignedOut):
                read_ranked(cast.carla.pk, version=cast.carla.auth_version, cursor=cursor)

    def test_it_is_a_visit(self, market):
        cast, _, _ = market
        Account.objects.filter(pk=cast.carla.pk).update(last_seen=None)
        read_ranked(cast.carla.pk)
        assert Account.objects.get(pk=cast.carla.pk).last_seen is not None

    def test_likes_are_the_viewer_s(self, market):
        cast, _, ids = market
        Like.objects.create(account=cast.carla, post_id=ids[5])
        page = read_ranked(cast.carla.pk, limit=60)
        assert [item.post_id for item in page.items if item.liked] == [ids[5]]
