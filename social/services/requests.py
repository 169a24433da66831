"""Answers to those who ask to follow a private account."""

from django.db import connection
from django.db.models.signals import post_save
from django.utils.translation import gettext

from social.errors import NotFound
from social.models import Account, Follow, FollowRequest
from social.selectors import follows, get_visible_account
from social.services.pairs import (
    hold_off_blocks,
    hold_off_blocks_of_requests,
    lock_account,
    persistently,
    refuse_oneself,
)


def accept_request(*, followee: Account, follower_id: int) -> None:
    """`follower_id`, who has asked to, follows `followee` from now on; harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(followee, follower_id, gettext("You cannot ask yourself."))
    persistently(lambda: _accept(followee, follower_id))


def _accept(followee: Account, follower_id: int) -> None:
    follower = get_visible_account(viewer_id=followee.pk, account_id=follower_id)
    # While the account is locked nobody asks, so that no second request of the same person is left beside her
    # follow. A block would wait for the request's row and this for the block, but for the second lock.
    lock_account(followee.pk)
    hold_off_blocks(followee.pk, follower_id)
    asked, _ = FollowRequest.objects.filter(follower=follower, followee=followee).delete()
    if asked:
        Follow.objects.get_or_create(follower=follower, followee=followee)
    elif not follows(follower_id=follower_id, followee_id=followee.pk):
        raise NotFound(gettext("There is no such request, or no longer."))


def reject_request(*, followee: Account, follower_id: int) -> None:
    """`follower_id` no longer asks to follow `followee`; harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(followee, follower_id, gettext("You cannot ask yourself."))
    asked, _ = FollowRequest.objects.filter(follower_id=follower_id, followee=followee).delete()
    if not asked:
        get_visible_account(viewer_id=followee.pk, account_id=follower_id)


def accept_all_requests(followee: Account) -> None:
    """Of an account that has just gone public, in the transaction that made it so and holds its row."""
    hold_off_blocks_of_requests(followee.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM social_followrequest WHERE followee_id = %s RETURNING follower_id", [followee.pk]
        )
        follows = [Follow(follower_id=row[0], followee=followee) for row in cursor.fetchall()]
    Follow.objects.bulk_create(follows, batch_size=1000, ignore_conflicts=True)
    for follow in follows:  # bulk_create tells nobody
        post_save.send(Follow, instance=follow, created=True, raw=False, using="default", update_fields=None)
