"""The avatar is a photo, which `social` does not know: whoever keeps photos registers how one becomes an avatar."""

from collections.abc import Callable

from django.utils.translation import gettext

from social.errors import InvalidInput
from social.models import Account

# `prepare(account_id, media_id)` does what takes long and gives what is done in the transaction that holds the
# account's row; `media_id` None: no avatar. InvalidInput by field `avatar_media_id`, Unavailable.
Change = Callable[[Account], None]
Prepare = Callable[[int, int | None], Change]


def _no_photos(account_id: int, media_id: int | None) -> Change:
    words = gettext("There are no photos here.")
    raise InvalidInput(gettext("Nothing was changed."), errors={"avatar_media_id": [words]})


_prepare: Prepare = _no_photos


def prepare_avatars_by(prepare: Prepare) -> None:
    """Register how a photo becomes an avatar (posts/apps.py)."""
    global _prepare
    _prepare = prepare


def prepare_avatar(account_id: int, media_id: int | None) -> Change:
    return _prepare(account_id, media_id)
