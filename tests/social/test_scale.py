"""Many who follow the same cook at once, and one who follows thousands: over HTTP, with real connections."""

import http.client
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory
from rest_framework.test import APIClient

from feeds.counts import recount_followers
from feeds.loading.bulk import bulk_load
from feeds.models import Outbox
from feeds.reference import reference_feed_ids
from social.authentication import access_token
from social.models import Account, Block, Follow
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import in_threads, past_posts, query_count, raw_sql
from tests.social.test_relation_races import assert_rules_hold
from tests.stateful.processes import Web

CROWD = 300
MANY = 5000
SECONDS = 30  # that an answer may take on a machine that is busy

# Its method, its path, and who makes it.
Call = tuple[str, str, Account]
Send = Callable[[str, str, str], int]  # method, path, token: the status of the answer


def make_accounts(number: int) -> list[Account]:
    """So many, in one statement."""
    return Account.objects.bulk_create(
        Account(username=f"crowd{n}", display_name=f"Crowd {n}", password="!") for n in range(number)
    )


def copies_of(account: Account, number: int) -> list[int]:
    """So many accounts that differ by their names, faster than by the models; their ids."""
    rows = raw_sql(
        "INSERT INTO social_account SELECT (jsonb_populate_record(a, jsonb_build_object("
        " 'id', nextval(pg_get_serial_sequence('social_account', 'id')), 'username', a.username || n))).*"
        " FROM social_account a, generate_series(1, %s) n WHERE a.id = %s RETURNING id",
        number,
        account.pk,
    )
    return [account_id for (account_id,) in rows]


def all_at_once(calls: Sequence[Call], sender: Callable[[], Send]) -> list[int]:
    """The status of each call: each in a thread of its own, and none begins before all are ready."""
    tokens = [access_token(account) for _, _, account in calls]
    barrier = threading.Barrier(len(calls))

    def make(place: int) -> int:
        send, (method, path, _) = sender(), calls[place]
        barrier.wait(SECONDS)
        return send(method, path, tokens[place])

    return in_threads([lambda place=place: make(place) for place in range(len(calls))], seconds=SECONDS)


def in_process() -> Send:
    """The whole stack from WSGI on, in the calling thread."""
    application = WSGIHandler()

    def send(method: str, path: str, token: str) -> int:
        request = RequestFactory().generic(method, path, HTTP_AUTHORIZATION=f"Bearer {token}")
        statuses: list[str] = []
        response = application(request.environ, lambda status, headers: statuses.append(status))
        response.close()  # as a server does: the connection goes back to the pool
        return int(statuses[0].split()[0])

    return send


def over_http(port: int) -> Send:
    server = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    server.connect()

    def send(method: str, path: str, token: str) -> int:
        server.request(method, path, headers={"Authorization": f"Bearer {token}"})
        with server.getresponse() as response:
            response.read()
            return response.status

    return send


@pytest.fixture
def patient_pool(stores: None) -> Iterator[None]:
    """16 connections, as in production, for which a thread may wait longer than 2 s: a test's machine may be busy."""
    connection.close()
    connection.close_pool()
    pool = connection.settings_dict["OPTIONS"]["pool"]
    before = pool["timeout"]
    pool["timeout"] = SECONDS
    yield
    connection.close()
    connection.close_pool()
    pool["timeout"] = before


@pytest.fixture
def server(start_web: Callable[..., Web]) -> Web:
    return start_web()


def follow(cook: Account, account: Account) -> Call:
    return ("PUT", f"/api/v1/follows/{cook.pk}", account)


def assert_counted(cook: Account) -> None:
    """A recount (beat does one each second) leaves the true number, and says so to whoever asks."""
    recount_followers()
    there = Follow.objects.filter(followee=cook).count()
    assert Account.objects.get(pk=cook.pk).follower_count == there
    assert not Outbox.objects.filter(counted=False, kind__in=["followed", "unfollowed"]).exists()


def test_a_crowd_follows_the_same_cook_at_once(cast: Cast, server: Web) -> None:
    crowd = make_accounts(CROWD)
    statuses = all_at_once([follow(cast.ana, account) for account in crowd], lambda: over_http(server.port))
    assert Counter(statuses) == {204: CROWD}
    assert_counted(cast.ana)
    assert Account.objects.get(pk=cast.ana.pk).follower_count == CROWD + 1


def test_following_unfollowing_and_blocking_the_same_cook_at_once(cast: Cast, patient_pool: None) -> None:
    """Of each six all follow, two unfollow, one blocks her, and she blocks one; half of them had followed before."""
    ana, third = cast.ana, CROWD // 5
    crowd = make_accounts(3 * third)
    Follow.objects.bulk_create(Follow(follower=account, followee=ana) for account in crowd[::2])
    calls = [follow(ana, account) for account in crowd]
    calls += [("DELETE", f"/api/v1/follows/{ana.pk}", account) for account in crowd[::3]]
    calls += [("PUT", f"/api/v1/blocks/{ana.pk}", account) for account in crowd[1::6]]
    calls += [("PUT", f"/api/v1/blocks/{account.pk}", ana) for account in crowd[4::6]]
    assert len(calls) == CROWD
    random.Random(7).shuffle(calls)

    statuses = Counter(all_at_once(calls, in_process))
    assert statuses.keys() <= {204, 403, 404}, statuses
    assert_rules_hold()
    assert Block.objects.count() == third
    followers = set(Follow.objects.filter(followee=ana).values_list("follower", flat=True))
    assert {account.pk for account in crowd[2::3]} <= followers  # whom nobody hinders
    assert not {account.pk for account in crowd[1::3]} & followers  # who block or are blocked
    assert_counted(ana)


def test_one_account_follows_thousands(
    cast: Cast, api: Callable[[Account | None], APIClient], settle: Callable[[], None]
) -> None:
    sam, client = cast.sam, api(cast.sam)
    with bulk_load():
        cooks = copies_of(cast.maria, MANY)
        raw_sql(
            "INSERT INTO social_follow (follower_id, followee_id) SELECT %s, unnest(%s::bigint[])",
            sam.pk,
            cooks,
        )
    past_posts(cooks[:: MANY // 50])
    assert client.put(f"/api/v1/follows/{cast.ana.pk}").status_code == 204
    newest = PostFactory(author=cast.ana)

    page = client.get("/api/v1/feed").json()
    wanted = reference_feed_ids(sam.pk)
    assert wanted[0] == newest.pk
    assert [post["id"] for post in page["posts"]] == wanted[:20]
    settle()
    for _ in range(2):
        client.get("/api/v1/feed")
    assert query_count(lambda: client.get("/api/v1/feed")) == 0

    followed = walk_following(client, sam)
    assert followed[0] == cast.ana.pk
    assert sorted(followed) == sorted([cast.ana.pk, *cooks])
    assert client.get(f"/api/v1/accounts/{sam.pk}").json()["following_count"] == MANY + 1


def walk_following(client: APIClient, account: Account) -> list[int]:
    found: list[int] = []
    query = {"limit": "100"}
    for _ in range(MANY // 100 + 2):
        page = client.get(f"/api/v1/accounts/{account.pk}/following", query).json()
        found += [line["id"] for line in page["accounts"]]
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]
    pytest.fail("the list has no end")
