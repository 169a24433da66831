"""Following, asking to follow, and their end."""

from enum import StrEnum

from django.utils.translation import gettext

from social.errors import Forbidden
from social.models import Account, Block, Follow, FollowRequest
from social.selectors import follows, get_visible_account
from social.services.pairs import persistently, refuse_oneself, still_private


class FollowState(StrEnum):
    """What a press on Follow led to."""

    FOLLOWING = "following"
    REQUESTED = "requested"


def follow_account(*, follower: Account, followee_id: int) -> FollowState:
    """`follower` follows `followee_id` from now on, or has asked to, where that account is private.

    Following twice is once. SelfTarget, NotFound; Forbidden while the follower blocks the account.
    """
    refuse_oneself(follower, followee_id, gettext("You cannot follow yourself."))
    return persistently(lambda: _follow_or_ask(follower, followee_id))


def _follow_or_ask(follower: Account, followee_id: int) -> FollowState:
    followee = get_visible_account(viewer_id=follower.pk, account_id=followee_id)
    if Block.objects.filter(blocker=follower, blocked=followee).exists():
        words = gettext("You block @%(name)s. Unblock first, then follow.")
        raise Forbidden(words % {"name": followee.username})
    # A follow that overlaps with going private counts as made before it. A request must not: going public while
    # it is made would leave it pending for ever, so that the account is held private until it is written.
    if followee.is_private and still_private(followee.pk):
        return _ask(follower, followee)
    Follow.objects.get_or_create(follower=follower, followee=followee)
    return FollowState.FOLLOWING


def _ask(follower: Account, followee: Account) -> FollowState:
    if follows(follower_id=follower.pk, followee_id=followee.pk):
        return FollowState.FOLLOWING
    FollowRequest.objects.get_or_create(follower=follower, followee=followee)
    return FollowState.REQUESTED


def unfollow_account(*, follower: Account, followee_id: int) -> None:
    """`follower` neither follows `followee_id` nor asks to any more; harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(follower, followee_id, gettext("You cannot unfollow yourself."))
    # The request first: whoever accepts it at this moment makes a follow of it, which the second step ends.
    asked, _ = FollowRequest.objects.filter(follower=follower, followee_id=followee_id).delete()
    followed, _ = Follow.objects.filter(follower=follower, followee_id=followee_id).delete()
    if not asked and not followed:
        get_visible_account(viewer_id=follower.pk, account_id=followee_id)


def remove_follower(*, followee: Account, follower_id: int) -> None:
    """`follower_id` no longer follows `followee`; harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(followee, follower_id, gettext("You do not follow yourself."))
    removed, _ = Follow.objects.filter(follower_id=follower_id, followee=followee).delete()
    if not removed:
        get_visible_account(viewer_id=followee.pk, account_id=follower_id)
