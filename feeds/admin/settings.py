"""The feed's settings for staff: the threshold above all."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from feeds.models import FeedSettings, PulledAuthor
from feeds.threshold import MOST_FOLLOWERS, current_threshold, set_threshold


class FeedSettingsForm(forms.ModelForm):
    threshold = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_FOLLOWERS,
        help_text=FeedSettings._meta.get_field("threshold").help_text,
    )

    class Meta:
        model = FeedSettings
        fields = ["threshold"]


@admin.register(FeedSettings)
class FeedSettingsAdmin(admin.ModelAdmin):
    """One row. Saving brings the threshold into force and moves the authors whom it concerns."""

    form = FeedSettingsForm
    fields = ["threshold", "in_force", "pulled_now", "hysteresis", "threshold_set_at", "window", "epoch"]
    readonly_fields = ["in_force", "pulled_now", "hysteresis", "threshold_set_at", "window", "epoch"]

    @admin.display(description="in force")
    def in_force(self, row: FeedSettings) -> str:
        default = f" (the default here is {settings.FANOUT_THRESHOLD:,})"
        return f"{current_threshold():,} followers{default}"

    @admin.display(description="pulled authors")
    def pulled_now(self, row: FeedSettings) -> str:
        return f"{PulledAuthor.objects.filter(until_id=None).count():,}"

    @admin.display(description="pushed again below")
    def hysteresis(self, row: FeedSettings) -> str:
        return f"{current_threshold() * row.hysteresis:,.0f} followers, when followers leave"

    @admin.display(description="feeds are kept for")
    def window(self, row: FeedSettings) -> str:
        return f"{row.inactive_after / 86400:,.3g} days after the last visit"

    def save_model(self, request: HttpRequest, obj: FeedSettings, form: Any, change: bool) -> None:
        set_threshold(obj.threshold)
        self.message_user(
            request,
            f"Authors are pulled from {current_threshold():,} followers on."
            f" Authors pulled now: {self.pulled_now(obj)}.",
        )

    def response_change(self, request: HttpRequest, obj: FeedSettings) -> HttpResponse:
        return redirect(request.path)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        FeedSettings.objects.get_or_create(pk=1)
        return redirect(reverse("admin:feeds_feedsettings_change", args=[1]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
