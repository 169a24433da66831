"""Muting: out of one's feed for a while or until further notice, without anybody's knowing."""

from datetime import timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext

from social.errors import InvalidInput
from social.models import Account, Mute
from social.selectors import get_visible_account
from social.services.pairs import persistently, refuse_oneself

LONGEST_MUTE = 10 * 365 * 86400  # seconds


def mute_account(*, muter: Account, muted_id: int, expires_in: int | None = None) -> None:
    """`muted_id` is out of the feed of `muter` for `expires_in` seconds (None: until further notice) from now.

    Muting again replaces the end. SelfTarget, NotFound, InvalidInput.
    """
    refuse_oneself(muter, muted_id, gettext("You cannot mute yourself."))
    if expires_in is not None and not 1 <= expires_in <= LONGEST_MUTE:
        words = gettext("Must be from 1 to %(most)d seconds, which is ten years.") % {"most": LONGEST_MUTE}
        raise InvalidInput(gettext("Nothing was muted."), errors={"expires_in": [words]})
    persistently(lambda: _mute(muter, muted_id, expires_in))


def _mute(muter: Account, muted_id: int, expires_in: int | None) -> None:
    muted = get_visible_account(viewer_id=muter.pk, account_id=muted_id)
    # By the database's clock, which is asked too whether the mute is still in force.
    expires_at = None if expires_in is None else Now() + timedelta(seconds=expires_in)
    Mute.objects.update_or_create(muter=muter, muted=muted, defaults={"expires_at": expires_at})


def unmute_account(*, muter: Account, muted_id: int) -> None:
    """The mute ends; harmless to repeat. SelfTarget, NotFound."""
    refuse_oneself(muter, muted_id, gettext("You cannot unmute yourself."))
    ended, _ = Mute.objects.filter(muter=muter, muted_id=muted_id).delete()
    if not ended:
        get_visible_account(viewer_id=muter.pk, account_id=muted_id)
