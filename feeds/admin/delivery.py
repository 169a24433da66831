"""What is on its way to the feeds."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from feeds.models import Outbox
from social.staff import ReadOnlyAdmin


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
