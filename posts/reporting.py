"""Reports: what people tell staff about a menu, and what staff do about it."""

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from posts.models import REASON_LENGTH, Report
from posts.selectors import NO_SUCH_MENU, get_author_id
from posts.services import hide_post
from social.errors import Forbidden, InvalidInput, NotFound
from social.models import Account
from social.text import clean_text

YOUR_OWN = _("This menu is your own. You can edit or delete it.")


def report_post(*, account: Account, post_id: int, reason: str) -> None:
    """`account` tells staff what is wrong with a menu that it may see.

    Once for each account and menu: a repeat replaces the reason, and staff look again. One's own menu one had better
    edit or delete. NotFound, Forbidden, InvalidInput.
    """
    try:
        reason = clean_text(reason, max_length=REASON_LENGTH, multiline=True, required=True)
    except ValueError as error:
        raise InvalidInput(_("The reason is not right."), errors={"reason": [str(error)]}) from None
    if get_author_id(viewer_id=account.pk, post_id=post_id) == account.pk:
        raise Forbidden(YOUR_OWN)
    try:
        with transaction.atomic():
            _save_report(Report(account=account, post_id=post_id, reason=reason))
    except IntegrityError:  # the menu was deleted meanwhile
        raise NotFound(NO_SUCH_MENU) from None


def _save_report(report: Report) -> None:
    """In one statement, so that two at once are neither two rows nor an error."""
    Report.objects.bulk_create(
        [report],
        update_conflicts=True,
        unique_fields=["account", "post"],
        update_fields=["reason", "created_at", "handled_at"],
    )


def handle_reports(report_ids: Iterable[int]) -> list[int]:
    """Staff have looked at these reports; the ids of those that were open."""
    with transaction.atomic():
        return _handle(Report.objects.filter(pk__in=report_ids))


def hide_reported_posts(post_ids: Iterable[int]) -> list[int]:
    """Staff hide these menus, all or none, which handles all that was reported of them; the ids of those that were
    not hidden yet."""
    with transaction.atomic():
        ids = sorted(post_ids)
        hidden = [post_id for post_id in ids if _hide(post_id)]
        _handle(Report.objects.filter(post_id__in=ids))
        return hidden


def _hide(post_id: int) -> bool:
    try:
        return hide_post(post_id=post_id)
    except NotFound:  # its cook has deleted it meanwhile
        return False


def _handle(reports: QuerySet[Report]) -> list[int]:
    """Rows are locked in the order of ids, after all menus: so no two of staff wait for each other."""
    still_open = reports.filter(handled_at=None).order_by("pk").select_for_update()
    ids = list(still_open.values_list("pk", flat=True))
    Report.objects.filter(pk__in=ids).update(handled_at=timezone.now())
    return ids
