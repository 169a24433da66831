"""Moving the threshold as staff do: looking, preview, save with a reason, progress, undo."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from courtyard.roles import OPERATORS, VIEWERS
from feeds.models import Crossing, FeedSettings, PulledAuthor, SettingsChange
from feeds.threshold import current_threshold, set_threshold, settling_seconds
from social.models import Account
from tests.factories import THRESHOLD, AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import query_count, redis_down

Browse = Callable[[Account | None], Client]
PAGE = "/admin/feeds/feedsettings/1/change/"
PROGRESS = "/admin/feeds/feedsettings/1/progress/"


@pytest.fixture
def staff(cast: Cast, browse: Browse) -> Client:
    PostFactory(author=cast.ana)
    cache.clear()
    return browse(cast.stef)


def values(page: Any, **changed: Any) -> dict[str, Any]:
    """What the page's form would send."""
    form = page.context["form"]
    sent = (
        {name: form.initial.get(name, "") for name in form.fields} | {"reason": "Lunch was late."} | changed
    )
    return {name: "" if value is None else value for name, value in sent.items()}


def preview(staff: Client, **changed: Any) -> Any:
    return staff.post(PAGE, values(staff.get(PAGE), **changed))


def save(staff: Client, **changed: Any) -> Any:
    return staff.post(PAGE, values(staff.get(PAGE), **changed) | {"save": "yes"}, follow=True)


def text_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


class TestChanging:
    def test_a_preview_says_who_moves_and_saves_nothing(self, staff: Client, cast: Cast) -> None:
        text = text_of(preview(staff, threshold=1))
        assert "threshold: 2 → 1. Nothing is saved yet." in text
        assert "1 cook becomes pulled @ana 1 followers" in text
        assert "0 cooks are pushed again Nobody." in text
        assert current_threshold() == THRESHOLD
        assert not SettingsChange.objects.filter(reason="Lunch was late.").exists()
        text = text_of(preview(staff, threshold=1000))
        assert "0 cooks become pulled" in text
        assert "1 cook is pushed again @maria 2 followers" in text

    def test_saving_brings_it_into_force_and_is_remembered(self, staff: Client, cast: Cast) -> None:
        response = save(staff, threshold=1)
        assert "Saved." in text_of(response)
        assert "Cooks with 1 follower or more are pulled: 2 of 2." in text_of(response)
        assert PulledAuthor.objects.filter(author=cast.ana, until_id=None).exists()
        change = SettingsChange.objects.first()
        assert change is not None
        assert (change.by, change.field, change.old, change.new) == (cast.stef, "threshold", "2", "1")
        assert LogEntry.objects.first().change_message == "threshold changed: Lunch was late."
        assert "@stef threshold: 2 → 1 Lunch was late." in text_of(response)
        assert "@ana pulled 1 1" in text_of(response)

    def test_undo_begins_with_what_was_before(self, staff: Client) -> None:
        save(staff, threshold=1)
        undo = re.search(r'href="([^"]+\?undo=\d+)#settings"', staff.get(PAGE).content.decode())
        assert undo
        page = staff.get(undo[1])
        sent = values(page) | {"reason": page.context["form"].initial["reason"], "save": "yes"}
        assert sent["reason"] == "Undo: Lunch was late."
        staff.post(PAGE, sent)
        assert current_threshold() == THRESHOLD
        newest = SettingsChange.objects.first()
        assert (newest.old, newest.new, newest.reason) == ("1", "2", "Undo: Lunch was late.")

    def test_none_is_the_default_and_can_be_undone(self, staff: Client) -> None:
        save(staff, threshold="")
        assert current_threshold() == django_settings.FANOUT_THRESHOLD
        save(staff, threshold=7)
        page = staff.get(PAGE, {"undo": SettingsChange.objects.first().pk})
        assert page.context["form"].initial["threshold"] is None

    def test_the_other_settings_too(self, staff: Client) -> None:
        save(staff, hysteresis=0.7, freshness_target=2.5, read_budget=20)
        row = FeedSettings.objects.get()
        assert (row.hysteresis, row.freshness_target, row.read_budget) == (0.7, 2.5, 20)
        assert {change.field for change in SettingsChange.objects.filter(reason="Lunch was late.")} == {
            "hysteresis", "freshness_target", "read_budget",
        }  # fmt: skip
        assert current_threshold() == THRESHOLD

    @pytest.mark.parametrize(
        ("changed", "field"),
        [
            *(
                ({"threshold": value}, "threshold")
                for value in ("0", "-1", "abc", "1.5", "2147483648", "9" * 30)
            ),
            ({"hysteresis": "0.4"}, "hysteresis"),
            ({"hysteresis": "1.1"}, "hysteresis"),
            ({"hysteresis": ""}, "hysteresis"),
            ({"freshness_target": "0"}, "freshness_target"),
            ({"freshness_target": "nan"}, "freshness_target"),
            ({"read_budget": "1e9"}, "read_budget"),
            ({"threshold": "5", "reason": ""}, "reason"),
            ({"threshold": "5", "reason": " \u200b "}, "reason"),
            ({"threshold": "5", "reason": "x" * 301}, "reason"),
            ({"seen": ""}, "seen"),
            ({}, "__all__"),  # nothing is different
        ],
    )
    @pytest.mark.parametrize("step", [{}, {"save": "yes"}], ids=["preview", "save"])
    def test_nonsense_is_refused_and_all_stays(
        self, staff: Client, changed: dict[str, Any], field: str, step: dict[str, str]
    ) -> None:
        response = staff.post(PAGE, values(staff.get(PAGE), **changed) | step)
        assert response.status_code == 400
        assert list(response.context["form"].errors) == [field]
        assert current_threshold() == THRESHOLD
        assert not SettingsChange.objects.filter(reason="Lunch was late.").exists()

    def test_of_two_who_look_at_the_same_the_second_is_told_what_the_first_did(
        self, staff: Client, cast: Cast
    ) -> None:
        looked = values(staff.get(PAGE), threshold=50) | {"save": "yes"}
        set_threshold(9, by=cast.stef, reason="Faster.")
        text = text_of(staff.post(PAGE, looked, follow=True))
        assert "Nothing was saved: @stef has just set threshold to 9 (Faster.)." in text
        assert current_threshold() == 9

    def test_there_is_one_row_and_it_stays(self, staff: Client) -> None:
        assert staff.get("/admin/feeds/feedsettings/", follow=True).redirect_chain[-1][0] == PAGE
        assert staff.get("/admin/feeds/feedsettings/2/change/", follow=True).redirect_chain[-1][0] == PAGE
        assert staff.get("/admin/feeds/feedsettings/add/").status_code == 403
        assert staff.post("/admin/feeds/feedsettings/1/delete/", {"post": "yes"}).status_code == 403


class TestProgress:
    def test_it_is_told_until_all_is_in_force(self, staff: Client, cast: Cast) -> None:
        save(staff, threshold=1)
        text = text_of(staff.get(PROGRESS))
        assert "Coming into force. All cooks have crossed." in text
        assert "hx-get" in staff.get(PROGRESS).content.decode()
        FeedSettings.objects.update(threshold=3)  # as between saving and the next run of beat
        assert "2 cooks have still to cross" in text_of(staff.get(PROGRESS))
        FeedSettings.objects.update(threshold=1)
        past = timezone.now() - timedelta(seconds=settling_seconds() + 1)
        FeedSettings.objects.update(threshold_set_at=past)
        page = staff.get(PROGRESS).content.decode()
        assert "In force everywhere since" in page
        assert "hx-get" not in page


class TestWhoMay:
    @pytest.fixture(autouse=True)
    def roles(self, stores: None) -> None:
        """As a migrate leaves them."""
        call_command("migrate", verbosity=0)

    def test_viewers_look_and_are_refused_every_change(
        self, staff: Client, cast: Cast, browse: Browse
    ) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        cast.sam.groups.add(Group.objects.get(name=VIEWERS))
        viewer = browse(Account.objects.get(pk=cast.sam.pk))
        page = viewer.get(PAGE)
        assert page.status_code == 200
        assert "You may look at these, and not change them." in text_of(page)
        assert page.context["form"] is None
        assert "Undo" not in text_of(page)
        sent = values(staff.get(PAGE), threshold=1)
        for step in ({}, {"save": "yes"}, {"measure": "yes"}):
            assert viewer.post(PAGE, sent | step).status_code == 403
        assert current_threshold() == THRESHOLD

    def test_operators_may(self, staff: Client, cast: Cast, browse: Browse) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        cast.sam.groups.add(Group.objects.get(name=OPERATORS))
        save(browse(Account.objects.get(pk=cast.sam.pk)), threshold=1)
        assert current_threshold() == 1

    def test_others_do_not_get_in(self, staff: Client, cast: Cast, browse: Browse) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        for who, status in ((cast.carla, 302), (None, 302), (Account.objects.get(pk=cast.sam.pk), 403)):
            client = browse(who)
            for answer in (client.get(PAGE), client.get(PROGRESS), client.post(PAGE, {"threshold": "1"})):
                assert answer.status_code == status
        assert current_threshold() == THRESHOLD


class TestFigures:
    """Against SQL that is written here."""

    @pytest.fixture
    def platform(self, staff: Client, cast: Cast) -> Client:
        """Five cooks with 0 to 8 followers, of whom some were here and some never."""
        cooks = [AccountFactory(cook=True) for _ in range(5)]
        for n, cook in enumerate(cooks):
            for fan in range(2 * n):
                FollowFactory(follower=fans(fan), followee=cook)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE social_account a SET follower_count ="
                " (SELECT count(*) FROM social_follow WHERE followee_id = a.id)"
            )
        PostFactory.create_batch(3, author=cooks[4])
        PostFactory(author=cooks[1])
        cache.clear()
        return staff

    @pytest.mark.parametrize("threshold", [1, 2, 5, 8, 9])
    def test_the_ladder_agrees_with_sql(self, platform: Client, threshold: int) -> None:
        page = platform.get(PAGE, {"number": threshold})
        [row] = [
            row
            for row in page.context["rows"]
            if "tried" in row["mark"] or row["cells"][0] == f"{threshold:,}"
        ]
        cells = dict(zip(page.context["ladder_head"], row["cells"], strict=True))
        assert cells["Cooks pulled"] == sql("count(*)", f"follower_count >= {threshold}")
        assert cells["Largest push job"] == sql(
            "coalesce(max(follower_count), 0)", f"follower_count < {threshold}"
        )
        [(pushes, everything)] = rows(
            f"""SELECT coalesce(sum(a.follower_count) FILTER (WHERE a.follower_count < {threshold}), 0),
                       sum(a.follower_count)
                FROM posts_post p JOIN social_account a ON a.id = p.author_id"""
        )
        assert cells["Of push-all"] == f"{100 * pushes / everything:.1f} %"
        [(active,)] = rows(
            """SELECT avg(coalesce(v.last_seen > now() - interval '14 days', false)::int) FROM social_follow f
               JOIN social_account v ON v.id = f.follower_id JOIN social_account a ON a.id = f.followee_id
               WHERE a.is_cook"""
        )
        assert cells["Push writes a day"] == f"{float(pushes) * float(active):,.0f}"
        counts = [
            row[0]
            for row in rows(
                f"""SELECT count(*) FILTER (WHERE a.follower_count >= {threshold}) AS pulls FROM social_follow f
                    JOIN social_account a ON a.id = f.followee_id WHERE a.is_cook
                    GROUP BY f.follower_id ORDER BY pulls"""
            )
        ]
        assert cells["Pulls a read"] == f"{sum(counts) / len(counts):.2f}"
        assert cells["One read in 100 pulls"] == str(counts[int(len(counts) * 0.99)])

    def test_everything_that_was_measured_is_said(self, platform: Client) -> None:
        text = text_of(platform.get(PAGE))
        for words in (
            "Suggested:",
            "The deadline One worker pushes",
            "The caches A pulled cook costs each web process",
            "How long the largest push job takes",
            "How cooks are followed",
            "Menus a day, by followers of their cooks",
            "FEED_LENGTH 500 ids",
            "Followers of a cook median",
            "none were counted yet",
        ):
            assert words in text, words

    def test_measuring_leaves_nothing_behind(self, platform: Client, feed_redis: Any) -> None:
        before = set(feed_redis.keys("*scratch*"))
        assert "Measured anew." in text_of(platform.post(PAGE, {"measure": "yes"}, follow=True))
        assert set(feed_redis.keys("*scratch*")) == before == set()

    def test_a_page_that_was_measured_costs_few_queries(self, platform: Client) -> None:
        platform.get(PAGE)
        few = query_count(lambda: platform.get(PAGE))
        for _ in range(10):
            FollowFactory(followee=AccountFactory(cook=True))
        assert query_count(lambda: platform.get(PAGE)) == few <= 30

    def test_nobody_cooks_yet(self, staff: Client) -> None:
        Account.objects.update(is_cook=False)
        Crossing.objects.all().delete()
        cache.clear()
        text = text_of(staff.get(PAGE))
        assert "There are no cooks yet, so that any threshold does." in text

    def test_without_redis_the_page_opens_and_says_so(self, staff: Client) -> None:
        with redis_down():
            page = staff.get(PAGE)
            assert page.status_code == 200
            assert "Not everything could be measured" in text_of(page)
            assert page.context["form"] is not None
            assert staff.post(PAGE, {"measure": "yes"}).status_code == 302
        text = text_of(staff.get(PAGE))
        assert "Suggested:" in text

    @pytest.mark.parametrize("asked", ["0", "-1", "x", "9" * 40, "1.5", ""])
    def test_nonsense_to_try_is_told_and_harmless(self, staff: Client, asked: str) -> None:
        page = staff.get(PAGE, {"number": asked})
        assert page.status_code == 200
        assert page.context["try_form"].errors

    @pytest.mark.parametrize("asked", ["0", "x", "9" * 40, "-1"])
    def test_nonsense_to_undo_is_harmless(self, staff: Client, asked: str) -> None:
        assert staff.get(PAGE, {"undo": asked}).status_code == 200


def fans(number: int) -> Account:
    """The same account for the same number; every third was never here."""
    found = Account.objects.filter(username=f"fan{number}").first()
    return found or AccountFactory(username=f"fan{number}", away=number % 3 == 0)


def rows(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def sql(what: str, where: str) -> str:
    return f"{rows(f'SELECT {what} FROM social_account WHERE is_cook AND is_active AND {where}')[0][0]:,}"
