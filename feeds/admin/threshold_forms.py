"""The settings that staff change, and why."""

from typing import Any

from django import forms

from feeds.models import FeedSettings, SettingsChange
from feeds.threshold import MOST_FOLLOWERS
from social.text import clean_text

REASON_LENGTH = SettingsChange._meta.get_field("reason").max_length or 0


class TunableForm(forms.ModelForm):
    """`seen` is the state that the values were chosen by (feeds.settings_history.newest_change)."""

    threshold = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_FOLLOWERS,
        help_text=FeedSettings._meta.get_field("threshold").help_text,
    )
    reason = forms.CharField(
        required=False,
        help_text=f"For the history: why it is changed. At most {REASON_LENGTH} characters.",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": REASON_LENGTH}),
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    class Meta:
        model = FeedSettings
        fields = ["threshold", "hysteresis", "freshness_target", "read_budget"]

    def clean_reason(self) -> str:
        try:
            return clean_text(self.cleaned_data["reason"], max_length=REASON_LENGTH, required=True)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        """At least one value has to be another."""
        fields = super().clean() or self.cleaned_data
        if not self.errors and not self.wanted:
            raise forms.ValidationError("Nothing is different from what is in force.")
        return fields

    @property
    def wanted(self) -> dict[str, Any]:
        """What is to be another than it is."""
        now = FeedSettings.objects.get(pk=1)
        return {
            name: self.cleaned_data[name]
            for name in self.Meta.fields
            if name in self.cleaned_data and self.cleaned_data[name] != getattr(now, name)
        }


class TryForm(forms.Form):
    """`try` in the address: a threshold to look at, which changes nothing."""

    number = forms.IntegerField(min_value=1, max_value=MOST_FOLLOWERS, label="Try a threshold")
