"""Menus for staff."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html

from posts.admin.lines import line_of, reports_of_menu, shortened, typed_id
from posts.media.names import url_of
from posts.models import Dish, Photo, Post
from posts.reporting import hide_reported_posts
from posts.services import restore_post
from social.errors import NotFound
from social.staff import LargeTableAdmin, say_done, typed_name
from social.staff.dossiers import Panel
from social.times import staff_time

HIDING = (
    "With the next request nobody sees it any more, its cook neither: not in feeds, not on its page, not in the API. "
    "Nothing is deleted: Restore brings it back to its place. What was reported of it counts as handled."
)


class DishInline(admin.TabularInline):
    model = Dish
    extra = 0


class PhotoInline(admin.TabularInline):
    """To look at, and to delete: photos come by upload."""

    model = Photo
    extra = 0
    fields = ["preview", "alt", "state"]
    readonly_fields = ["preview", "alt", "state"]

    @admin.display(description="photo")
    def preview(self, photo: Photo) -> str:
        address = url_of(photo)
        if not address:
            return "—"
        return format_html('<img src="{}" alt="{}" width="160" loading="lazy">', address, photo.alt)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PostForm(forms.ModelForm):
    """A new menu starts from plain values: forms would take the defaults of the database for text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["instance"] = kwargs.get("instance") or Post(pk=None, text="", day=timezone.localdate())
        super().__init__(*args, **kwargs)


@admin.register(Post)
class PostAdmin(LargeTableAdmin):
    class Media:
        css = {"all": ["css/staff.css"]}

    list_display = ["id", "author", "beginning", "hidden_at", "day", "written", "edited_at"]
    list_select_related = ["author"]
    autocomplete_fields = ["author"]
    form = PostForm
    inlines = [DishInline, PhotoInline]
    readonly_fields = ["id", "written", "edited_at", "hidden_at", "like_count"]
    fields = ["id", "author", "text", "day", "written", "edited_at", "hidden_at", "like_count"]
    actions = ["hide_menus", "restore_menus"]
    search_fields = ["author__username"]
    search_help_text = "The author's whole username, or a menu's id"

    @admin.display(description="text")
    def beginning(self, post: Post) -> str:
        return shortened(post.text)

    @admin.display(description="written")
    def written(self, post: Post) -> str:
        return staff_time(post.created_at) if post.pk else "—"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Post], search_term: str
    ) -> tuple[QuerySet[Post], bool]:
        if (post_id := typed_id(search_term)) is not None:
            return queryset.filter(pk=post_id), False
        name = typed_name(search_term)
        return (queryset.filter(author__username=name) if name else queryset), False

    def get_readonly_fields(self, request: HttpRequest, obj: Post | None = None) -> list[str]:
        """A menu keeps its author: followers' feeds hold it as hers."""
        return [*self.readonly_fields, "author"] if obj else self.readonly_fields

    def save_model(self, request: HttpRequest, obj: Post, form: Any, change: bool) -> None:
        if not change:
            super().save_model(request, obj, form, change)
            return
        obj.edited_at = timezone.now()
        # Not the count of likes, which may be another by now.
        obj.save(update_fields=["text", "day", "edited_at"])

    def buttons(self, row: Post) -> Sequence[str]:
        return ["hide_menus"] if row.hidden_at is None else ["restore_menus"]

    def panels(self, request: HttpRequest, row: Post) -> list[Panel]:
        return [reports_of_menu(row)] if request.user.has_perm("posts.view_report") else []

    @admin.action(description="Hide…", permissions=["change"])
    def hide_menus(self, request: HttpRequest, queryset: QuerySet[Post]) -> HttpResponse | None:
        if not (chosen := self.chosen(request, queryset.select_related("author"))):
            return None
        title = "Hide this menu" if len(chosen) == 1 else f"Hide {len(chosen)} menus"
        rows = [(post, line_of(post)) for post in chosen]
        reason = self.reason_for(request, title, HIDING, rows)
        if isinstance(reason, HttpResponse):
            return reason
        with transaction.atomic():
            hidden = hide_reported_posts(post.pk for post in chosen)
            self._log(request, chosen, hidden, f"Hidden: {reason}")
        already = "Menus that were hidden already"
        say_done(request, "Menus hidden", len(hidden), already, len(chosen) - len(hidden))
        return None

    @admin.action(description="Restore", permissions=["change"])
    def restore_menus(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        chosen = self.chosen(request, queryset)
        with transaction.atomic():  # in the order of ids, as everyone locks who locks several
            restored = [post.pk for post in chosen if _restore(post.pk)]
            self._log(request, chosen, restored, "Restored.")
        already = "Menus that were not hidden"
        say_done(request, "Menus restored", len(restored), already, len(chosen) - len(restored))

    def _log(self, request: HttpRequest, posts: Sequence[Post], changed: Sequence[int], done: str) -> None:
        for post in posts:
            if post.pk in changed:
                self.log_change(request, post, done)


def _restore(post_id: int) -> bool:
    try:
        return restore_post(post_id=post_id)
    except NotFound:  # its cook has deleted it meanwhile
        return False
