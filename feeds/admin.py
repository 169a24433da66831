"""Staff's view of the feed: the threshold, who is pulled, what is on its way."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from feeds.models import FeedSettings, Outbox, PulledAuthor
from feeds.threshold import MOST_FOLLOWERS, current_threshold, set_threshold
from social.staff import ReadOnlyAdmin


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


@admin.register(PulledAuthor)
class PulledAuthorAdmin(ReadOnlyAdmin):
    list_display = ["author", "followers", "open_now", "since_id", "until_id", "opened_at"]
    list_select_related = ["author"]
    ordering = ["-opened_at"]

    @admin.display(description="followers")
    def followers(self, interval: PulledAuthor) -> int:
        return interval.author.follower_count

    @admin.display(description="pulled now", boolean=True)
    def open_now(self, interval: PulledAuthor) -> bool:
        return interval.until_id is None


class DoneFilter(admin.SimpleListFilter):
    title = parameter_name = "delivered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "Not yet"), ("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        wanted = {"no": True, "yes": False}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(done_at__isnull=wanted)


@admin.register(Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    """Changes on their way to the feeds; written by triggers, finished by workers."""

    list_display = [
        "id",
        "kind",
        "subject_id",
        "created_at",
        "done_at",
        "checkpoint",
        "attempts",
        "last_error",
    ]
    list_filter = [DoneFilter]
    search_fields = ["subject_id"]  # searched by get_search_results
    search_help_text = "The id of a menu or an account"

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        digits = term.isascii() and term.isdigit() and len(term) < 19
        return (queryset.filter(subject_id=int(term)) if digits else queryset.none()), False
