"""Menus for staff."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from posts.ids import MAX_ID
from posts.media.names import url_of
from posts.models import Dish, Photo, Post
from posts.services import hide_post, restore_post
from social.staff import LargeTableAdmin, say_done, typed_name


def shortened(text: str) -> str:
    """The beginning of a menu's text, for lists."""
    return text[:60] + ("…" if len(text) > 60 else "")


def typed_id(term: str) -> int | None:
    """A menu's id as staff type it into a search; None if it is none."""
    term = term.strip()
    is_one = term.isascii() and term.isdigit() and len(term) < 19 and int(term) <= MAX_ID
    return int(term) if is_one else None


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
    def written(self, post: Post) -> Any:
        return post.created_at if post.pk else "—"

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

    @admin.action(description="Hide the selected menus from everyone", permissions=["change"])
    def hide_menus(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        hidden, unchanged = self._for_each(request, queryset, hide_post, "Hidden by staff.")
        say_done(request, "Menus hidden", hidden, "Menus that were hidden already", unchanged)

    @admin.action(description="Restore the selected menus", permissions=["change"])
    def restore_menus(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        restored, unchanged = self._for_each(request, queryset, restore_post, "Restored by staff.")
        say_done(request, "Menus restored", restored, "Menus that were not hidden", unchanged)

    def _for_each(
        self, request: HttpRequest, queryset: QuerySet[Post], change: Callable[..., bool], done: str
    ) -> tuple[int, int]:
        """All or none, in the order of ids as by everyone who locks several; readers are told once.

        How many were changed, and how many had nothing to change.
        """
        with transaction.atomic():
            posts = list(queryset.order_by("pk"))
            changed = [post for post in posts if change(post_id=post.pk)]
            for post in changed:
                self.log_change(request, post, done)
        return len(changed), len(posts) - len(changed)
