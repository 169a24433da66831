"""The page of an account's feed: what it says, what it costs, and its buttons."""

import html
import re
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.contrib.admin.models import LogEntry
from django.db import connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from feeds.admin import account_feed, accounts, parts
from feeds.epoch import current_epoch
from feeds.fanout import fan_out
from feeds.models import Crossing, PulledAuthor
from feeds.reference import reference_feed_ids
from feeds.threshold import set_threshold
from posts.ids import time_of
from posts.services import hide_post
from social.models import Account, Follow
from social.services import deactivate_account
from social.times import staff_time
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import keys_now, past_posts, query_count, raw_sql, redis_down, warm

Browse = Callable[[Account | None], Client]
Settle = Callable[[], None]


@pytest.fixture
def staff(cast: Cast, browse: Browse) -> Client:
    return browse(cast.stef)


def address(name: str, account: Account) -> str:
    return reverse(f"admin:account-{name}", args=[account.pk])


def read(client: Client, where: str) -> str:
    """The page as text of one line, without tags."""
    response = client.get(where)
    assert response.status_code == 200
    return plain(response)


def plain(response: Any) -> str:
    """What is within <main>, without tags."""
    body = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def ask(client: Client, account: Account) -> str:
    return read(client, address("feed", account))


# --- What it says --------------------------------------------------------------------------------------------------


class TestAnswer:
    def test_a_warm_feed(self, cast: Cast, staff: Client, settle: Settle) -> None:
        PostFactory(author=cast.ana)
        settle()
        warm(cast.carla)
        said = ask(staff, cast.carla)
        assert (
            "The feed of @carla is stored, complete down to the first menu ever;"
            " its newest menu equals the reference."
        ) in said
        assert "Stored in Redis 1 menu," in said
        assert "It follows 2 accounts" in said
        assert "Yes: its last visit was within 14 days." in said

    def test_a_cold_feed_is_not_stored_by_looking(
        self, cast: Cast, staff: Client, settle: Settle, feed_redis: redis.Redis
    ) -> None:
        PostFactory(author=cast.ana)
        settle()
        Account.objects.filter(pk=cast.carla.pk).update(last_seen=timezone.now() - timedelta(days=31))
        said = ask(staff, cast.carla)
        assert (
            "is not stored: the last visit was 31 days ago, and the next one builds it; its newest menu"
            in said
        )
        assert "No: its last visit was longer than 14 days ago." in said
        assert not feed_redis.exists(keys_now().feed(cast.carla.pk))
        seen = Account.objects.get(pk=cast.carla.pk).last_seen
        assert seen is not None
        assert timezone.now() - seen > timedelta(days=30)

    def test_an_account_that_is_off(self, cast: Cast, staff: Client) -> None:
        deactivate_account(cast.carla.pk)
        said = ask(staff, cast.carla)
        assert "@carla is deactivated by its owner, and so has no feed." in said
        assert "No: the account is off." in said

    def test_who_follows_nobody_with_own_menus_and_without(self, cast: Cast, staff: Client) -> None:
        said = ask(staff, cast.sam)
        assert "it is empty, as by the reference" in said
        assert "It follows Nobody: only its own menus" in said
        PostFactory(author=cast.ana)
        Follow.objects.filter(follower=cast.ana).delete()
        warm(cast.ana)
        assert re.search(r"@ana \d+ \w+ 2026|own", ask(staff, cast.ana))
        assert "its newest menu equals the reference" in ask(staff, cast.ana)

    def test_a_private_account(self, cast: Cast, staff: Client) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
        assert "seen only by followers that it has let in" in ask(staff, cast.ana)

    def test_no_such_account(self, staff: Client) -> None:
        for number in ("0", "999999999", "9" * 19, "9" * 40):
            assert staff.get(f"/admin/feeds/accounts/{number}/").status_code == 404


def rows_of(client: Client, account: Account) -> list[tuple[int, str, bool, bool]]:
    """(id, where it is from, whether it is in the reference, whether it is marked) of each row of the first table."""
    body = client.get(address("feed", account)).content.decode().partition("beside the reference</h2>")[2]
    found = []
    for row in re.findall(r'<tr role="row"[^>]*>\s*<td.*?</tr>', body.partition("</table>")[0], re.S):
        [post_id] = re.findall(r"/posts/post/(\d+)/", row)
        origin = re.findall(r'data-label="In the feed">(.*?)</td>', row, re.S)[0]
        wanted = re.findall(r'data-label="In the reference">(.*?)</td>', row, re.S)[0]
        found.append(
            (int(post_id), re.sub("<.*?>", "", origin).strip(), wanted == "yes", "cy-differs" in row)
        )
    return found


class TestRows:
    def test_each_says_where_it_comes_from(self, cast: Cast, staff: Client, settle: Settle) -> None:
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        Account.objects.filter(pk=cast.carla.pk).update(is_cook=True)
        cast.carla.refresh_from_db()
        settle()
        warm(cast.carla)
        pushed, pulled, own = (PostFactory(author=author) for author in (cast.ana, cast.maria, cast.carla))
        settle()
        last = PostFactory(author=cast.ana)
        assert rows_of(staff, cast.carla) == [
            (last.pk, "overlay", True, False),
            (own.pk, "own", True, False),
            (pulled.pk, "pulled", True, False),
            (pushed.pk, "pushed", True, False),
        ]

    def test_only_the_newest_twenty(self, cast: Cast, staff: Client) -> None:
        ids = past_posts([cast.ana.pk] * 30)
        assert [row[0] for row in rows_of(staff, cast.carla)] == ids[::-1][:20]
        newest = raw_sql("SELECT id FROM posts_post ORDER BY id DESC LIMIT 20")
        assert [row[0] for row in rows_of(staff, cast.carla)] == [row[0] for row in newest]

    def test_a_lost_id_is_marked_here_and_found_by_the_comparison_and_gone_when_built_anew(
        self, cast: Cast, staff: Client, settle: Settle, feed_redis: redis.Redis
    ) -> None:
        settle()
        warm(cast.carla)
        lost, kept = PostFactory(author=cast.ana), PostFactory(author=cast.ana)
        settle()
        feed_redis.zrem(keys_now().feed(cast.carla.pk), lost.pk)
        assert "it differs from the reference: 1 menu is missing" in ask(staff, cast.carla)
        assert rows_of(staff, cast.carla) == [
            (kept.pk, "pushed", True, False),
            (lost.pk, "no: missing in the feed", True, True),
        ]
        said = plain(staff.post(address("compare", cast.carla)))
        assert f"differs from the reference: viewer {cast.carla.pk}: 1 missing (first: {lost.pk})." in said
        assert "by the rules it belongs into the feed" in said
        answer = staff.post(address("rebuild", cast.carla), follow=True)
        assert "What was stored of the feed of @carla is deleted." in plain(answer)
        assert "its newest 2 menus equal the reference" in plain(answer)
        warm(cast.carla)
        assert "is stored, complete" in ask(staff, cast.carla)
        assert "All 2 menus of the feed of @carla equal" in plain(staff.post(address("compare", cast.carla)))


def drawn_table(client: Client, account: Account) -> list[list[str]]:
    """The rows of the table beside the drawing."""
    body = (
        client.get(address("feed", account))
        .content.decode()
        .partition("<figure")[2]
        .partition("</figure>")[0]
    )
    assert "<svg" in body
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
    return [row for row in cells if row][1:]


# --- As a cook -----------------------------------------------------------------------------------------------------


class TestCook:
    def test_new_followers_by_day_are_those_of_an_independent_query(
        self, cast: Cast, browse: Browse, settings: Any
    ) -> None:
        settings.TIME_ZONE = "America/Sao_Paulo"
        now = timezone.now()
        midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
        for days in (0, 0, 1, 5, 29, 30, 400):
            for moment in (midnight - timedelta(days=days), midnight - timedelta(days=days, seconds=1)):
                follow = Follow.objects.create(follower=AccountFactory(), followee=cast.ana)
                Follow.objects.filter(pk=follow.pk).update(created_at=moment)
        growth = account_feed.get_growth(cast.ana.pk, now=now)
        by_sql = raw_sql(
            "SELECT d::date, (SELECT count(*) FROM social_follow WHERE followee_id = %s"
            " AND timezone('America/Sao_Paulo', created_at)::date = d::date)"
            " FROM generate_series(timezone('America/Sao_Paulo', now())::date - 29,"
            " timezone('America/Sao_Paulo', now())::date, interval '1 day') d",
            cast.ana.pk,
        )
        assert growth.days == by_sql
        assert len(growth.days) == 30
        assert growth.total == 10
        assert drawn_table(browse(cast.stef), cast.ana) == [[f"{d.day} {d:%b}", str(n)] for d, n in by_sql]
        assert not growth.cut

    def test_a_cut_count_says_so(self, cast: Cast, staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        full = account_feed.get_growth
        monkeypatch.setattr(account_feed, "get_growth", lambda pk, now: full(pk, now=now, most=2))
        assert "2 new followers in 30 days." in ask(staff, cast.maria)
        assert "the first days may lack some" in ask(staff, cast.maria)
        assert "the first days may lack some" not in ask(staff, cast.ana)

    def test_the_interval_and_the_crossings(self, cast: Cast, staff: Client) -> None:
        said = ask(staff, cast.maria)
        opened = Crossing.objects.get(author=cast.maria)
        assert f"{staff_time(opened.at)} Pulled from then on (2 followers, threshold 2)" in said
        assert "Pulled since" in said
        set_threshold(100)
        said = ask(staff, cast.maria)
        interval = PulledAuthor.objects.get(author=cast.maria)
        assert f"Pushed again since {staff_time(time_of(interval.until_id or 0))}" in said
        assert "Pushed from then on (2 followers, threshold 100)" in said
        assert "was never pulled" in ask(staff, cast.ana)

    def test_how_her_menus_came_with_a_way_to_their_deliveries(
        self, cast: Cast, staff: Client, settle: Settle
    ) -> None:
        done = PostFactory(author=cast.ana)
        fan_out(done.pk, "test", lambda post_id: None)
        waiting, hidden = PostFactory(author=cast.ana), PostFactory(author=cast.ana)
        hide_post(post_id=hidden.pk)
        body = staff.get(address("feed", cast.ana)).content.decode().partition("Its newest menus</h3>")[2]
        rows = dict(re.findall(r'/posts/post/(\d+)/.*?data-label="How">(.*?)</td>', body, re.S))
        assert rows[str(done.pk)] == "Pushed to 1 follower"
        assert rows[str(waiting.pk)] == "On its way: pushed to 0 of 1 follower"
        assert rows[str(hidden.pk)].startswith("Hidden by staff since ")
        for post in (done, waiting, hidden):
            assert staff.get(f"/admin/feeds/outbox/?q={post.pk}").status_code == 200
            assert f'href="/admin/feeds/outbox/?q={post.pk}"' in body


# --- When something is away ----------------------------------------------------------------------------------------


class TestAway:
    def test_without_redis(self, cast: Cast, staff: Client) -> None:
        PostFactory(author=cast.ana)
        with redis_down():
            said = ask(staff, cast.carla)
            assert "cannot be looked at where it is stored" in said
            assert "its newest menu equals the reference" in said
            assert "Stored in Redis The feed Redis is away" in said
            answer = staff.post(address("rebuild", cast.carla), follow=True)
            assert "nothing was deleted" in plain(answer)
        assert not LogEntry.objects.exists()

    def test_a_slow_postgresql_holds_up_no_page(
        self, cast: Cast, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        PostFactory(author=cast.ana)
        monkeypatch.setattr(parts.Parts.__init__, "__defaults__", (1.0, 0.3))
        locked, done = threading.Event(), threading.Event()

        def lock() -> None:
            with transaction.atomic():
                raw_sql("LOCK TABLE social_follow")
                locked.set()
                done.wait(20)
            connections.close_all()

        thread = threading.Thread(target=lock, daemon=True)
        thread.start()
        try:
            assert locked.wait(10)
            begun = time.monotonic()
            said = ask(staff, cast.carla)
            assert time.monotonic() - begun < 4
            assert "PostgreSQL did not answer within 0.3 s." in said
            begun = time.monotonic()
            monkeypatch.setattr(accounts, "COMPARING_SECONDS", 0.4)
            answer = plain(staff.post(address("compare", cast.carla), follow=True))
            assert time.monotonic() - begun < 6
            assert f"bin/manage verify_feeds --account {cast.carla.pk}" in answer
        finally:
            done.set()
            thread.join(10)
        assert "its newest menu equals the reference" in ask(staff, cast.carla)

    def test_no_statement_after_the_page_is_bounded(self, cast: Cast, staff: Client) -> None:
        before = raw_sql("SHOW statement_timeout")
        ask(staff, cast.carla)
        assert raw_sql("SHOW statement_timeout") == before


# --- Buttons -------------------------------------------------------------------------------------------------------


class TestCompare:
    def test_a_feed_that_is_too_long_gets_the_command(
        self, cast: Cast, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        past_posts([cast.ana.pk] * 4)
        for most, refused in ((4, False), (3, True)):
            monkeypatch.setattr(accounts, "MOST_COMPARED", most)
            said = plain(staff.post(address("compare", cast.carla), follow=True))
            command = f"more than {most} menus, too many for a page. Run: bin/manage verify_feeds --account"
            assert (command in said) is refused
            assert ("All 4 menus of the feed of @carla equal the reference" in said) is not refused

    def test_one_at_a_time(self, cast: Cast, staff: Client) -> None:
        with accounts._comparing:
            said = plain(staff.post(address("compare", cast.carla), follow=True))
        assert "Another comparison is running." in said
        assert "is empty, as by the reference" in plain(staff.post(address("compare", cast.carla)))

    def test_who_is_off_has_none(self, cast: Cast, staff: Client) -> None:
        deactivate_account(cast.carla.pk)
        assert "@carla is off, and so has no feed." in plain(staff.post(address("compare", cast.carla)))


class TestWhy:
    def test_it_says_what_feed_doctor_says(self, cast: Cast, staff: Client, settle: Settle) -> None:
        post, strange = PostFactory(author=cast.ana), PostFactory(author=AccountFactory(cook=True))
        settle()
        warm(cast.carla)
        said = read(staff, f"{address('why', cast.carla)}?menu={post.pk}")
        assert f"@carla sees menu {post.pk}, and that is right." in said
        assert "Stored feed holds it, floor 0, complete there" in said
        said = read(staff, f"{address('why', cast.carla)}?menu= {strange.pk} ")
        assert f"@carla does not see menu {strange.pk}, and that is right." in said
        assert "What does not hold: own, or followed." in said
        assert "Own, or followed no : not followed" in said

    def test_a_menu_that_is_lost(
        self, cast: Cast, staff: Client, settle: Settle, feed_redis: redis.Redis
    ) -> None:
        settle()
        warm(cast.carla)
        lost = PostFactory(author=cast.ana)
        PostFactory(author=cast.ana)
        settle()
        feed_redis.zrem(keys_now().feed(cast.carla.pk), lost.pk)
        said = read(staff, f"{address('why', cast.carla)}?menu={lost.pk}")
        assert "but by the rules it belongs into the feed" in said

    @pytest.mark.parametrize("menu", ["", "0", "abc", "-1", "9" * 30, "\x00", "1.5"])
    def test_what_is_no_id(self, cast: Cast, staff: Client, menu: str) -> None:
        response = staff.get(address("why", cast.carla), {"menu": menu})
        assert response.status_code == 200
        assert "Type the id of a menu" in plain(response)

    def test_a_menu_that_never_was_and_a_viewer_who_is_off(self, cast: Cast, staff: Client) -> None:
        assert "never written, or deleted" in read(staff, f"{address('why', cast.carla)}?menu=1")
        deactivate_account(cast.carla.pk)
        assert "cannot sign in, and so has no feed" in read(staff, f"{address('why', cast.carla)}?menu=1")

    def test_the_oldest_menu_costs_what_the_newest_does(self, cast: Cast, staff: Client) -> None:
        ids = past_posts([cast.ana.pk] * 1500)
        where = address("why", cast.carla)
        warm(cast.carla)
        counts = []
        for post_id in (ids[0], ids[-1], ids[0], ids[-1]):
            counts.append(query_count(lambda post_id=post_id: read(staff, f"{where}?menu={post_id}")))
            assert f"@carla sees menu {post_id}, and that is right." in read(staff, f"{where}?menu={post_id}")
        assert max(counts[2:]) - min(counts[2:]) <= 3


class TestRebuild:
    def test_it_deletes_what_is_stored_and_is_written_down(
        self, cast: Cast, staff: Client, settle: Settle, feed_redis: redis.Redis
    ) -> None:
        settle()
        warm(cast.carla)
        keys = keys_now()
        names = [keys.feed(cast.carla.pk), keys.timeline(cast.carla.pk), keys.follows(cast.carla.pk)]
        assert feed_redis.exists(*names) == 3
        staff.post(address("rebuild", cast.carla))
        assert feed_redis.exists(*names) == 0
        [entry] = LogEntry.objects.all()
        assert (entry.user.username, entry.object_id) == ("stef", str(cast.carla.pk))
        assert entry.change_message == "Stored feed deleted; the next visit builds it."

    def test_all_feeds_take_a_reason(self, cast: Cast, staff: Client) -> None:
        before, where = current_epoch(), reverse("admin:rebuild-all-feeds")
        assert "each viewer's next visit builds its feed" in read(staff, where)
        assert "Must not be empty." in plain(staff.post(where, {"answered": "yes", "reason": " "}))
        assert staff.post(where).status_code == 200
        assert (current_epoch(), LogEntry.objects.count()) == (before, 0)
        answer = staff.post(where, {"answered": "yes", "reason": "A backup was restored."}, follow=True)
        assert "each feed is built anew" in answer.content.decode()
        assert current_epoch() == before + 1
        assert LogEntry.objects.get().change_message == "All feeds to be built anew: A backup was restored."

    def test_the_page_offers_what_one_may_do(self, cast: Cast, browse: Browse) -> None:
        from django.contrib.auth.models import Permission

        clerk = AccountFactory(is_staff=True)
        see = ["view_account", "view_post", "view_feedsettings"]
        clerk.user_permissions.set(Permission.objects.filter(codename__in=see))
        body = browse(clerk).get(address("feed", cast.carla)).content.decode()
        assert not [word for word in ("compare/", "rebuild/", "/feeds/rebuild/") if word in body]
        clerk.user_permissions.add(*Permission.objects.filter(codename__in=["verify_feeds", "rebuild_feeds"]))
        body = browse(clerk).get(address("feed", cast.carla)).content.decode()
        assert [word for word in ("compare/", "rebuild/", "/feeds/rebuild/") if word in body] == [
            "compare/", "rebuild/", "/feeds/rebuild/",
        ]  # fmt: skip


# --- What it costs -------------------------------------------------------------------------------------------------


def test_five_thousand_follows_and_two_thousand_menus_cost_as_many_queries_as_few(
    cast: Cast, staff: Client
) -> None:
    PostFactory(author=cast.ana)
    for account in (cast.carla, cast.ana):
        ask(staff, account)  # what a process remembers for good
    few = [query_count(lambda account=account: ask(staff, account)) for account in (cast.carla, cast.ana)]
    cooks = Account.objects.bulk_create(AccountFactory.build_batch(5000, cook=True))
    with transaction.atomic():
        raw_sql("SET LOCAL courtyard.bulk_load = 'on'")
        Follow.objects.bulk_create(Follow(follower=cast.carla, followee=cook) for cook in cooks)
        Follow.objects.bulk_create(Follow(follower=cook, followee=cast.ana) for cook in cooks)
    past_posts([cook.pk for cook in cooks[:1000]] + [cast.ana.pk] * 1000, minutes_apart=0.1)
    raw_sql("ANALYZE social_follow, social_account, posts_post")
    raw_sql("UPDATE feeds_feedsettings SET epoch = epoch + 1")
    many = []
    for account in (cast.carla, cast.ana):
        begun = time.monotonic()
        many.append(query_count(lambda account=account: ask(staff, account)))
        assert time.monotonic() - begun < 5
    assert all(after <= before + 6 for before, after in zip(few, many, strict=True)), (few, many)
    assert max(many) <= 45
    assert "5,002 accounts" in ask(staff, cast.carla)
    assert "its newest 20 menus equal the reference" in ask(staff, cast.carla)
    assert len(reference_feed_ids(cast.carla.pk)) == 2001
