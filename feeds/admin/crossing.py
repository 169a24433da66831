"""Who is pulled, and since when."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from feeds.admin.wording import interval_in_words
from feeds.models import PulledAuthor
from posts.ids import time_of
from social.staff import ReadOnlyAdmin, typed_name
from social.times import staff_time


@admin.register(PulledAuthor)
class PulledAuthorAdmin(ReadOnlyAdmin):
    """Intervals of ids, as times: an id carries the time at which it was drawn."""

    list_display = ["author", "followers", "open_now", "pulled_since", "pushed_again_since"]
    list_select_related = ["author"]
    ordering = ["-opened_at"]
    fields = ["author", "followers", "in_words", "ids"]
    readonly_fields = ["followers", "in_words", "ids"]
    search_fields = ["author__username"]
    search_help_text = "The author's whole username"

    @admin.display(description="followers")
    def followers(self, interval: PulledAuthor) -> str:
        return f"{interval.author.follower_count:,}"

    @admin.display(description="pulled now", boolean=True)
    def open_now(self, interval: PulledAuthor) -> bool:
        return interval.until_id is None

    @admin.display(description="pulled since", ordering="since_id")
    def pulled_since(self, interval: PulledAuthor) -> str:
        return staff_time(time_of(interval.since_id))

    @admin.display(description="pushed again since", ordering="until_id", empty_value="—")
    def pushed_again_since(self, interval: PulledAuthor) -> str | None:
        return staff_time(time_of(interval.until_id)) if interval.until_id else None

    @admin.display(description="in words")
    def in_words(self, interval: PulledAuthor) -> str:
        return interval_in_words(interval)

    @admin.display(description="ids of its menus")
    def ids(self, interval: PulledAuthor) -> str:
        until = f"to below {interval.until_id}" if interval.until_id else "on"
        return f"From {interval.since_id} {until}, menus are looked up when a feed is opened."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        name = typed_name(search_term)
        return (queryset.filter(author__username=name) if name else queryset), False
