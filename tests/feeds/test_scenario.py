"""Promise 1 under random life: after every action every viewer reads the reference feed, at every page length.

A seed is a scenario; SCENARIO_SEEDS runs more of them (`SCENARIO_SEEDS=100-200 pytest tests/feeds/test_scenario.py`).
"""

import os
import random
from typing import Any

import pytest
import redis
from django.db import transaction
from django.db.models import Model

from feeds import fanout, overlay
from feeds.delivery import deliver_now, relay
from feeds.epoch import raise_epoch
from feeds.lists import commands, execute
from feeds.models import Outbox, PulledAuthor
from feeds.threshold import close_interval, open_interval, set_threshold
from posts.models import Post
from posts.services import delete_post, publish_post
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.conftest import forget_process_memory
from tests.factories import AccountFactory, FollowFactory
from tests.feeds.helpers import assert_exact, keys_now, raw_post, raw_sql

STEPS = 100


def seeds() -> range:
    first, _, last = os.environ.get("SCENARIO_SEEDS", "1-2").partition("-")
    return range(int(first), int(last or first) + 1)


class Life:
    """Six people, three of them cooks, and everything that can happen to their feeds."""

    def __init__(self, seed: int, client: redis.Redis) -> None:
        self.random, self.client = random.Random(seed), client
        self.cooks = [AccountFactory(username=name, cook=True) for name in ("ana", "maria", "rosa")]
        self.viewers = [
            *self.cooks[:1],
            *[AccountFactory(username=name) for name in ("carla", "sam", "stef")],
        ]
        for viewer in self.viewers[1:]:
            for cook in self.random.sample(self.cooks, 2):
                FollowFactory(follower=viewer, followee=cook)
        for cook in self.cooks * 2:
            raw_post(cook)
        self.log: list[str] = []

    def act(self) -> None:
        names = list(ACTIONS)
        [name] = self.random.choices(names, [ACTIONS[n] for n in names])
        self.log.append(f"{name} {getattr(self, name)() or ''}")

    # --- people ---------------------------------------------------------------------------------------------

    def publish(self) -> Any:
        return publish_post(author=self.cook(), text=f"menu {len(self.log)}").pk

    def publish_several(self) -> Any:
        """More than a stored list holds; each is pushed, or left to fan-out."""
        cook = self.cook()
        return [publish_post(author=cook, text=f"menu {n}").pk for n in range(self.random.randint(2, 7))]

    def delete(self) -> Any:
        post = (
            Post.objects.order_by("?").first() if self.chance(0.3) else Post.objects.order_by("-pk").first()
        )
        if post is None:
            return None
        delete_post(actor=post.author, post_id=post.pk) if post.author.is_active else post.delete()
        return post.pk

    def follow(self) -> Any:
        viewer, cook = self.random.choice(self.viewers), self.cook()
        if viewer.pk != cook.pk and Account.objects.get(pk=cook.pk).is_active:
            follow_account(follower=viewer, followee_id=cook.pk)
        return viewer, cook

    def follow_and_wait(self) -> Any:
        """From here on it is the stored list that has to hold what was written before."""
        pair = self.follow()
        self.overlay_forgets()
        return pair

    def unfollow(self) -> Any:
        row = self.one_of(Follow)
        if row is not None:
            unfollow_account(follower=row.follower, followee_id=row.followee_id)
        return row

    def deactivate(self) -> Any:
        cook = Account.objects.get(pk=self.random.choice(self.cooks[1:]).pk)
        cook.is_active = not cook.is_active
        cook.save()
        return cook, cook.is_active

    def rename(self) -> Any:
        account = Account.objects.get(pk=self.cook().pk)
        account.display_name = f"Name {len(self.log)}"
        account.save()
        return account

    # --- past the services: seen within a second, which passes here -------------------------------------------

    def publish_by_hand(self) -> Any:
        post_id = raw_post(self.cook())
        self.second_passes()
        return post_id

    def unfollow_by_hand(self) -> Any:
        raw_sql("DELETE FROM social_follow WHERE id IN (SELECT max(id) FROM social_follow)")
        self.second_passes()

    def deactivate_by_hand(self) -> Any:
        raw_sql("UPDATE social_account SET is_active = NOT is_active WHERE id = %s", self.cooks[2].pk)
        self.second_passes()

    # --- workers ----------------------------------------------------------------------------------------------

    def fan_out(self) -> Any:
        """One waiting post, any; some jobs die after a batch."""
        post = self.one_of(Outbox, kind="published", done_at=None)
        if post is not None:
            fanout.fan_out(post.subject_id, "a worker", lambda post_id: None)
        return post

    def fan_out_that_dies(self) -> Any:
        post = self.one_of(Outbox, kind="published", done_at=None)
        if post is None:
            return None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fanout.outbox, "mark_done", lambda ids: None)
            fanout.fan_out(post.subject_id, "a worker that dies", lambda post_id: None)
        Outbox.objects.update(claimed_until="2024-01-01T00:00Z")
        return post

    def relay(self) -> Any:
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")
        return relay()

    def deliver_twice(self) -> Any:
        row = Outbox.objects.filter(done_at=None).exclude(kind="published").first()
        if row is not None:
            deliver_now([(row.kind, row.subject_id)])
            deliver_now([(row.kind, row.subject_id)])

    def late_push(self) -> Any:
        """A redelivered job pushes an old post once more."""
        post = self.one_of(Post)
        if post is None:
            return None
        keys = keys_now()
        followers = list(Follow.objects.filter(followee=post.author).values_list("follower_id", flat=True))
        names = [*keys.feeds(followers), keys.timeline(post.author_id)]
        execute(keys, [commands.push_command(names, [post.pk], length=4, trim=self.chance(0.3))])
        return post

    # --- staff ------------------------------------------------------------------------------------------------

    def threshold_down(self) -> Any:
        raw_sql("UPDATE social_account SET follower_count = 5 WHERE is_cook")
        set_threshold(self.random.choice([1, 3]))

    def threshold_up(self) -> Any:
        set_threshold(1000)

    def cross(self) -> Any:
        cook = self.cook()
        return open_interval(cook.pk) or close_interval(cook.pk)

    def intervals_age(self) -> Any:
        PulledAuthor.objects.update(opened_at="2024-01-01T00:00Z")
        forget_process_memory()  # nobody uses a set that is over 2 s old

    # --- faults -----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        self.client.flushall()

    def evict(self) -> Any:
        key = self.key()
        if key:
            self.client.delete(key)
        return key

    def overwrite(self) -> Any:
        key = self.key()
        if key:
            self.client.delete(key)
            self.client.rpush(key, "garbage")
        return key

    def raise_epoch(self) -> None:
        with transaction.atomic():
            raise_epoch()

    def forget(self) -> None:
        forget_process_memory()

    def overlay_forgets(self) -> None:
        """Five seconds after everything was done."""
        raw_sql("UPDATE feeds_outbox SET done_at = done_at - interval '1 minute'")
        for key in self.client.scan_iter("cy:*:overlay"):
            self.client.delete(key)
        forget_process_memory()

    def second_passes(self) -> None:
        """The overlay's mark lapses."""
        for key in self.client.scan_iter("cy:*:overlay"):
            if self.client.type(key) == b"zset":
                self.client.zremrangebyscore(key, "+inf", "+inf")
        if self.chance(0.5):
            overlay.forget_copy()

    # --- chance -----------------------------------------------------------------------------------------------

    def cook(self) -> Account:
        return self.random.choice(self.cooks)

    def one_of(self, model: type[Model], **conditions: Any) -> Any:
        rows = list(model._default_manager.filter(**conditions).order_by("pk"))
        return self.random.choice(rows) if rows else None

    def key(self) -> bytes | None:
        keys = sorted(self.client.keys("*"), key=lambda key: key.split(b":")[2:])
        return self.random.choice(keys) if keys else None

    def chance(self, share: float) -> bool:
        return self.random.random() < share


ACTIONS = {
    "publish": 16,
    "publish_several": 3,
    "delete": 5,
    "follow": 6,
    "follow_and_wait": 2,
    "unfollow": 4,
    "deactivate": 3,
    "rename": 1,
    "publish_by_hand": 3,
    "unfollow_by_hand": 1,
    "deactivate_by_hand": 1,
    "fan_out": 14,
    "fan_out_that_dies": 3,
    "relay": 2,
    "deliver_twice": 1,
    "late_push": 5,
    "threshold_down": 2,
    "threshold_up": 3,
    "cross": 4,
    "intervals_age": 4,
    "flush": 2,
    "evict": 4,
    "overwrite": 4,
    "raise_epoch": 2,
    "forget": 3,
    "overlay_forgets": 6,
    "second_passes": 3,
}


@pytest.mark.parametrize("seed", seeds())
def test_every_viewer_reads_the_reference_feed_after_every_action(
    stores: None, feed_redis: redis.Redis, settings: Any, seed: int
) -> None:
    settings.FEED_LENGTH = 4 if seed % 2 else 10  # at 4 most of every feed lies below the stored window
    settings.FANOUT_BATCH_SIZE = 2
    random.seed(seed)
    life = Life(seed, feed_redis)
    for step in range(STEPS):
        life.act()
        for viewer in life.viewers:
            limits = (20, 1 if step % 8 == 7 else 2)
            try:
                assert_exact(viewer, limits=limits)
            except BaseException:
                print("\n".join(life.log[-25:]))  # noqa: T201  what led to it
                raise
