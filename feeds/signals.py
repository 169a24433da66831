"""What the feed hears from accounts and posts. Triggers have recorded the change already; here it is delivered as
soon as it is committed."""

from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from feeds.delivery import announce_before_commit, deliver_now
from feeds.models import Outbox
from posts.models import Dish, Like, Photo, Post
from social.models import Account, Block, Follow, Mute

Kind = Outbox.Kind


class AtCommit:
    """The changes of a transaction, delivered together when it has committed: all dishes of a menu in one round
    trip, and one wait instead of many when Redis is away."""

    def __init__(self) -> None:
        self.changes: dict[tuple[str, int], None] = {}  # in order, each once

    def __call__(self) -> None:
        deliver_now(list(self.changes))


def on_commit(kind: str, subject_id: int) -> None:
    connection = transaction.get_connection()
    for savepoints, waiting, _ in connection.run_on_commit[-1:]:
        # Only where no rollback can take what waits and leave this; the other way round it finds nothing to do.
        if isinstance(waiting, AtCommit) and savepoints <= set(connection.savepoint_ids):
            waiting.changes[kind, subject_id] = None
            return
    at_commit = AtCommit()
    at_commit.changes[kind, subject_id] = None
    transaction.on_commit(at_commit)


@receiver(post_save, sender=Post)
def on_post_saved(instance: Post, created: bool, raw: bool, **kwargs: Any) -> None:
    if created and not raw:
        announce_before_commit(instance.pk, instance.author_id)
    on_commit(Kind.PUBLISHED if created else Kind.EDITED, instance.pk)


@receiver(post_delete, sender=Post)
def on_post_deleted(instance: Post, **kwargs: Any) -> None:
    on_commit(Kind.DELETED, instance.pk)


@receiver([post_save, post_delete], sender=Dish)
@receiver([post_save, post_delete], sender=Photo)
def on_post_part_changed(instance: Dish | Photo, **kwargs: Any) -> None:
    if instance.post_id is not None:  # a photo waits for its menu
        on_commit(Kind.EDITED, instance.post_id)


@receiver([post_save, post_delete], sender=Like)
def on_like_changed(instance: Like, **kwargs: Any) -> None:
    on_commit(Kind.LIKES_CHANGED, instance.account_id)


@receiver(post_save, sender=Follow)
def on_followed(instance: Follow, created: bool, **kwargs: Any) -> None:
    if created:
        on_commit(Kind.FOLLOWED, instance.follower_id)


@receiver(post_delete, sender=Follow)
def on_unfollowed(instance: Follow, **kwargs: Any) -> None:
    on_commit(Kind.UNFOLLOWED, instance.follower_id)


@receiver(post_save, sender=Block)
def on_blocked(instance: Block, created: bool, **kwargs: Any) -> None:
    """The database has ended the follows between the two."""
    if created:
        on_commit(Kind.UNFOLLOWED, instance.blocker_id)
        on_commit(Kind.UNFOLLOWED, instance.blocked_id)


@receiver([post_save, post_delete], sender=Mute)
def on_mute_changed(instance: Mute, **kwargs: Any) -> None:
    on_commit(Kind.MUTES_CHANGED, instance.muter_id)


@receiver(post_save, sender=Account)
def on_account_saved(instance: Account, created: bool, **kwargs: Any) -> None:
    if not created:
        on_commit(Kind.ACCOUNT_CHANGED, instance.pk)


@receiver(post_delete, sender=Account)
def on_account_erased(instance: Account, **kwargs: Any) -> None:
    on_commit(Kind.ACCOUNT_CHANGED, instance.pk)
