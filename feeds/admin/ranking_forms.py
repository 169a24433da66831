"""The weights of the ranked feed as staff turn them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField

from feeds.admin.threshold_forms import REASON_LENGTH
from feeds.ranking.weights import Values, Weight
from social.text import clean_text

PREFIX = "weight_"  # so that no ranker's weight is taken for another field


@dataclass(frozen=True, slots=True)
class Row:
    """A weight and its field. `in_force`: what is in force, where the field says something else."""

    weight: Weight
    field: BoundField
    in_force: str

    @property
    def limits(self) -> str:
        return limits_of(self.weight)

    @property
    def unit(self) -> str:
        return unit_of(self.weight)


class WeightsForm(forms.Form):
    """A field for each weight of a ranker, begun with `given`, else with what is `in_force`.

    `seen` is the state that they were chosen by (feeds.settings_history.newest_change). Without `saving`, for a look,
    it is not asked for, nor is a reason, nor need anything be another than it is.
    """

    reason = forms.CharField(
        required=False,
        help_text=f"For the history: why they are changed. At most {REASON_LENGTH} characters.",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": REASON_LENGTH}),
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(
        self,
        data: Any = None,
        *,
        weights: Sequence[Weight],
        in_force: Values,
        given: Values | None = None,
        saving: bool = False,
        initial: dict[str, Any] | None = None,
    ) -> None:
        begun = {PREFIX + name: shown(value) for name, value in (dict(in_force) | dict(given or {})).items()}
        super().__init__(data, initial=begun | (initial or {}))
        self._weights, self._in_force, self._saving = weights, in_force, saving
        self.fields["seen"].required = saving
        for weight in weights:
            self.fields[PREFIX + weight.name] = _field_of(weight)

    def clean_reason(self) -> str:
        try:
            return clean_text(self.cleaned_data["reason"], max_length=REASON_LENGTH, required=self._saving)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        """Every weight within its range; and, to be saved, one at least has to be another."""
        fields = super().clean() or self.cleaned_data
        for weight in self._weights:
            value = fields.get(PREFIX + weight.name)
            if value is not None and weight.problem_with(value):
                self.add_error(PREFIX + weight.name, f"Must be {range_of(weight)}.")
        if self._saving and not self.errors and not self.wanted:
            raise forms.ValidationError("Nothing is different from what is in force.")
        return fields

    @property
    def values(self) -> dict[str, float]:
        """Every weight: as it stands in the form where that is sound, else as it is in force."""
        said = self._said()
        return {
            weight.name: self._in_force[weight.name]
            if (value := said.get(weight.name)) is None or weight.problem_with(value)
            else value
            for weight in self._weights
        }

    @property
    def wanted(self) -> dict[str, float]:
        """What is to be another than it is."""
        return {name: value for name, value in self.values.items() if value != self._in_force[name]}

    @property
    def rows(self) -> list[Row]:
        values = self.values
        return [
            Row(
                weight,
                self[PREFIX + weight.name],
                ""
                if values[weight.name] == self._in_force[weight.name]
                else shown(self._in_force[weight.name]),
            )
            for weight in self._weights
        ]

    @property
    def unsound(self) -> list[str]:
        """Titles of the weights that cannot be taken as they are typed."""
        return [
            weight.title for weight in self._weights if self.is_bound and PREFIX + weight.name in self.errors
        ]

    def _said(self) -> dict[str, float | None]:
        if not self.is_bound:
            return {weight.name: float(self.initial[PREFIX + weight.name]) for weight in self._weights}
        self.is_valid()  # cleans the form, unless that is done, or going on
        return {weight.name: self.cleaned_data.get(PREFIX + weight.name) for weight in self._weights}


def shown(value: float) -> str:
    """As one types it: 6, 0.6."""
    return repr(int(value) if value == int(value) else value)


def range_of(weight: Weight) -> str:
    return f"from {weight.low:,g} to {weight.high:,g}"


def limits_of(weight: Weight) -> str:
    return f"{range_of(weight).capitalize()}, by default {shown(weight.default)}."


def unit_of(weight: Weight) -> str:
    """Where the title does not say it already."""
    return "" if weight.title.lower().endswith(weight.unit.lower()) else weight.unit


def _field_of(weight: Weight) -> forms.FloatField:
    name = f"id_{PREFIX}{weight.name}"
    limits = {"min": shown(weight.low), "max": shown(weight.high), "step": "any", "autocomplete": "off"}
    described = {"aria-describedby": f"{name}_helptext {name}_state"}
    return forms.FloatField(
        label=weight.title, help_text=weight.help, widget=forms.NumberInput(attrs=limits | described)
    )
