"""Delivering changes to what is derived from them: one function for each kind, two drivers.

At commit, by the process that made the change (`deliver_now`), so that the very next read sees it; later, by the
relay (`relay`), for whatever the first driver did not get done. Both are harmless to repeat.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence

from django.conf import settings
from django.db import DatabaseError

from feeds import outbox
from feeds.epoch import known_epoch
from feeds.keys import Keys
from feeds.lists import Command, ListsUnavailable, commands, execute, keys_at
from feeds.models import Outbox
from feeds.outbox import Change
from feeds.overlay import MARK_SECONDS, entry_of
from feeds.queueing import enqueue_fan_out

logger = logging.getLogger(__name__)
Kind = Outbox.Kind


# --- What each kind of change demands of Redis -------------------------------------------------------------


def published(keys: Keys, change: Change) -> list[Command]:
    """The author's timeline takes the id; a card that was stored as gone goes. Followers are fan-out's."""
    assert change.author_id is not None
    timeline = keys.timeline(change.author_id)
    return [push_one(timeline, change.subject_id), commands.delete_command(keys.card(change.subject_id))]


def post_changed(keys: Keys, change: Change) -> list[Command]:
    return [commands.delete_command(keys.card(change.subject_id))]


def followed(keys: Keys, change: Change) -> list[Command]:
    """The stored feed lacks what the followed author wrote before: the next read builds it."""
    return [commands.delete_command(keys.feed(change.subject_id), keys.follows(change.subject_id))]


def relations_changed(keys: Keys, change: Change) -> list[Command]:
    """Unfollowed, muted, unmuted: the stored feed may keep the ids, they are filtered when it is read."""
    return [commands.delete_command(keys.follows(change.subject_id))]


def likes_changed(keys: Keys, change: Change) -> list[Command]:
    return [commands.delete_command(keys.likes(change.subject_id))]


def account_changed(keys: Keys, change: Change) -> list[Command]:
    return [commands.delete_command(keys.account(change.subject_id))]


HANDLERS: dict[str, Callable[[Keys, Change], list[Command]]] = {
    Kind.PUBLISHED: published,
    Kind.EDITED: post_changed,
    Kind.DELETED: post_changed,
    Kind.FOLLOWED: followed,
    Kind.UNFOLLOWED: relations_changed,
    Kind.MUTES_CHANGED: relations_changed,
    Kind.LIKES_CHANGED: likes_changed,
    Kind.ACCOUNT_CHANGED: account_changed,
}


_begun_epoch = 0  # the last epoch for which this process has seen to it that no reader trusts an older mark


def apply(keys: Keys, changes: Iterable[Change]) -> None:
    """List changes in the overlay, then do what they demand; one round trip. ListsUnavailable."""
    global _begun_epoch
    changes = list(changes)
    if not changes:
        return
    entries = [
        entry for c in changes if (entry := entry_of(c.kind, c.subject_id, c.author_id, pending=False))
    ]
    steps = [step for change in changes for step in HANDLERS[change.kind](keys, change)]
    if keys.epoch != _begun_epoch:
        # The steps delete keys of this epoch, and a mark of the one before sends readers to its own for a second.
        steps.insert(0, commands.drop_mark_command(keys))
    execute(keys, [commands.add_to_overlay_command(keys, entries), *steps])
    _begun_epoch = keys.epoch


# --- The two drivers ---------------------------------------------------------------------------------------


def deliver_now(subjects: Sequence[tuple[str, int]]) -> None:
    """Deliver the changes of `(kind, subject id)` that have just been committed; returns when every reader will
    see them.

    If Redis did not take them, nobody trusts an overlay without them a second from now: the overlay's mark is
    valid for a second, and the next one is built from the outbox. So the writer waits that second before it
    answers.
    """
    try:
        epoch, changes = outbox.pending_changes(subjects)
        apply(keys_at(epoch), changes)
    except (ListsUnavailable, DatabaseError) as error:
        logger.warning("Left to the relay: %s (%s)", subjects, error)
        time.sleep(MARK_SECONDS)
    else:
        _finish([change for change in changes if change.kind != Kind.PUBLISHED])
    for kind, subject_id in subjects:
        if kind == Kind.PUBLISHED:
            enqueue_fan_out(subject_id)


def _finish(changes: list[Change]) -> None:
    try:
        outbox.mark_done([change.id for change in changes])
    except DatabaseError as error:  # delivered, not written down: the relay delivers it again
        logger.warning("Could not finish %s changes: %s", len(changes), error)


RELAY_BATCH = 500


def relay(*, seconds: float = 5.0) -> int:
    """Deliver what the first driver left, oldest first, for about `seconds`; how many rows were handled."""
    deadline, handled = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        epoch, changes = outbox.overdue_changes(RELAY_BATCH)
        if not changes:
            break
        apply(keys_at(epoch), changes)
        posts = [change for change in changes if change.kind == Kind.PUBLISHED]
        outbox.mark_done([change.id for change in changes if change.kind != Kind.PUBLISHED])
        outbox.claim_for_queue([change.id for change in posts])
        if not all(enqueue_fan_out(change.subject_id) for change in posts):
            # The broker is away: the claims, which grow longer each time, must not outlast that.
            outbox.release_claim([change.id for change in posts])
            break
        handled += len(changes)
    return handled


def push_one(timeline: str, post_id: int) -> Command:
    """A post into its author's timeline; the list is looked at for trimming each time, it is one list."""
    return commands.push_command([timeline], [post_id], length=settings.FEED_LENGTH, trim=True)


def announce_before_commit(post_id: int, author_id: int) -> None:
    """List a post that is about to be committed, so that no way of reading shows it earlier than another.

    Only to narrow a gap: what counts is `deliver_now` after the commit. Readers skip an id without a post.
    """
    try:
        keys = keys_at(known_epoch())
        entry = entry_of(Kind.PUBLISHED, post_id, author_id, pending=True)
        execute(keys, [commands.add_to_overlay_command(keys, [entry])])
    except ListsUnavailable:
        return
