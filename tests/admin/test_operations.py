"""What operators see of delivery, and what they do about it."""

import re
import time
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from feeds import stats
from feeds.lists import commands
from feeds.models import Outbox
from feeds.operating import get_flow, get_staffing
from feeds.outbox import reopen
from feeds.stats import count, hand_over
from social.models import Account
from tests.conftest import Worker, wait_for
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import keys_now, query_count, raw_sql, redis_down
from tests.feeds.test_found import broker_gone

Browse = Callable[[Account | None], Client]
PAGE, LIST = "/admin/feeds/operations/", "/admin/feeds/outbox/"


@pytest.fixture
def staff(cast: Cast, browse: Browse, settle: Callable[[], None]) -> Client:
    settle()
    cache.clear()
    return browse(cast.stef)


def text_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


class TestFlow:
    def test_backlog_and_lag_are_those_of_the_outbox(self, cast: Cast, settle: Callable[[], None]) -> None:
        settle()
        raw_sql("DELETE FROM feeds_outbox")
        now = timezone.now()
        # Minutes ago: made, done. The third still waits; the fourth was done before the hour began.
        for made, done in ((10.5, 8.5), (9.0, 8.6), (5.0, None), (90.0, 89.0)):
            row = Outbox.objects.create(kind="edited", subject_id=1)
            Outbox.objects.filter(pk=row.pk).update(
                created_at=now - timedelta(minutes=made),
                done_at=None if done is None else now - timedelta(minutes=done),
            )
        flow = get_flow()
        assert (flow.waiting, flow.cut, len(flow.minutes)) == (1, False, 60)
        assert flow.oldest == pytest.approx(300, abs=5)
        assert sum(minute.done for minute in flow.minutes) == 2
        assert flow.longest == pytest.approx(120, abs=1)
        for minute in flow.minutes:
            [(waited,)] = raw_sql(
                "SELECT count(*) FROM feeds_outbox WHERE created_at <= to_timestamp(%s)"
                " AND (done_at IS NULL OR done_at > to_timestamp(%s)) AND created_at > now() - interval '80 minutes'",
                min(minute.ends, time.time()), min(minute.ends, time.time()),
            )  # fmt: skip
            assert minute.backlog == waited

    def test_nothing_ever_happened(self, cast: Cast) -> None:
        raw_sql("DELETE FROM feeds_outbox")
        flow = get_flow()
        assert (flow.waiting, flow.oldest, flow.longest) == (0, 0, 0)


class TestPage:
    def test_it_says_whether_everything_is_delivered(self, staff: Client, cast: Cast) -> None:
        text = text_of(staff.get(PAGE))
        assert "Everything is delivered; the longest wait of the last hour was" in text
        assert "no worker answers" in text
        assert "No worker answered within a second." in text
        PostFactory(author=cast.ana)
        assert "1 change waits to be delivered, the oldest for" in text_of(staff.get(PAGE))

    def test_reads_and_hits_are_told(self, staff: Client) -> None:
        stats._counts.clear()
        for name, number in (("opens", 7), ("reads:stored", 6), ("reads:built", 2), ("memory:posts:hit", 30)):
            count(name, number)
        count("memory:posts:miss", 10)
        hand_over(at_once=True)
        text = text_of(staff.get(PAGE))
        assert "Feeds opened 7" in text
        assert "75.0 % stored, 25.0 % built, 0.0 % ranked, 0.0 % degraded" in text
        assert "In memory: posts" in text

    def test_the_fragment_is_asked_for_by_itself(self, staff: Client) -> None:
        whole, part = staff.get(PAGE), staff.get(PAGE, headers={"HX-Request": "true"})
        assert "<html" in whole.content.decode()
        assert "<html" not in part.content.decode()
        assert 'hx-trigger="every 10s"' in part.content.decode()

    def test_whatever_is_away_the_page_opens_and_says_so(self, staff: Client) -> None:
        with broker_gone():
            assert "The broker does not answer" in text_of(staff.get(PAGE))
        cache.clear()
        with redis_down():
            page = staff.get(PAGE)
            assert page.status_code == 200
            assert "The feed Redis is away" in text_of(page)

    def test_it_is_for_those_who_may_see_deliveries(self, cast: Cast, staff: Client, browse: Browse) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        assert browse(Account.objects.get(pk=cast.sam.pk)).get(PAGE).status_code == 403
        assert browse(None).get(PAGE).status_code == 302
        assert staff.post(PAGE).status_code == 405

    @pytest.mark.worker
    def test_a_worker_is_named_with_its_queues(
        self, staff: Client, start_worker: Callable[..., Worker]
    ) -> None:
        start_worker()
        wait_for(lambda: cache.clear() or get_staffing().workers)  # type: ignore[func-returns-value]
        text = text_of(staff.get(PAGE))
        assert "1 worker at it" in text
        assert "fanout 0" in text


class TestDeliveries:
    def test_a_row_says_how_far_a_menu_has_come(self, staff: Client, cast: Cast) -> None:
        for _ in range(3):
            FollowFactory(followee=cast.ana)
        Account.objects.filter(pk=cast.ana.pk).update(follower_count=4)
        post = PostFactory(author=cast.ana)
        row = Outbox.objects.get(kind="published", subject_id=post.pk)
        text = text_of(staff.get(LIST, {"q": post.pk}))
        assert "menu published" in text
        assert f"menu {post.pk} of @ana" in text
        assert "pushed to 0 of 4 followers" in text
        raw_sql("UPDATE feeds_outbox SET checkpoint = %s WHERE id = %s", cast.carla.pk, row.pk)
        assert "pushed to 1 of 4 followers" in text_of(staff.get(LIST, {"q": "@ana"}))
        Outbox.objects.filter(pk=row.pk).update(done_at=row.created_at + timedelta(seconds=3))
        text = text_of(staff.get(LIST, {"q": "@ana"}))
        assert "delivered to 4 followers" in text
        assert "3 s" in text
        assert text_of(staff.get(f"{LIST}{row.pk}/change/")).count("menu published") == 1

    def test_filters(self, staff: Client, cast: Cast) -> None:
        post = PostFactory(author=cast.ana)
        rows = Outbox.objects.filter(kind="published", subject_id=post.pk)
        for asked, update, seen in (
            ("no", {}, True), ("yes", {}, False), ("failed", {}, False),
            ("failed", {"last_error": "Connection refused"}, True),
            ("failed", {"last_error": "", "attempts": 3}, True),
            ("failed", {"attempts": 3, "done_at": timezone.now()}, False),
            ("yes", {}, True),
        ):  # fmt: skip
            if update:
                rows.update(**update)
            assert (f"menu {post.pk} " in text_of(staff.get(LIST, {"delivered": asked}))) is seen, (
                asked,
                update,
            )

    def test_delivering_again_begins_anew_and_is_logged(
        self, staff: Client, cast: Cast, settle: Callable[[], None]
    ) -> None:
        post = PostFactory(author=cast.ana)
        settle()
        keys = keys_now()
        rows = Outbox.objects.filter(kind="published", subject_id=post.pk)
        raw_sql("UPDATE feeds_outbox SET checkpoint = 999999 WHERE id = %s", rows.get().pk)
        response = staff.post(
            LIST, {"action": "deliver_again", "_selected_action": [rows.get().pk]}, follow=True
        )
        assert "To be delivered again: 1. A worker begins at once." in text_of(response)
        assert (rows.get().done_at, rows.get().checkpoint) == (None, 0)
        assert LogEntry.objects.first().change_message == "To be delivered again."
        settle()
        assert rows.get().done_at is not None
        assert commands.list_sizes(keys, [keys.feed(cast.carla.pk)]) is not None

    def test_of_rows_that_are_forgotten_that_is_said(self, staff: Client, cast: Cast) -> None:
        assert reopen([2**40]) == set()
        with broker_gone():
            post = PostFactory(author=cast.ana)
            row = Outbox.objects.get(kind="published", subject_id=post.pk)
            response = staff.post(
                LIST, {"action": "deliver_again", "_selected_action": [row.pk]}, follow=True
            )
        assert "The broker is away: the relay begins when it is back." in text_of(response)

    def test_viewers_may_not(self, staff: Client, cast: Cast, browse: Browse) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        cast.sam.user_permissions.add(Permission.objects.get(codename="view_outbox"))
        viewer = browse(Account.objects.get(pk=cast.sam.pk))
        row = Outbox.objects.first()
        assert viewer.get(LIST).status_code == 200
        assert viewer.post(LIST, {"action": "deliver_again", "_selected_action": [row.pk]}).status_code == 403

    def test_a_page_of_many_rows_costs_what_one_of_few_does(self, staff: Client, cast: Cast) -> None:
        PostFactory(author=cast.ana)
        staff.get(LIST)
        few = query_count(lambda: staff.get(LIST))
        for _ in range(45):
            PostFactory(author=AccountFactory(cook=True))
        assert (
            query_count(lambda: staff.get(LIST)) <= few + 20
        )  # of twenty that wait the followers are counted


def test_the_audit_log_says_who_did_what(staff: Client, cast: Cast) -> None:
    staff.post(LIST, {"action": "deliver_again", "_selected_action": [Outbox.objects.first().pk]})
    text = text_of(staff.get("/admin/admin/logentry/"))
    assert "@stef" in text
    assert "To be delivered again." in text
    assert "No entry" not in text
    assert text_of(staff.get("/admin/admin/logentry/", {"q": "nobody"})).count("@stef") < text.count("@stef")
