"""Who has set what, and why; and that nobody's change is overwritten by who has not seen it."""

from collections.abc import Mapping

from django.db.models import QuerySet

from feeds.models import SettingsChange
from social.models import Account

RANKING = "ranking: "  # begins the names of weights, which are no fields


class ChangedMeanwhile(Exception):
    """Somebody else has changed the settings since they were looked at."""


def changes_of(*, ranking: bool) -> QuerySet[SettingsChange]:
    """Of the weights of ranking, or of all other settings, the newest first."""
    changes = SettingsChange.objects.order_by("-id")
    return (
        changes.filter(field__startswith=RANKING) if ranking else changes.exclude(field__startswith=RANKING)
    )


def newest_change(*, ranking: bool = False) -> int:
    """The settings, or the weights of ranking, as they are now, by their latest change; for `seen`."""
    return changes_of(ranking=ranking).values_list("id", flat=True).first() or 0


def refuse_changed_meanwhile(seen: int | None, newest: int) -> None:
    """`seen`: what `newest_change` said when the values were chosen; None: they were not chosen by what was there."""
    if seen is not None and seen != newest:
        raise ChangedMeanwhile


def note_changes(
    changes: Mapping[str, tuple[float | None, float | None]], *, by: Account | None, reason: str
) -> list[str]:
    """Remember who has set what from which value to which; the names of those that are others now."""
    changed = [name for name, (old, new) in changes.items() if old != new]
    SettingsChange.objects.bulk_create(
        SettingsChange(
            by=by,
            by_name=by.username if by else "",
            field=name,
            old=_written(changes[name][0]),
            new=_written(changes[name][1]),
            reason=reason,
        )
        for name in changed
    )
    return changed


def _written(value: float | None) -> str:
    return "default" if value is None else f"{value:,}"
