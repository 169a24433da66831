"""Reports for staff: which menu, whose it is, what is wrong with it; hide the menu, or be done with it."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from posts.admin.menus import shortened, typed_id
from posts.models import Post, Report
from posts.reporting import handle_reports, hide_reported_posts
from social.staff import LargeTableAdmin, say_done, typed_name

MOST_AT_ONCE = 200  # reports an action changes: it runs within one request


class StateFilter(admin.SimpleListFilter):
    """The open ones, unless one asks for those that are handled."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("handled", "Handled"), ("all", "All")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": "Open"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        states = {None: queryset.filter(handled_at=None), "handled": queryset.exclude(handled_at=None)}
        return states.get(self.value(), queryset)


@admin.register(Report)
class ReportAdmin(LargeTableAdmin):
    """Nobody edits what somebody else has said. A menu that is deleted takes its reports along."""

    class Media:
        css = {"all": ["css/staff.css"]}

    list_display = ["created_at", "menu", "author", "reason", "account", "hidden", "handled_at"]
    list_display_links = None
    list_select_related = ["post__author", "account"]
    list_filter = [StateFilter]
    ordering = ["-created_at", "-id"]
    actions = ["hide_menus", "mark_as_handled"]
    search_fields = ["post__author__username"]
    search_help_text = "The author's whole username, or a menu's id"

    @admin.display(description="menu")
    def menu(self, report: Report) -> str:
        address = reverse("admin:posts_post_change", args=[report.post_id])
        return format_html('<a href="{}">{}</a>', address, shortened(report.post.text) or report.post)

    @admin.display(description="its author")
    def author(self, report: Report) -> str:
        author = report.post.author
        address = reverse("admin:social_account_change", args=[author.pk])
        return format_html('<a href="{}">{}</a>', address, author)

    @admin.display(description="hidden", boolean=True)
    def hidden(self, report: Report) -> bool:
        return report.post.hidden_at is not None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Report], search_term: str
    ) -> tuple[QuerySet[Report], bool]:
        if (post_id := typed_id(search_term)) is not None:
            return queryset.filter(post_id=post_id), False
        name = typed_name(search_term)
        return (queryset.filter(post__author__username=name) if name else queryset), False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Also for who may delete menus: their reports go with them."""
        return super().has_delete_permission(request, obj) or request.user.has_perm("posts.delete_post")

    def has_hide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("posts.change_post")

    def has_handle_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("posts.change_report")

    @admin.action(description="Hide the menus from everyone", permissions=["hide"])
    def hide_menus(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        if not (chosen := self._chosen(request, queryset)):
            return
        with transaction.atomic():
            posts = Post.objects.in_bulk({report.post_id for report in chosen})
            hidden = hide_reported_posts(posts)
            for post_id in hidden:
                self.log_change(request, posts[post_id], "Hidden by staff.")
        already = "Menus that were hidden already"
        say_done(request, "Menus hidden", len(hidden), already, len(posts) - len(hidden))

    @admin.action(description="Mark as handled", permissions=["handle"])
    def mark_as_handled(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        if not (chosen := self._chosen(request, queryset)):
            return
        with transaction.atomic():
            handled = set(handle_reports(report.pk for report in chosen))
            for report in chosen:
                if report.pk in handled:
                    self.log_change(request, report, "Marked as handled.")
        already = "Reports that were handled already"
        say_done(request, "Reports handled", len(handled), already, len(chosen) - len(handled))

    def _chosen(self, request: HttpRequest, queryset: QuerySet[Report]) -> list[Report]:
        """The chosen rows; none, and words about it, when they are too many for one request."""
        chosen = list(queryset.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) <= MOST_AT_ONCE:
            return chosen
        words = f"Choose at most {MOST_AT_ONCE} reports at once. Nothing was changed."
        self.message_user(request, words, messages.ERROR)
        return []
