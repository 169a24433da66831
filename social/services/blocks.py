"""Blocking. The database ends the follows and requests between the two (social/keep_blocks.sql)."""

from django.utils.translation import gettext

from social.models import Account, Block
from social.selectors import get_visible_account
from social.services.pairs import persistently, refuse_oneself


def block_account(*, blocker: Account, blocked_id: int) -> None:
    """`blocker` and `blocked_id` see nothing of each other's menus from now on; blocking twice is once.

    SelfTarget, NotFound.
    """
    refuse_oneself(blocker, blocked_id, gettext("You cannot block yourself."))
    persistently(lambda: _block(blocker, blocked_id))


def _block(blocker: Account, blocked_id: int) -> None:
    # Also when that account blocks back by now, and so is not to be seen: repeating is harmless.
    if not Block.objects.filter(blocker=blocker, blocked_id=blocked_id).exists():
        blocked = get_visible_account(viewer_id=blocker.pk, account_id=blocked_id)
        Block.objects.get_or_create(blocker=blocker, blocked=blocked)


def unblock_account(*, blocker: Account, blocked_id: int) -> None:
    """The block ends; what it ended stays ended. Harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(blocker, blocked_id, gettext("You cannot unblock yourself."))
    ended, _ = Block.objects.filter(blocker=blocker, blocked_id=blocked_id).delete()
    if not ended:
        get_visible_account(viewer_id=blocker.pk, account_id=blocked_id)
