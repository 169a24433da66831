"""What is new since a page: `since` and the update count, by the API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from rest_framework.test import APIClient

from feeds.fanout import fan_out
from posts.models import Post
from social.models import Account, Follow, Mute
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import past_posts, raw_sql, redis_down, warm

Settle = Callable[[], None]
FEED, UPDATES = "/api/v1/feed", "/api/v1/feed/updates"


@pytest.fixture
def carla(cast: Cast, api: Callable[[Account], APIClient]) -> APIClient:
    return api(cast.carla)


def read(client: APIClient, **query: Any) -> dict[str, Any]:
    response = client.get(FEED, query)
    assert response.status_code == 200, response.content
    return response.json()


def ids(page: dict[str, Any]) -> list[int]:
    return [post["id"] for post in page["posts"]]


def count(client: APIClient, since: str) -> tuple[int, bool]:
    body = client.get(UPDATES, {"since": since}).json()
    return body["count"], body["capped"]


def new_since(client: APIClient, since: str, limit: int = 20) -> list[int]:
    """All pages of what is new."""
    found, query = [], {"since": since, "limit": limit}
    for _ in range(100):
        page = read(client, **query)
        found += ids(page)
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]
    pytest.fail("no end")


def test_nothing_is_new_at_once(cast: Cast, carla: APIClient) -> None:
    for _ in range(3):
        PostFactory(author=cast.ana)
    for limit in (1, 2, 3, 20):
        since = read(carla, limit=limit)["refresh_cursor"]
        assert count(carla, since) == (0, False)
        assert new_since(carla, since) == []


def test_what_was_published_since_is_new_once(cast: Cast, carla: APIClient) -> None:
    PostFactory(author=cast.ana)
    first = read(carla)
    new = [PostFactory(author=author).pk for author in (cast.ana, cast.maria, cast.ana)]
    PostFactory(author=AccountFactory(cook=True))  # whom she does not follow
    assert count(carla, first["refresh_cursor"]) == (3, False)
    second = read(carla, since=first["refresh_cursor"])
    assert ids(second) == new[::-1]
    assert second["next_cursor"] is None
    assert count(carla, second["refresh_cursor"]) == (0, False)


@pytest.mark.parametrize("limit", [1, 2, 3, 20])
def test_what_is_new_is_paged(cast: Cast, carla: APIClient, limit: int) -> None:
    PostFactory(author=cast.ana)
    since = read(carla)["refresh_cursor"]
    new = [PostFactory(author=cast.ana).pk for _ in range(5)]
    assert new_since(carla, since, limit) == new[::-1]


def test_a_page_of_what_is_new_links_to_the_next(cast: Cast, carla: APIClient) -> None:
    PostFactory(author=cast.ana)
    since = read(carla)["refresh_cursor"]
    new = [PostFactory(author=cast.ana).pk for _ in range(3)]
    response = carla.get(FEED, {"since": since, "limit": 2})
    link = response["Link"].split(">")[0].removeprefix("<")
    assert parse_qs(urlsplit(link).query)["since"] == [since]
    assert ids(carla.get(link).json()) == new[:1]


def test_in_an_empty_feed_the_first_menu_is_new(cast: Cast, api: Callable[[Account], APIClient]) -> None:
    sam = api(cast.sam)
    since = read(sam)["refresh_cursor"]
    PostFactory(author=cast.ana)
    assert count(sam, since) == (0, False)
    Follow.objects.create(follower=cast.sam, followee=cast.ana)
    assert count(sam, since) == (1, False)


def test_a_later_page_knows_what_came_meanwhile(cast: Cast, carla: APIClient) -> None:
    for _ in range(4):
        PostFactory(author=cast.ana)
    first = read(carla, limit=2)
    meanwhile = PostFactory(author=cast.maria).pk
    second = read(carla, limit=2, cursor=first["next_cursor"])
    assert meanwhile not in ids(second)
    assert new_since(carla, first["refresh_cursor"]) == [meanwhile]
    assert new_since(carla, second["refresh_cursor"]) == []  # it was visible by then
    later = PostFactory(author=cast.ana).pk
    assert new_since(carla, first["refresh_cursor"]) == [later, meanwhile]
    assert new_since(carla, second["refresh_cursor"]) == [later]


def test_a_lower_id_that_commits_later_is_new(cast: Cast, carla: APIClient) -> None:
    """An id is drawn at the insert and visible at the commit."""
    [[early]] = raw_sql("SELECT next_post_id()")
    shown = PostFactory(author=cast.ana).pk
    since = read(carla)["refresh_cursor"]
    later_page = read(carla, limit=1)["refresh_cursor"]
    raw_sql("INSERT INTO posts_post (id, author_id, text) VALUES (%s, %s, 'late')", early, cast.maria.pk)
    assert early < shown
    for each in (since, later_page):
        assert count(carla, each) == (1, False)
        assert new_since(carla, each) == [early]


def test_what_was_visible_on_a_further_page_is_not_new(cast: Cast, carla: APIClient, settle: Settle) -> None:
    """A page of one knows what else was visible of the last ten seconds."""
    for _ in range(30):
        PostFactory(author=cast.ana)
    settle()
    for limit in (1, 5):
        since = read(carla, limit=limit)["refresh_cursor"]
        assert count(carla, since) == (0, False)


def test_below_the_newest_only_ten_seconds_are_looked_at(cast: Cast, carla: APIClient) -> None:
    past_posts([cast.ana.pk] * 5)
    since = read(carla, limit=1)["refresh_cursor"]
    assert count(carla, since) == (0, False)
    assert len(since) < 60


def test_what_goes_is_not_new_and_what_was_muted_is(cast: Cast, carla: APIClient) -> None:
    mute = Mute.objects.create(muter=cast.carla, muted=cast.ana)
    PostFactory(author=cast.maria)
    hidden = PostFactory(author=cast.ana)
    since = read(carla)["refresh_cursor"]
    assert count(carla, since) == (0, False)
    mute.delete()
    assert new_since(carla, since) == [hidden.pk]
    Post.objects.filter(pk=hidden.pk).delete()
    assert count(carla, since) == (0, False)


def test_the_count_stops_at_ninety_nine(cast: Cast, carla: APIClient) -> None:
    PostFactory(author=cast.ana)
    since = read(carla)["refresh_cursor"]
    raw_sql(
        "INSERT INTO posts_post (author_id, text) SELECT %s, 'soup' FROM generate_series(1, 99)", cast.ana.pk
    )
    assert count(carla, since) == (99, False)
    raw_sql(
        "INSERT INTO posts_post (author_id, text) SELECT %s, 'soup' FROM generate_series(1, 30)", cast.ana.pk
    )
    assert count(carla, since) == (99, True)


def test_the_same_without_redis(cast: Cast, carla: APIClient) -> None:
    PostFactory(author=cast.ana)
    with redis_down():
        first = read(carla, limit=1)
    new = PostFactory(author=cast.maria).pk
    with redis_down():
        assert count(carla, first["refresh_cursor"]) == (1, False)
        assert new_since(carla, first["refresh_cursor"]) == [new]


def test_asking_for_the_count_is_a_visit(cast: Cast, carla: APIClient, settle: Settle) -> None:
    since = read(carla)["refresh_cursor"]
    Account.objects.filter(pk=cast.carla.pk).update(last_seen=cast.carla.created_at - timedelta(days=40))
    settle()
    carla.get(UPDATES, {"since": since})
    post = PostFactory(author=cast.ana)
    warm(cast.carla)
    assert fan_out(post.pk, "test", lambda post_id: None) >= 0
    assert Account.objects.get(pk=cast.carla.pk).last_seen > cast.carla.created_at - timedelta(days=1)


@pytest.mark.parametrize("since", ["", "!!!!", "null", "A" * 40])
def test_damage_is_refused(cast: Cast, carla: APIClient, since: str) -> None:
    for address in (FEED, UPDATES):
        response = carla.get(address, {"since": since})
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_cursor"


def test_a_count_since_nothing_is_refused(cast: Cast, carla: APIClient) -> None:
    response = carla.get(UPDATES)
    assert response.status_code == 400
    assert response.json()["errors"] == {"since": ["Give the refresh_cursor of a page of the feed."]}


def test_somebody_elses_cursor_is_refused(
    cast: Cast, carla: APIClient, api: Callable[[Account], APIClient]
) -> None:
    since = read(carla)["refresh_cursor"]
    assert api(cast.sam).get(UPDATES, {"since": since}).status_code == 400
    assert api(cast.sam).get(FEED, {"since": since}).status_code == 400


def test_a_cursor_of_the_feed_does_not_page_what_is_new(cast: Cast, carla: APIClient) -> None:
    for _ in range(3):
        PostFactory(author=cast.ana)
    page = read(carla, limit=1)
    PostFactory(author=cast.ana)
    wrong = {"since": page["refresh_cursor"], "cursor": page["next_cursor"]}
    assert carla.get(FEED, wrong).status_code == 400
