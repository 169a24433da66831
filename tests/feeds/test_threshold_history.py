"""Who set the threshold and why, and who crossed it when."""

import pytest
from django.db import connection

from feeds.models import Crossing, FeedSettings, SettingsChange
from feeds.tasks import recount
from feeds.threshold import prune_crossings, set_threshold
from social.services import follow_account, unfollow_account
from tests.factories import AccountFactory, Cast

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_threshold_is_remembered_with_who_and_why(cast: Cast) -> None:
    set_threshold(50, by=cast.stef, reason="Lunch was late.")
    set_threshold(50, by=cast.stef, reason="The same again.")
    set_threshold(None)
    back, first = SettingsChange.objects.all()[:2]
    assert (first.field, first.new, first.by, first.by_name) == ("threshold", "50", cast.stef, "stef")
    assert first.reason == "Lunch was late."
    assert (back.old, back.new, back.by, back.by_name) == ("50", "default", None, "")


def test_crossing_by_follows_alone_is_written_down_with_times(cast: Cast) -> None:
    set_threshold(3)
    FeedSettings.objects.update(hysteresis=1)
    Crossing.objects.all().delete()
    sam, *others = cast.sam, AccountFactory(), AccountFactory(), AccountFactory()
    cook = AccountFactory(is_cook=True)
    for account in [sam, *others][:3]:
        follow_account(follower=account, followee_id=cook.pk)
    recount()
    unfollow_account(follower=sam, followee_id=cook.pk)
    recount()
    down, up = Crossing.objects.filter(author=cook).order_by("-id")
    assert (up.opened, up.followers, up.threshold) == (True, 3, 3)
    assert (down.opened, down.followers, down.threshold) == (False, 2, 3)
    assert up.at < down.at


def test_a_wider_hysteresis_keeps_who_loses_a_few(cast: Cast) -> None:
    set_threshold(4)
    cook = AccountFactory(is_cook=True)
    fans = [AccountFactory() for _ in range(4)]
    for fan in fans:
        follow_account(follower=fan, followee_id=cook.pk)
    recount()
    FeedSettings.objects.update(hysteresis=0.6)
    unfollow_account(follower=fans[0], followee_id=cook.pk)
    recount()
    assert Crossing.objects.filter(author=cook).count() == 1
    FeedSettings.objects.update(hysteresis=0.9)
    unfollow_account(follower=fans[1], followee_id=cook.pk)
    recount()
    assert [row.opened for row in Crossing.objects.filter(author=cook).order_by("id")] == [True, False]


def test_crossings_are_forgotten_after_a_season(cast: Cast) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE feeds_crossing SET at = now() - interval '89 days'")
        kept = Crossing.objects.count()
        assert kept  # maria is pulled
        assert prune_crossings() == 0
        cursor.execute("UPDATE feeds_crossing SET at = now() - interval '91 days'")
    assert prune_crossings() == kept
    assert not Crossing.objects.exists()
