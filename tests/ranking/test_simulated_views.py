"""Simulated views: those of made-up customers only, the same for the same seed, recorded as real ones are."""

import io
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from feeds.loading import simulated_views
from feeds.loading.looking import chance_to_open, look, taste
from feeds.loading.simulated_views import some_moment
from feeds.models import Exposure, Outbox, Seen
from feeds.ranking.recording import RECORDING_LOCK, SEEN_KEPT_DAYS
from posts.models import Like, Opening
from social.models import Account, Follow
from tests.factories import AccountFactory
from tests.feeds.helpers import in_threads
from tests.ranking.helpers import different_menus

NOON = timezone.now().astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
DAY = NOON.date()


def told(*arguments, command="simulate_views"):
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.fixture
def platform(cast):
    """Eight customers, each of whom has long followed twelve cooks; menus of yesterday's small hours."""
    cooks = AccountFactory.create_batch(12, cook=True)
    customers = AccountFactory.build_batch(8)
    for customer in customers:
        customer.email = f"{customer.username}@seed.example"
    with transaction.atomic():
        Account.objects.bulk_create(customers)
        Follow.objects.bulk_create(
            Follow(follower=customer, followee=cook, created_at=NOON - timedelta(days=60))
            for customer in customers
            for cook in cooks
        )
    minutes = (timezone.now() - NOON).total_seconds() / 60 + 700
    different_menus([cook.pk for cook in cooks] * 2, begin_minutes_ago=minutes)
    return customers


def views():
    seen = sorted(
        (row.viewer_id, *entry)
        for row in Seen.objects.all()
        for entry in zip(row.post_ids, row.moments, strict=True)
    )
    return seen, *(
        sorted(model.objects.values_list("account_id", "post_id", at))
        for model, at in ((Opening, "at"), (Like, "created_at"))
    )


def forget():
    for model in (Seen, Exposure, Opening, Like):
        model.objects.all().delete()


class TestLooking:
    MENUS = [(n, n % 30) for n in range(1000, 1100)]

    def looked(self, seed=1, **changes):
        given = {"opened_before": (), "begin": 0.0, "end": 1e9} | changes
        return look(Random(seed), 7, self.MENUS, **given)

    def test_from_the_top_without_a_gap_and_in_time(self):
        for seed in range(50):
            looked = self.looked(seed)
            assert [post for post, _ in looked.seen] == [post for post, _ in self.MENUS[: len(looked.seen)]]
            moments = [at for _, at in looked.seen]
            assert moments == sorted(moments)
            seen_at = dict(looked.seen)
            assert all(at > seen_at[post] for post, at in looked.opened)
            opened_at = dict(looked.opened)
            assert all(at > opened_at[post] for post, at in looked.liked)

    def test_ever_fewer_go_on(self):
        depths = Counter(len(self.looked(seed).seen) for seed in range(1000))
        reach = [sum(count for depth, count in depths.items() if depth >= place) for place in (1, 5, 20, 60)]
        assert reach[0] == 1000 > reach[1] > reach[2] > reach[3]

    def test_never_past_the_end(self):
        looked = self.looked(3, end=5.0)
        assert all(at < 5 for acts in (looked.seen, looked.opened, looked.liked) for _, at in acts)

    def test_a_menu_is_opened_once_only(self):
        every = {post for post, _ in self.MENUS}
        assert not any(self.looked(seed, opened_before=every).opened for seed in range(50))

    def test_tastes_stay_and_decide(self):
        assert taste(7, 3) == taste(7, 3) != taste(7, 4)
        opened = Counter(post % 30 for seed in range(2000) for post, _ in self.looked(seed).opened)
        first = range(1000 % 30, 1000 % 30 + 8)  # cooks of the first places, whom nearly everybody reaches
        assert max(first, key=lambda n: opened[n]) in sorted(first, key=lambda n: taste(7, n))[-3:]
        assert min(first, key=lambda n: opened[n]) in sorted(first, key=lambda n: taste(7, n))[:3]

    def test_about_a_tenth_is_opened(self):
        chances = [chance_to_open(taste(viewer, cook)) for viewer in range(50) for cook in range(50)]
        assert 0.05 < sum(chances) / len(chances) < 0.15


class TestMoments:
    @pytest.mark.parametrize("zone", ["UTC", "America/Sao_Paulo", "Asia/Tokyo"])
    def test_most_come_at_lunch(self, settings, zone):
        settings.TIME_ZONE = zone
        begin = datetime(2026, 5, 31, tzinfo=UTC)
        end = begin + timedelta(days=1)
        moments = [some_moment(Random(n), begin, end) for n in range(500)]
        assert all(begin <= moment < end for moment in moments)
        assert sum(11 <= moment.astimezone(ZoneInfo(zone)).hour < 15 for moment in moments) > 250

    def test_before_lunch_at_any_time(self):
        begin = datetime(2026, 5, 31, tzinfo=UTC)
        end = begin + timedelta(hours=2)
        assert all(begin <= some_moment(Random(n), begin, end) < end for n in range(100))


class TestCommand:
    def test_it_records_what_it_says(self, platform):
        text = told("--day", DAY, "--sessions", 20)
        seen, opened, liked = views()
        assert f"Views of {DAY} (UTC). They are simulated" in text
        lines = {line.split()[0]: line.split()[1] for line in text.splitlines()}
        assert lines["Sessions"] == "20"
        assert [lines[name] for name in ("Seen", "Opened", "Liked")] == [
            str(len(rows)) for rows in (seen, opened, liked)
        ]
        assert len(seen) > 20
        assert opened
        made_up = {customer.pk for customer in platform}
        assert {row[0] for row in (*seen, *opened, *liked)} <= made_up
        assert all(moment.date() == DAY for *_, moment in (*opened, *liked))
        exposed = Exposure.objects.all()
        assert sum(row.impressions for row in exposed) == len(seen)
        assert sum(row.openings for row in exposed) == len(opened)
        # What it opened was seen before, and what it liked was opened.
        seen_at = {(viewer, post): at for viewer, post, at in seen}
        assert all(seen_at[viewer, post] <= at.timestamp() for viewer, post, at in opened)
        assert {row[:2] for row in liked} <= {row[:2] for row in opened}

    def test_likes_are_announced(self, platform):
        told("--sessions", 60)
        assert Like.objects.exists()
        announced = Outbox.objects.filter(kind="likes_changed").values_list("subject_id", "author_id")
        assert set(announced) == set(Like.objects.values_list("account_id", "post_id"))

    def test_the_same_seed_makes_the_same(self, platform):
        made = []
        for seed in (5, 5, 6):
            told("--day", DAY, "--sessions", 10, "--seed", seed)
            made.append(views())
            forget()
        assert made[0] == made[1] != made[2]

    def test_doing_it_twice_is_the_same_as_once(self, platform):
        told("--day", DAY, "--sessions", 10)
        before, exposed = views(), sorted(Exposure.objects.values_list())
        text = told("--day", DAY, "--sessions", 10)
        assert views() == before
        assert sorted(Exposure.objects.values_list()) == exposed
        assert [line.split()[:2] for line in text.splitlines()[2:5]] == [
            ["Seen", "0"],
            ["Opened", "0"],
            ["Liked", "0"],
        ]
        assert "more were known already" in text

    def test_the_replay_takes_it_up(self, platform, tmp_path):
        told("--day", DAY, "--sessions", 30)
        file = tmp_path / "replay.svg"
        text = told("--weights", "gravity=2", "--output", file, command="rank_replay")
        assert f"{DAY} (UTC)" in text
        assert "24 candidates a session" in text
        assert "Not replayed" not in text
        assert file.exists()

    def test_real_customers_are_left_alone(self, cast, platform):
        Account.objects.update(email="")
        with pytest.raises(CommandError, match="views of real customers are not made up"):
            told()
        assert views() == ([], [], [])

    def test_without_menus(self, cast):
        with pytest.raises(CommandError, match="There are no menus"):
            told()

    def test_a_day_without_menus(self, platform):
        with pytest.raises(CommandError, match=rf"There are no menus of .* newest are of {DAY}"):
            told("--day", DAY - timedelta(days=2))

    def test_a_day_of_which_nothing_is_kept(self, platform):
        with pytest.raises(CommandError, match="what was seen is kept for 8 days"):
            told("--day", DAY - timedelta(days=SEEN_KEPT_DAYS))

    def test_follows_that_came_later(self, platform):
        Follow.objects.update(created_at=timezone.now())
        with pytest.raises(CommandError, match="no customer followed a cook with menus by then"):
            told("--sessions", 3)

    def test_fewer_sessions_than_were_asked_for(self, platform, monkeypatch):
        monkeypatch.setattr(simulated_views, "_DRAWS", 1)
        Follow.objects.filter(follower__in=platform[:4]).update(created_at=timezone.now())
        text = told("--sessions", 40)
        assert "of 40: at other times nobody found a menu" in text

    def test_it_takes_turns_with_workers(self, platform, monkeypatch):
        monkeypatch.setattr(simulated_views, "_WAIT_SECONDS", 0.2)

        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [RECORDING_LOCK])
            with pytest.raises(CommandError, match="Somebody else records views"):
                in_threads([lambda: told("--sessions", 3)])
        assert views() == ([], [], [])
        assert "simulated" in told("--sessions", 3)

    def test_the_demo_and_a_seed_have_what_it_needs(self, stores):
        told(command="demo")
        told("--cooks", 5, "--customers", 20, "--follows", 2, "--top-cook", 15, command="seed_platform")
        day = (timezone.now() - timedelta(days=1)).astimezone(UTC).date()
        told("--day", day, "--sessions", 60)
        emails = Account.objects.filter(pk__in=Seen.objects.values("viewer_id")).values_list(
            "email", flat=True
        )
        assert {email.partition("@")[2] for email in emails} == {"demo.example", "seed.example"}
