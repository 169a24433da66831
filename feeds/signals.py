"""What the feed hears from accounts and posts. Triggers have recorded the change already; here it is delivered as
soon as it is committed."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from feeds.delivery import announce_before_commit, deliver_now
from feeds.models import Outbox
from posts.models import Dish, Photo, Post
from social.models import Account, Follow

Kind = Outbox.Kind


def on_commit(kind: str, subject_id: int) -> None:
    """Deliver at commit; once for all dishes of a menu that follow on each other: without Redis each would wait."""
    connection = transaction.get_connection()
    for savepoints, waiting, _ in connection.run_on_commit[-1:]:
        if (
            isinstance(waiting, partial)
            and waiting.func is deliver_now
            and waiting.args == (kind, subject_id)
            and savepoints <= set(connection.savepoint_ids)  # no rollback can take it and leave this one
        ):
            return
    transaction.on_commit(partial(deliver_now, kind, subject_id))


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
    on_commit(Kind.EDITED, instance.post_id)


@receiver(post_save, sender=Follow)
def on_followed(instance: Follow, created: bool, **kwargs: Any) -> None:
    if created:
        on_commit(Kind.FOLLOWED, instance.follower_id)


@receiver(post_delete, sender=Follow)
def on_unfollowed(instance: Follow, **kwargs: Any) -> None:
    on_commit(Kind.UNFOLLOWED, instance.follower_id)


@receiver(post_save, sender=Account)
def on_account_saved(instance: Account, created: bool, **kwargs: Any) -> None:
    if not created:
        on_commit(Kind.ACCOUNT_CHANGED, instance.pk)


@receiver(post_delete, sender=Account)
def on_account_erased(instance: Account, **kwargs: Any) -> None:
    on_commit(Kind.ACCOUNT_CHANGED, instance.pk)
