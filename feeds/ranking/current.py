"""The weights in force, and changing them."""

from collections.abc import Mapping

from django.db import transaction

from feeds.models import RankingSettings
from feeds.ranking.rankers import current_ranker
from feeds.ranking.weights import complete
from feeds.settings_history import RANKING, newest_change, note_changes, refuse_changed_meanwhile
from social.models import Account


def current_weights() -> dict[str, float]:
    """One query."""
    stored = RankingSettings.objects.filter(pk=1).values_list("weights", flat=True).first()
    return complete(current_ranker().weights, stored or {})


def change_weights(
    values: Mapping[str, float], *, by: Account | None, reason: str, seen: int | None = None
) -> list[str]:
    """Put weights in force for every list that is ranked from now on; the names of those that are others now.

    The history says who did it and why. ValueError for a value out of its range; ChangedMeanwhile, see
    feeds.settings_history.
    """
    weights = {weight.name: weight for weight in current_ranker().weights}
    problems = [problem for name in values if (problem := weights[name].problem_with(values[name]))]
    if problems:
        raise ValueError(" ".join(problems))
    with transaction.atomic():
        RankingSettings.objects.get_or_create(pk=1)
        row = RankingSettings.objects.select_for_update().get(pk=1)  # whoever else changes them waits here
        refuse_changed_meanwhile(seen, newest_change(ranking=True))
        before = complete(list(weights.values()), row.weights)
        changes = {f"{RANKING}{name}": (before[name], value) for name, value in values.items()}
        changed = note_changes(changes, by=by, reason=reason)
        row.weights = {**row.weights, **values}
        row.save(update_fields=["weights"])
    return [name.removeprefix(RANKING) for name in changed]
