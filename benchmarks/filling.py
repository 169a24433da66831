"""Filling the feed Redis as warm reads find it: every viewer's lists and account, every card."""

import sys

from django.db import connections

from feeds.builds import build_feed, build_timeline
from feeds.cards import Hydrator, account_memory, post_memory
from feeds.epoch import current_epoch, learn_epoch
from feeds.lists import keys_at
from feeds.overlay import Overlay
from feeds.proof.viewers import in_processes
from feeds.relations import build_following
from posts.models import Post
from social.models import Account

_BATCH = 500


def fill(viewers: list[int], *, processes: int = 2) -> None:
    """Build what reads of `viewers` need. Their `last_seen` must be recent, or nothing is kept of them."""
    for _ in in_processes(
        fill_viewers, viewers, processes=processes, label="Filling feeds", stream=sys.stderr
    ):
        pass
    learn_epoch(current_epoch())
    fill_cards()


def fill_viewers(viewers: list[int]) -> int:
    keys = keys_at(current_epoch())
    for viewer in viewers:
        build_feed(keys, viewer, store=True)
        build_timeline(keys, viewer, store=True)
        build_following(keys, viewer)
    connections.close_all()
    return len(viewers)


def fill_cards() -> None:
    """Every post and account, newest posts last so that the fewest are evicted again."""
    hydrator = Hydrator(keys_at(current_epoch()), Overlay())
    posts = list(Post.objects.order_by("pk").values_list("pk", flat=True))
    accounts = list(Account.objects.order_by("pk").values_list("pk", flat=True))
    for n in range(0, len(posts), _BATCH):
        hydrator.posts(posts[n : n + _BATCH])
    for n in range(0, len(accounts), _BATCH):
        hydrator.accounts(accounts[n : n + _BATCH])
    post_memory.clear()
    account_memory.clear()
