"""Filling the feed Redis as warm reads find it: every viewer's lists and account, the cards of first pages.

By the protocol of the product's own builds (token, read, store), but a hundred viewers to a round trip.
"""

import secrets
import sys
from collections.abc import Sequence

from django.db import connections
from django.utils import timezone

from feeds.access import Access
from feeds.builds import TIMELINE_SECONDS, ReadFeed, read_feed_ids
from feeds.cards import Hydrator, account_memory, post_memory
from feeds.epoch import current_epoch, learn_epoch
from feeds.keys import Keys
from feeds.lists import commands, execute, keys_at
from feeds.overlay import Overlay
from feeds.proof.viewers import in_processes
from feeds.relations import FOLLOWS_SECONDS, read_relations
from social.models import Account

_BATCH = 500
_FIRST_PAGE = 40  # ids, with what a read looks at beyond the page


def fill(viewers: list[int], *, processes: int = 2) -> None:
    """Build what reads of `viewers` need; they were all seen just now. None of them writes menus."""
    Account.objects.filter(pk__in=viewers).update(last_seen=timezone.now())
    posts: set[int] = set()
    for seen in in_processes(
        fill_viewers, viewers, processes=processes, label="Filling feeds", stream=sys.stderr
    ):
        posts |= seen
    learn_epoch(current_epoch())
    _fill_cards(sorted(posts))


def fill_viewers(viewers: list[int]) -> set[int]:
    """Store the lists of viewers; the posts of their first pages."""
    keys = keys_at(current_epoch())
    names = [name for v in viewers for name in (keys.feed(v), keys.timeline(v))]
    begun = [(".begin_list", [name], secrets.token_hex(8), commands.LIST_PATIENCE_MS) for name in names]
    tokens = dict(zip(names, execute(keys, begun), strict=True))
    feeds = {viewer: read_feed_ids(viewer) for viewer in viewers}
    token, _ = commands.begin_values(keys, [keys.follows(viewer) for viewer in viewers])
    follows = {keys.follows(v): (read_relations(v).pack(), FOLLOWS_SECONDS) for v in viewers}
    execute(keys, _stores(keys, tokens, feeds))
    commands.store_values(keys, token, follows)
    connections.close_all()
    return {post for read in feeds.values() for post in read.ids[:_FIRST_PAGE]}


def _stores(keys: Keys, tokens: dict[str, bytes], feeds: dict[int, ReadFeed]) -> list[commands.Command]:
    """The feeds, and the empty timelines of customers."""
    stores: list[commands.Command] = []
    for viewer, read in feeds.items():
        assert read.expires_at is not None
        feed, timeline = keys.feed(viewer), keys.timeline(viewer)
        expires_ms = int(read.expires_at.timestamp() * 1000)
        stores.append((".store_list", [feed], tokens[feed], read.floor, expires_ms, *read.ids))
        expires_ms = int((timezone.now().timestamp() + TIMELINE_SECONDS) * 1000)
        stores.append((".store_list", [timeline], tokens[timeline], 0, expires_ms))
    return stores


def _fill_cards(posts: Sequence[int]) -> None:
    hydrator = Hydrator(keys_at(current_epoch()), Overlay(), Access(limited=False))
    accounts = list(Account.objects.order_by("pk").values_list("pk", flat=True))
    for n in range(0, len(posts), _BATCH):
        hydrator.posts(posts[n : n + _BATCH])
    for n in range(0, len(accounts), _BATCH):
        hydrator.accounts(accounts[n : n + _BATCH])
    post_memory.clear()
    account_memory.clear()
