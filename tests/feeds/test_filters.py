"""What can come back by itself is filtered when a feed is read: muted, hidden, deactivated, blocked; however much of
it stands in a row."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from feeds.reading import read_feed
from feeds.reference import reference_feed_ids
from posts.models import Like, Post
from social.models import Account, Block, Follow, Mute
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import (
    assert_exact,
    counted_round_trips,
    past_posts,
    query_count,
    raw_sql,
    redis_down,
    shown,
    walk,
    warm,
)

Settle = Callable[[], None]


@pytest.fixture
def both(cast: Cast) -> tuple[Post, Post]:
    """A menu of ana and one of maria, both of whom carla follows."""
    return PostFactory(author=cast.ana), PostFactory(author=cast.maria)


class TestMutes:
    def test_a_mute_empties_and_its_end_refills_at_once(self, cast: Cast, both: Any, settle: Settle) -> None:
        of_ana, of_maria = (post.pk for post in both)
        for calm in (True, False):  # from stored lists, and right after a change
            if calm:
                settle()
            warm(cast.carla)
            mute = Mute.objects.create(muter=cast.carla, muted=cast.ana)
            assert shown(cast.carla) == [of_maria]
            mute.delete()
            assert shown(cast.carla) == [of_maria, of_ana]

    def test_from_stored_lists_without_sql(self, cast: Cast, both: Any, settle: Settle) -> None:
        Mute.objects.create(muter=cast.carla, muted=cast.ana)
        settle()
        warm(cast.carla)
        page = read_feed(cast.carla.pk)
        assert [item.post_id for item in page.items] == [both[1].pk]
        assert page.queries == 0

    def test_one_that_has_an_end_ends_by_itself(self, cast: Cast, both: Any, settle: Settle) -> None:
        """Nothing is written when it ends."""
        settle()
        ends = timezone.now() + timedelta(seconds=1.5)
        Mute.objects.create(muter=cast.carla, muted=cast.ana, expires_at=ends)
        settle()
        warm(cast.carla)
        assert shown(cast.carla) == [both[1].pk]
        while timezone.now() <= ends:
            assert_or_over(cast, both, ends)
        page = read_feed(cast.carla.pk)
        assert [item.post_id for item in page.items] == [both[1].pk, both[0].pk]
        assert_exact(cast.carla)

    def test_of_a_pulled_author(self, cast: Cast, both: Any, settle: Settle) -> None:
        Mute.objects.create(muter=cast.carla, muted=cast.maria)
        settle()
        warm(cast.carla)
        assert shown(cast.carla) == [both[0].pk]

    def test_by_hand_within_a_second(self, cast: Cast, both: Any, settle: Settle) -> None:
        settle()
        warm(cast.carla)
        raw_sql("INSERT INTO social_mute (muter_id, muted_id) VALUES (%s, %s)", cast.carla.pk, cast.ana.pk)
        settle()
        assert shown(cast.carla) == [both[1].pk]

    def test_it_hides_no_permalink_and_nothing_of_others(
        self, cast: Cast, both: Any, api: Callable[[Account], APIClient]
    ) -> None:
        Follow.objects.create(follower=cast.sam, followee=cast.ana)
        Mute.objects.create(muter=cast.carla, muted=cast.ana)
        assert api(cast.carla).get(f"/api/v1/posts/{both[0].pk}").status_code == 200
        assert shown(cast.sam) == [both[0].pk]

    def test_without_redis(self, cast: Cast, both: Any) -> None:
        with redis_down():
            raw_sql(
                "INSERT INTO social_mute (muter_id, muted_id) VALUES (%s, %s)", cast.carla.pk, cast.ana.pk
            )
            assert shown(cast.carla) == [both[1].pk]


def assert_or_over(cast: Cast, both: Any, ends: Any) -> None:
    """Still muted, or the end came while it was read."""
    assert shown(cast.carla) == [both[1].pk] or timezone.now() > ends


class TestHidden:
    def test_hidden_and_restored_at_once(self, cast: Cast, both: Any, settle: Settle) -> None:
        post = both[0]
        for calm in (True, False):
            if calm:
                settle()
            warm(cast.carla)
            post.hidden_at = timezone.now()
            post.save()
            assert shown(cast.carla) == [both[1].pk]
            assert shown(cast.ana) == []  # nor to its author
            post.hidden_at = None
            post.save()
            assert shown(cast.carla) == [both[1].pk, post.pk]

    def test_the_stored_list_keeps_it(self, cast: Cast, both: Any, settle: Settle) -> None:
        """It may come back: the feed is not built anew for it, nor for its return."""
        settle()
        warm(cast.carla)
        both[0].hidden_at = timezone.now()
        both[0].save()
        settle()
        warm(cast.carla)
        assert read_feed(cast.carla.pk).queries == 0
        both[0].hidden_at = None
        both[0].save()
        settle()
        page = read_feed(cast.carla.pk)
        assert page.origins == {"pushed": 2}


def test_blocking_empties_both_feeds_and_unblocking_restores_nothing(cast: Cast, settle: Settle) -> None:
    FollowFactory(follower=cast.ana, followee=cast.maria)
    FollowFactory(follower=cast.maria, followee=cast.ana)
    of_ana, of_maria = PostFactory(author=cast.ana).pk, PostFactory(author=cast.maria).pk
    settle()
    for cook in (cast.ana, cast.maria):
        warm(cook)
        assert shown(cook) == [of_maria, of_ana]
    block = Block.objects.create(blocker=cast.ana, blocked=cast.maria)
    assert (shown(cast.ana), shown(cast.maria)) == ([of_ana], [of_maria])
    block.delete()
    assert (shown(cast.ana), shown(cast.maria)) == ([of_ana], [of_maria])
    assert shown(cast.carla) == [of_maria, of_ana]


class TestManyInARow:
    """300 menus that are not shown, between one that is and another."""

    @pytest.fixture(params=["muted", "blocked", "hidden", "deactivated", "deleted", "unfollowed"])
    def row(self, request: Any, cast: Cast, settle: Settle) -> list[int]:
        loud = AccountFactory(cook=True)
        FollowFactory(follower=cast.carla, followee=loud)
        authors = [cast.ana.pk, *[loud.pk] * 300, cast.ana.pk, cast.ana.pk, *[loud.pk] * 300]
        posts = past_posts(authors)
        settle()
        warm(cast.carla)
        match request.param:
            case "muted":
                Mute.objects.create(muter=cast.carla, muted=loud)
            case "blocked":
                Block.objects.create(blocker=loud, blocked=cast.carla)
            case "hidden":
                raw_sql("UPDATE posts_post SET hidden_at = now() WHERE author_id = %s", loud.pk)
            case "deactivated":
                loud.is_active = False
                loud.save()
            case "deleted":
                raw_sql("DELETE FROM posts_post WHERE author_id = %s", loud.pk)
            case "unfollowed":
                Follow.objects.filter(followee=loud).delete()
        settle()
        return [post for post, author in zip(posts, authors, strict=True) if author == cast.ana.pk][::-1]

    def test_api_and_page_walk_to_the_end(
        self,
        cast: Cast,
        row: list[int],
        api: Callable[[Account], APIClient],
        browse: Callable[[Account], Client],
        monkeypatch: Any,
    ) -> None:
        assert row == reference_feed_ids(cast.carla.pk)
        for limit in (1, 20):
            monkeypatch.setattr("feeds.pages.MENUS_ON_A_PAGE", limit)
            assert self.by_the_api(api(cast.carla), limit) == row
            assert self.by_the_page(browse(cast.carla)) == row
        with redis_down():
            assert walk(cast.carla, limit=1) == row

    def by_the_api(self, client: APIClient, limit: int) -> list[int]:
        found: list[int] = []
        query: dict[str, Any] = {"limit": limit}
        for _ in range(20):
            page = client.get("/api/v1/feed", query).json()
            found += [post["id"] for post in page["posts"]]
            if page["next_cursor"] is None:
                return found
            query["cursor"] = page["next_cursor"]
        raise AssertionError("The feed did not end.")

    def by_the_page(self, browser: Client) -> list[int]:
        found: list[int] = []
        address = "/"
        for _ in range(20):
            context = browser.get(address).context
            found += [card.post["id"] for card in context["cards"]]
            address = context["older"]
            if not address:
                return found
        raise AssertionError("The feed did not end.")


def test_muted_menus_in_a_row_cost_no_sql(
    cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    past_posts([cast.ana.pk] * 2 + [cast.maria.pk] * 300)
    Mute.objects.create(muter=cast.carla, muted=cast.maria)
    settle()
    warm(cast.carla)
    with counted_round_trips(monkeypatch) as trips:
        page = read_feed(cast.carla.pk, limit=1)
    assert (len(page.items), page.queries) == (1, 0)
    assert len(trips) <= 4


def test_three_thousand_menus_by_pushed_and_pulled_cooks_are_walked_to_the_end(
    cast: Cast, settle: Settle, settings: Any
) -> None:
    from feeds.models import PulledAuthor
    from feeds.threshold import open_interval

    settings.FEED_LENGTH = 100
    cooks = [AccountFactory(cook=True) for _ in range(22)]
    for cook in cooks:
        FollowFactory(follower=cast.sam, followee=cook)
    for cook in cooks[:2]:
        open_interval(cook.pk)
    PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
    posts = past_posts([cooks[n * n % 22].pk for n in range(3000)])
    settle()
    warm(cast.sam)
    assert {item.origin for item in read_feed(cast.sam.pk, limit=100).items} == {"pushed", "pulled"}
    for limit in (20, 100):
        assert walk(cast.sam, limit=limit) == posts[::-1] == reference_feed_ids(cast.sam.pk)


class TestLikes:
    def test_ones_own_next_read_knows(self, cast: Cast, both: Any, settle: Settle) -> None:
        for calm in (True, False):
            if calm:
                settle()
            warm(cast.carla)
            like = Like.objects.create(account=cast.carla, post=both[0])
            assert liked(cast.carla) == [both[0].pk]
            assert liked(cast.sam) == []
            like.delete()
            assert liked(cast.carla) == []

    def test_from_redis_without_sql(self, cast: Cast, both: Any, settle: Settle) -> None:
        Like.objects.create(account=cast.carla, post=both[1])
        settle()
        warm(cast.carla)
        assert read_feed(cast.carla.pk).queries == 0
        assert liked(cast.carla) == [both[1].pk]

    def test_by_hand_within_a_second(self, cast: Cast, both: Any, settle: Settle) -> None:
        settle()
        warm(cast.carla)
        raw_sql("INSERT INTO posts_like (account_id, post_id) VALUES (%s, %s)", cast.carla.pk, both[0].pk)
        from feeds import overlay
        from tests.feeds.helpers import keys_now

        overlay.build_overlay(keys_now())  # what happens each second
        assert liked(cast.carla) == [both[0].pk]

    def test_without_redis(self, cast: Cast, both: Any) -> None:
        Like.objects.create(account=cast.carla, post=both[1])
        with redis_down():
            assert liked(cast.carla) == [both[1].pk]

    def test_beyond_what_is_kept(self, cast: Cast, settle: Settle, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("feeds.likes.MOST_KEPT", 3)
        posts = [PostFactory(author=cast.ana).pk for _ in range(8)]
        for post_id in posts[::2]:
            Like.objects.create(account=cast.carla, post_id=post_id)
        settle()
        warm(cast.carla)
        assert liked(cast.carla) == posts[::2][::-1]
        assert query_count(lambda: read_feed(cast.carla.pk)) == 1  # for those below

    def test_the_json_says_so(self, cast: Cast, both: Any, api: Callable[[Account], APIClient]) -> None:
        Like.objects.create(account=cast.carla, post=both[0])
        posts = api(cast.carla).get("/api/v1/feed").json()["posts"]
        assert {post["id"]: post["liked"] for post in posts} == {both[0].pk: True, both[1].pk: False}


def liked(viewer: Account) -> list[int]:
    return [item.post_id for item in read_feed(viewer.pk).items if item.liked]
