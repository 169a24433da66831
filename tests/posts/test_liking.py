"""Likes by the services, many at once."""

import threading
from collections.abc import Callable

import pytest

from feeds.counts import recount_likes
from feeds.models import Outbox
from posts import services
from posts.models import Like, Post
from posts.services import delete_post, like_post, unlike_post
from social.errors import NotFound
from social.models import Account
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import Background, Gate, in_threads, query_count


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana)


def outcome(change: Callable[..., None], account: Account, post: Post) -> str:
    try:
        change(account=account, post_id=post.pk)
    except NotFound:
        return "not found"
    return "done"


def test_fifty_different_ones_at_once(cast: Cast, post: Post) -> None:
    guests, start = AccountFactory.create_batch(50), threading.Barrier(50)

    def like(guest: Account) -> None:
        start.wait(20)
        like_post(account=guest, post_id=post.pk)

    in_threads([lambda guest=guest: like(guest) for guest in guests])
    recount_likes()
    assert Post.objects.get().like_count == Like.objects.count() == 50


def test_the_same_one_twenty_times_at_once_is_one(cast: Cast, post: Post) -> None:
    in_threads([lambda: like_post(account=cast.sam, post_id=post.pk)] * 20)
    recount_likes()
    assert Post.objects.get().like_count == Like.objects.count() == 1


def test_made_and_taken_back_at_once_nothing_drifts(cast: Cast, post: Post) -> None:
    def back_and_forth() -> None:
        for _ in range(5):
            like_post(account=cast.sam, post_id=post.pk)
            unlike_post(account=cast.sam, post_id=post.pk)

    in_threads([back_and_forth] * 6)
    recount_likes()
    assert Post.objects.get().like_count == Like.objects.count() == 0


def test_a_like_that_meets_a_deletion_is_deleted_or_finds_nothing(cast: Cast) -> None:
    guests = AccountFactory.create_batch(8)
    for _ in range(4):
        post = PostFactory(author=cast.ana)
        likes = [lambda guest=guest, post=post: outcome(like_post, guest, post) for guest in guests]
        deletion = [lambda post=post: delete_post(actor=cast.ana, post_id=post.pk)]
        answers = in_threads([*likes[:4], *deletion, *likes[4:]])
        assert set(answers) <= {None, "done", "not found"}
    assert not Post.objects.exists()
    assert not Like.objects.exists()


def test_a_menu_that_goes_between_the_look_and_the_like_is_gone(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch, services, "get_author_id", after=True)
    like = Background(lambda: outcome(like_post, cast.sam, post))
    gate.wait_until_reached()
    delete_post(actor=cast.ana, post_id=post.pk)
    gate.open()
    assert like.result() == "not found"
    assert not Like.objects.exists()


def test_a_like_costs_the_same_whoever_liked_before(cast: Cast, post: Post) -> None:
    first = query_count(lambda: like_post(account=cast.sam, post_id=post.pk))
    for guest in AccountFactory.create_batch(10):
        like_post(account=guest, post_id=post.pk)
    assert query_count(lambda: like_post(account=cast.carla, post_id=post.pk)) == first


def test_a_menu_that_thousands_like_is_deleted_without_telling_each_of_them(
    cast: Cast, settle: Callable[[], None]
) -> None:
    post = PostFactory(author=cast.ana)
    fans = Account.objects.bulk_create(Account(username=f"fan{n}") for n in range(3000))
    Like.objects.bulk_create(Like(account=fan, post=post) for fan in fans)
    settle()
    newest = Outbox.objects.latest("pk").pk
    delete_post(actor=cast.ana, post_id=post.pk)
    kinds = list(Outbox.objects.filter(pk__gt=newest).values_list("kind", flat=True))
    assert kinds == ["edited", "deleted"]  # its dishes, and itself
    assert not Like.objects.exists()
