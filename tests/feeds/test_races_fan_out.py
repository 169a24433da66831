"""Races of a fan-out: follows, deletions, bad replies and killed workers between its batches."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from feeds import cards, fanout, outbox
from feeds.delivery import deliver_now
from feeds.lists import ListsUnavailable
from feeds.lists.server import FeedServer
from feeds.models import Outbox
from feeds.reading import read_feed
from posts.models import Post
from posts.services import delete_post, publish_post
from social.models import Account
from social.services import follow_account, unfollow_account, update_account
from tests.factories import AccountFactory, Cast, FollowFactory
from tests.feeds.helpers import Background, Gate, assert_exact, raw_post, raw_sql, shown, warm
from tests.feeds.moments import deliver, no_hand_over, stored_feed

Settle = Callable[[], None]


def row_of(post_id: int) -> Outbox:
    return Outbox.objects.get(kind="published", subject_id=post_id)


@pytest.fixture
def followers(ready: Cast, settings: Any, settle: Settle) -> list[Account]:
    """ana's seven followers, with warm feeds, in the order in which batches of two reach them."""
    FollowFactory.create_batch(6, followee=ready.ana)
    followers = list(Account.objects.filter(following_rows__followee=ready.ana).order_by("pk"))
    settle()
    for follower in followers:
        warm(follower)
    settings.FANOUT_BATCH_SIZE = 2
    return followers


def test_who_follows_between_two_batches_has_it(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    """sam stands before the checkpoint, the guest after it: her feed is built after the commit, or pushed to."""
    guest = AccountFactory()
    warm(guest)
    post_id = raw_post(ready.ana)
    gate = Gate(monkeypatch, outbox, "save_checkpoint", after=True)
    job = Background(lambda: deliver(post_id))
    gate.wait_until_reached()
    for newcomer in (ready.sam, guest):
        follow_account(follower=newcomer, followee_id=ready.ana.pk)
        warm(newcomer)
    gate.open()
    job.result()
    settle()
    for newcomer in (ready.sam, guest):
        assert shown(newcomer)[0] == post_id
        assert_exact(newcomer)


def test_who_unfollows_between_two_batches_does_not_see_it(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    post_id = raw_post(ready.ana)
    gate = Gate(monkeypatch, outbox, "save_checkpoint", after=True)
    job = Background(lambda: deliver(post_id))
    gate.wait_until_reached()
    for leaver in (followers[0], followers[-1]):
        unfollow_account(follower=leaver, followee_id=ready.ana.pk)
    gate.open()
    job.result()
    settle()
    for leaver in (followers[0], followers[-1]):
        assert shown(leaver) == []


def test_who_followed_since_the_last_job_gets_the_next_post(
    ready: Cast, followers: list[Account], settle: Settle
) -> None:
    """No list of followers is kept between jobs."""
    deliver(raw_post(ready.ana))
    follow_account(follower=ready.sam, followee_id=ready.ana.pk)
    settle()
    warm(ready.sam)
    post_id = raw_post(ready.ana)
    assert deliver(post_id) == 8
    assert stored_feed(ready.sam).ids[0] == post_id
    settle()
    assert_exact(ready.sam)


def test_a_menu_that_is_deleted_between_two_batches_is_no_ghost(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    post = publish_post(author=ready.ana, text="not for long")
    gate = Gate(monkeypatch, outbox, "save_checkpoint", after=True)
    job = Background(lambda: deliver(post.pk))
    gate.wait_until_reached()
    delete_post(actor=ready.ana, post_id=post.pk)
    gate.open()
    job.result()
    for _ in range(2):
        for follower in (followers[0], followers[-1]):
            assert post.pk not in shown(follower)
            assert_exact(follower)
        settle()


def test_a_rename_while_it_renders_the_card(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    post = publish_post(author=ready.ana, text="first")
    gate = Gate(monkeypatch, cards, "render_posts", after=True)
    job = Background(lambda: deliver(post.pk))
    gate.wait_until_reached()
    Post.objects.get(pk=post.pk).save()
    raw_sql("UPDATE posts_post SET text = 'second' WHERE id = %s", post.pk)
    update_account(ready.ana.pk, display_name="Dona Ana")
    deliver_now([("edited", post.pk)])
    gate.open()
    job.result()
    settle()
    first = read_feed(ready.carla.pk).items[0].post
    assert (first["text"], first["author"]["display_name"]) == ("second", "Dona Ana")


@pytest.mark.parametrize("batch", range(4))
def test_it_is_done_only_if_every_reply_of_every_pipeline_was_good(
    ready: Cast,
    followers: list[Account],
    monkeypatch: pytest.MonkeyPatch,
    settle: Settle,
    batch: int,
) -> None:
    """One push of one batch is refused (a server out of memory): nothing is done, the checkpoint stays where it
    was, and what comes next reaches everybody."""
    post_id = raw_post(ready.ana)
    original, pushes = FeedServer._round_trip, []

    def refusing(self: FeedServer, keys: Any, commands: Any) -> Any:
        replies = original(self, keys, commands)
        if ":feed:" in str(commands):
            pushes.append(commands)
            if len(pushes) == batch + 1:
                replies[-1] = redis.ResponseError("OOM command not allowed")
        return replies

    with monkeypatch.context() as patch:
        patch.setattr(FeedServer, "_round_trip", refusing)
        with pytest.raises(ListsUnavailable):
            deliver(post_id)
    row = row_of(post_id)
    assert row.done_at is None
    assert row.checkpoint == (followers[batch * 2 - 1].pk if batch else 0)
    deliver(post_id)
    settle()
    for follower in followers:
        assert stored_feed(follower).ids[0] == post_id


def test_a_worker_that_is_killed_before_its_checkpoint_pushes_the_batch_again(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*args: Any) -> int:
        raise Killed

    post_id = raw_post(ready.ana)
    with monkeypatch.context() as patch:
        patch.setattr(fanout, "_push_page", killed)
        with pytest.raises(Killed):
            deliver(post_id)
    assert row_of(post_id).checkpoint == 0
    assert deliver(post_id) == 7


def test_a_worker_that_is_thought_dead_and_goes_on_harms_nothing(
    ready: Cast, followers: list[Account], monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    """Its claim has run out, another has done it all and a follower has left since: then it pushes too."""
    post_id = raw_post(ready.ana)
    gate = Gate(monkeypatch, fanout, "read_followers", after=True)
    slow = Background(lambda: deliver(post_id))
    gate.wait_until_reached()
    raw_sql("UPDATE feeds_outbox SET claimed_until = claimed_until - interval '1 minute'")
    assert fanout.fan_out(post_id, "another", no_hand_over) == 7
    unfollow_account(follower=followers[0], followee_id=ready.ana.pk)
    gate.open()
    slow.result()
    settle()
    assert shown(followers[0]) == []
    for follower in followers[1:]:
        assert shown(follower)[0] == post_id
        assert stored_feed(follower).ids.count(post_id) == 1
