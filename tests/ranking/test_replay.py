"""Replaying views: places and figures by hand, nothing of the future, nothing written."""

import io
from datetime import UTC, timedelta
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from feeds.models import Exposure, Outbox, RankingSettings, Seen
from feeds.ranking import signals
from feeds.ranking.current import current_weights
from feeds.ranking.rankers import current_ranker
from feeds.ranking.replay import replaying
from feeds.ranking.replay.candidates import Menus, candidates_at
from feeds.ranking.replay.figures import Figures, figures_of, places_chart, share_within
from feeds.ranking.replay.past import read_past
from feeds.ranking.replay.replaying import NEWEST_FIRST, orders_of, ranks_of, replay
from feeds.ranking.replay.sessions import Session, draw_some, newest_day, sessions_of, split, with_begins
from feeds.ranking.values import Candidate
from feeds.ranking.weights import complete
from posts.ids import id_at
from posts.models import Like, Opening, Post
from social.models import Follow, Mute
from tests.factories import AccountFactory, FollowFactory
from tests.feeds.helpers import raw_sql
from tests.ranking.helpers import different_menus

# An hour at noon of yesterday, away from any midnight and well within what is remembered.
NOON = timezone.now().astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
DAY = NOON.date()
DEFAULTS = complete(current_ranker().weights, {})


def told(*arguments):
    out = io.StringIO()
    call_command("rank_replay", *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def menus(authors, *, first_minutes_before=60, minutes_apart=1):
    """A menu of each before NOON, the first one the newest."""
    begin = (timezone.now() - NOON).total_seconds() / 60 + first_minutes_before
    return different_menus(
        [author.pk for author in authors], minutes_apart=minutes_apart, begin_minutes_ago=begin
    )


def opened(account, post_id, minutes=0.0):
    Opening.objects.create(account=account, post_id=post_id, at=NOON + timedelta(minutes=minutes))


def liked(account, post_id, minutes=0.0):
    Like.objects.create(account=account, post_id=post_id, created_at=NOON + timedelta(minutes=minutes))


def saw(account, post_ids, minutes=0.0):
    at = NOON + timedelta(minutes=minutes)
    Seen.objects.create(
        viewer_id=account.pk,
        day=at.date(),
        post_ids=post_ids,
        moments=[int(at.timestamp())] * len(post_ids),
    )


@pytest.fixture
def cooks(cast):
    """Twelve whom carla has long followed."""
    made = AccountFactory.create_batch(12, cook=True)
    for cook in made:
        FollowFactory(follower=cast.carla, followee=cook)
    Follow.objects.update(created_at=NOON - timedelta(days=100))
    return made


class TestFigures:
    def test_by_hand(self):
        assert figures_of([1, 4, None, 20]) == Figures(4, (1 + 0.25 + 0.05) / 4, 0.5, 0.75, 1)

    def test_of_nothing(self):
        assert figures_of([]) == Figures(0, 0.0, 0.0, 0.0, 0)

    @pytest.mark.parametrize(("place", "share"), [(1, 0.25), (3, 0.25), (4, 0.5), (100, 0.75)])
    def test_shares_rise_with_the_place(self, place, share):
        assert share_within([1, 4, None, 20], place) == share

    def test_a_line_for_each_order(self):
        chart = places_chart("Viewed", {"one": [1, 2], "other": [None, 50]})
        assert [line.name for line in chart.lines] == ["one", "other"]
        assert [line.points[place - 1] for line in chart.lines for place in (1, 100)] == [
            (1, 50.0),
            (100, 100.0),
            (1, 0.0),
            (100, 50.0),
        ]


class TestSessions:
    def test_half_an_hour_ends_one(self):
        openings = [(1, 0.0, 10), (1, 1799.9, 11), (1, 3599.9, 12), (2, 3600.0, 10)]
        assert list(split(openings)) == [
            Session(1, 0.0, (10, 11)),
            Session(1, 3599.9, (12,)),
            Session(2, 3600.0, (10,)),
        ]

    def test_none(self):
        assert list(split([])) == []

    def test_the_same_seed_draws_the_same(self):
        every = [Session(n, 0.0, (1,)) for n in range(100)]
        drawn = draw_some(every, 10, 7)
        assert len(set(drawn)) == 10
        assert drawn == draw_some(every, 10, 7) != draw_some(every, 10, 8)
        assert draw_some(every, 100, 7) == every

    def test_those_of_a_day_in_utc(self, cast):
        posts = menus([cast.ana] * 4, first_minutes_before=900)
        for post, minutes in zip(posts, (-721, -720, 719, 720), strict=True):
            opened(cast.carla, post, minutes)
        raw_sql(
            "INSERT INTO posts_opening (account_id, post_id, at) VALUES (%s, %s, NULL)", cast.sam.pk, posts[0]
        )
        found = sessions_of(DAY)
        assert [session.post_ids for session in found] == [(posts[1],), (posts[2],)]
        assert newest_day() == DAY + timedelta(days=1)

    @pytest.mark.parametrize(
        ("seen_minutes", "begun_minutes"), [(-1, -1), (-29, -29), (-30, 0), (0, 0), (1, 0)]
    )
    def test_one_begins_with_what_was_seen_before_its_first_opening(self, cast, seen_minutes, begun_minutes):
        saw(cast.carla, [1, 2], seen_minutes)
        session = Session(cast.carla.pk, NOON.timestamp(), (1,))
        other = Session(cast.sam.pk, NOON.timestamp(), (1,))
        begun, same = with_begins([session, other])
        assert begun.moment == NOON + timedelta(minutes=begun_minutes)
        assert same == other

    def test_also_over_midnight(self, cast):
        saw(cast.carla, [1], -721)
        midnight = NOON - timedelta(hours=12)
        [begun] = with_begins([Session(cast.carla.pk, midnight.timestamp() + 60, (1,))])
        assert begun.moment == midnight - timedelta(minutes=1)


class TestOrders:
    def test_places_by_hand(self):
        at = NOON.timestamp()
        fresh = Candidate(30, 1, at - 60, "soup")
        said_again = Candidate(10, 1, at - 120, "soup")
        older = Candidate(20, 2, at - 86_400, "stew")
        orders = orders_of([fresh, older, said_again], {"ranked": DEFAULTS}, at)
        assert orders == {NEWEST_FIRST: [30, 20, 10], "ranked": [30, 20]}
        assert ranks_of([20, 10], orders[NEWEST_FIRST]) == [2, 3]
        assert ranks_of([20, 10], orders["ranked"]) == [2, None]


class TestReplaying:
    def test_a_small_day_by_hand(self, cast, cooks):
        posts = menus(cooks)
        # She opens menus of the last cook: known from the days before, so it comes first.
        before = menus([cooks[11]], first_minutes_before=3 * 1440)
        opened(cast.carla, before[0], -2 * 1440)
        opened(cast.carla, posts[11])
        opened(cast.carla, posts[2], 10)
        report = replay(
            DAY, {"ranked": DEFAULTS, "by age": {**DEFAULTS, "openings_weight": 0}}, most=9, seed=1
        )
        assert (report.found, report.sessions, report.views, report.replayed) == (1, 1, 2, 2)
        assert report.candidates == 12
        assert report.ranks == {NEWEST_FIRST: [12, 3], "ranked": [1, 4], "by age": [12, 3]}
        assert not report.missing

    def test_a_repetition_is_not_shown(self, cast, cooks):
        again = [id_at(NOON - timedelta(minutes=minutes)) for minutes in (5, 90)]
        with transaction.atomic():
            raw_sql("SET LOCAL courtyard.bulk_load = 'on'")
            raw_sql(
                "INSERT INTO posts_post (id, author_id, text) SELECT unnest(%s::bigint[]), %s, 'Soup of today'",
                again,
                cooks[0].pk,
            )
        opened(cast.carla, again[1])
        report = replay(DAY, {"ranked": DEFAULTS}, most=9, seed=1)
        assert report.ranks == {NEWEST_FIRST: [2], "ranked": [None]}

    def test_only_so_many_sessions_and_the_same_for_the_same_seed(self, cast, cooks):
        [post] = menus(cooks[:1])
        for n in range(20):
            opened(AccountFactory(), post, n)
        reports = [replay(DAY, {}, most=5, seed=seed) for seed in (1, 1, 2)]
        assert [(report.found, report.sessions) for report in reports] == [(20, 5)] * 3
        assert reports[0] == reports[1]

    def test_why_a_view_is_not_replayed(self, cast, cooks, settings):
        settings.FEED_RANK_CANDIDATES = 5
        posts = menus([*cooks, cast.ana, cast.maria, cast.stef, cast.sam])
        opened(cast.carla, posts[0])  # one of five, and sees her neighbours
        [too_old] = menus(cooks[:1], first_minutes_before=4 * 1440)
        [later] = menus(cooks[:1], first_minutes_before=-5)
        hidden, away, muted, crowd = posts[8:12]
        Post.objects.filter(pk=hidden).update(hidden_at=timezone.now())
        cooks[9].is_active = False
        cooks[9].save()
        Mute.objects.create(muter=cast.carla, muted=cooks[10])
        Follow.objects.filter(followee=cast.ana).update(created_at=NOON)
        never = posts[15]
        for minutes, post in enumerate([too_old, later, hidden, away, muted, crowd, posts[12], never], 6):
            opened(cast.carla, post, minutes)
        report = replay(DAY, {"ranked": DEFAULTS}, most=9, seed=1)
        assert report.ranks[NEWEST_FIRST] == [1]
        assert report.missing == {
            "too old to be ranked": 1,
            "published after the session began": 1,
            "hidden by staff": 1,
            "its cook is not active": 1,
            "its cook is muted": 1,
            "not among the newest": 1,
            "its cook was followed only later": 1,
            "its cook is not followed, or no longer": 1,
        }

    def test_room_that_a_later_follow_leaves_is_filled(self, cast, cooks, settings):
        settings.FEED_RANK_CANDIDATES = 4
        posts = menus(cooks)
        Follow.objects.filter(followee__in=cooks[:6]).update(created_at=NOON + timedelta(minutes=1))
        opened(cast.carla, posts[9])
        assert replay(DAY, {}, most=9, seed=1).ranks == {NEWEST_FIRST: [4]}

    def test_ones_own_menus_take_their_place(self, cast, cooks):
        posts = menus([cast.carla, cooks[0]])
        opened(cast.carla, posts[1])
        assert replay(DAY, {}, most=9, seed=1).ranks == {NEWEST_FIRST: [2]}


class TestTheFuture:
    """What is done at or after the moment at which a session began changes nothing of its orders."""

    def candidates(self, cast):
        past = read_past({cast.carla.pk}, since=NOON - timedelta(days=3), until=NOON + timedelta(days=1))
        return candidates_at(cast.carla.pk, NOON, menus=Menus(), past=past)

    def acts(self, cast, cooks, posts, minutes):
        """Of carla and of others, about cooks and menus."""
        opened(cast.carla, posts[5], minutes)
        liked(cast.carla, posts[6], minutes)
        saw(cast.carla, posts[7:9], minutes)
        for viewer in AccountFactory.create_batch(3):
            opened(viewer, posts[9], minutes)
            liked(viewer, posts[10], minutes)
            saw(viewer, [posts[11]], minutes)

    def test_before_it_counts(self, cast, cooks):
        posts = menus(cooks)
        plain = self.candidates(cast)
        self.acts(cast, cooks, posts, -5)
        known = {one.post_id: one for one in self.candidates(cast)}
        assert [known[post].openings for post in posts] == [0] * 9 + [3, 0, 0]
        assert [known[post].likes for post in posts] == [0] * 6 + [1] + [0] * 3 + [3, 0]
        assert [known[post].impressions for post in posts] == [0] * 7 + [1, 1, 0, 0, 3]
        assert [known[post].seen for post in posts] == [False] * 7 + [True] * 2 + [False] * 3
        assert [len(known[post].affinity.opened_at) for post in posts] == [0] * 5 + [1] + [0] * 6
        assert [len(known[post].affinity.liked_at) for post in posts] == [0] * 6 + [1] + [0] * 5
        assert orders_of(plain, {"r": DEFAULTS}, 0.0) != orders_of(list(known.values()), {"r": DEFAULTS}, 0.0)

    @pytest.mark.parametrize("minutes", [0, 0.5, 90])
    def test_after_it_does_not(self, cast, cooks, minutes):
        posts = menus(cooks)
        before = self.candidates(cast)
        self.acts(cast, cooks, posts, minutes)
        menus([cooks[0]], first_minutes_before=-minutes)
        FollowFactory(follower=cast.carla, followee=cast.sam)
        menus([cast.sam], first_minutes_before=200)
        raw_sql("UPDATE posts_post SET like_count = 500 WHERE id = %s", posts[3])
        Exposure.objects.create(post_id=posts[4], impressions=900, openings=800)
        assert self.candidates(cast) == before

    def test_nor_does_it_push_out_what_was_before(self, cast, cooks, monkeypatch):
        monkeypatch.setattr(signals, "MOST_ACTS", 2)
        posts = menus(cooks)
        for post in posts[10:]:
            opened(cast.carla, post, -5)
            liked(cast.carla, post, -5)
        before = self.candidates(cast)
        for post in posts[:4]:
            opened(cast.carla, post, 5)
            liked(cast.carla, post, 5)
        assert self.candidates(cast) == before

    def test_the_ranks_stay(self, cast, cooks):
        posts = menus(cooks)
        opened(cast.carla, posts[3])
        before = replay(DAY, {"ranked": DEFAULTS}, most=9, seed=1)
        for n, viewer in enumerate(AccountFactory.create_batch(30)):
            opened(viewer, posts[n % 12], 1)
            liked(viewer, posts[5], 1)
            saw(viewer, posts[6:], 1)
        saw(cast.carla, posts[:3], 2)
        liked(cast.carla, posts[11], 2)
        after = replay(DAY, {"ranked": DEFAULTS}, most=99, seed=1)
        assert after.ranks["ranked"][:1] == before.ranks["ranked"]
        assert after.ranks[NEWEST_FIRST][:1] == before.ranks[NEWEST_FIRST]


class TestCommand:
    def test_it_tells_and_draws(self, cast, cooks, tmp_path):
        posts = menus(cooks)
        opened(cast.carla, posts[11])
        file = tmp_path / "replay.svg"
        text = told("--weights", "gravity=0", "openings_weight=2", "--output", file)
        assert f"{DAY} (UTC): 1 of 1 sessions; 1 views of menus, 1 of them replayed; 12 candidates" in text
        rows = [line.split() for line in text.splitlines()[2:6]]
        assert rows[1] == ["newest", "first", "1", "1", "0.083", "0.0", "%", "100.0", "%", "0"]
        assert rows[2][:2] == ["today's", "weights"]
        assert rows[3][0] == "proposed"
        assert "it shows no gain by itself" in text
        picture = ElementTree.fromstring(file.read_bytes())
        assert len(picture) == 1

    def test_without_weights_there_are_two_orders(self, cast, cooks):
        opened(cast.carla, menus(cooks)[0])
        text = told("--day", DAY)
        assert "today's weights" in text
        assert "proposed" not in text

    def test_it_writes_nothing(self, cast, cooks, monkeypatch):
        opened(cast.carla, menus(cooks)[0])
        RankingSettings.objects.all().delete()

        def contents():
            tables = ["posts_opening", "posts_like", "posts_post", "feeds_rankingsettings"]
            counts = [raw_count(table) for table in tables]
            return counts, Seen.objects.count(), Exposure.objects.count(), Outbox.objects.count()

        before = contents()
        told("--weights", "gravity=2")
        assert contents() == before
        monkeypatch.setattr(replaying, "sessions_of", lambda day: Opening.objects.all().delete())
        with pytest.raises(DatabaseError, match="read-only"):
            told()
        assert contents() == before

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            (["charm=1"], r"there is no weight 'charm'. There are gravity, age_hours"),
            (["gravity"], r"gravity must be from 0 to 5. It is ''"),
            (["gravity=much"], r"gravity must be from 0 to 5. It is 'much'"),
            (["gravity=5.1"], r"gravity must be from 0 to 5"),
            (["gravity=nan"], r"gravity must be from 0 to 5"),
            (["gravity=1", "gravity=2"], r"gravity is given twice"),
        ],
    )
    def test_weights_that_are_none(self, cast, weights, message):
        with pytest.raises(CommandError, match=message):
            told("--weights", *weights)

    def test_a_day_without_views(self, cast, cooks):
        with pytest.raises(CommandError, match="nobody has opened a menu so far"):
            told()
        opened(cast.carla, menus(cooks)[0])
        with pytest.raises(CommandError, match=rf"No views are recorded of 2026-01-01.*newest are of {DAY}"):
            told("--day", "2026-01-01")

    @pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "0001-01-01"])
    def test_a_day_that_is_none(self, cast, day):
        with pytest.raises(CommandError, match="must be a day"):
            told("--day", day)

    def test_a_file_that_is_none(self, cast, tmp_path):
        with pytest.raises(CommandError, match="--output writes SVG"):
            told("--output", tmp_path / "out.png")

    def test_todays_weights_are_those_in_force(self, cast, cooks):
        posts = menus(cooks)
        [before] = menus([cooks[11]], first_minutes_before=3 * 1440)
        opened(cast.carla, before, -2 * 1440)
        opened(cast.carla, posts[11])
        RankingSettings.objects.update_or_create(pk=1, defaults={"weights": {"openings_weight": 0}})
        assert current_weights()["openings_weight"] == 0
        assert told("--day", DAY).count("0.083") == 2


def raw_count(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]
