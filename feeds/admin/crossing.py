"""Who is pulled."""

from django.contrib import admin

from feeds.models import PulledAuthor
from social.staff import ReadOnlyAdmin


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
