"""Reports for staff: which menu, whose it is, what is wrong with it; hide the menu, or be done with it."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from posts.admin.lines import line_of_report, shortened, typed_id
from posts.admin.menus import HIDING
from posts.models import Report
from posts.reporting import handle_reports, hide_reported_posts
from social.staff import LargeTableAdmin, say_done, typed_name


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

    list_display = ["created_at", "reason", "menu", "author", "reported_by", "hidden", "handled_at"]
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

    @admin.display(description="reported by", ordering="account")
    def reported_by(self, report: Report) -> str:
        address = reverse("admin:social_account_change", args=[report.account_id])
        return format_html('<a href="{}">{}</a>', address, report.account)

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

    @admin.action(description="Hide the menus…", permissions=["hide"])
    def hide_menus(self, request: HttpRequest, queryset: QuerySet[Report]) -> HttpResponse | None:
        if not (chosen := self.chosen(request, queryset.select_related("post__author"))):
            return None
        posts = {report.post_id: report.post for report in chosen}
        rows = [(report, line_of_report(report, about_menu=True)) for report in chosen]
        title = "Hide the reported menu" if len(posts) == 1 else f"Hide {len(posts)} reported menus"
        reason = self.reason_for(request, title, HIDING, rows)
        if isinstance(reason, HttpResponse):
            return reason
        with transaction.atomic():
            hidden = hide_reported_posts(posts)
            for post_id in hidden:
                self.log_change(request, posts[post_id], f"Hidden: {reason}")
        already = "Menus that were hidden already"
        say_done(request, "Menus hidden", len(hidden), already, len(posts) - len(hidden))
        return None

    @admin.action(description="Mark as handled", permissions=["handle"])
    def mark_as_handled(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        chosen = self.chosen(request, queryset)
        with transaction.atomic():
            handled = set(handle_reports(report.pk for report in chosen))
            for report in chosen:
                if report.pk in handled:
                    self.log_change(request, report, "Marked as handled.")
        already = "Reports that were handled already"
        say_done(request, "Reports handled", len(handled), already, len(chosen) - len(handled))
