"""Deliveries: each change on its way to the feeds, how far it has come, and doing it again."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from feeds.admin.pages import note
from feeds.admin.threshold_figures import seconds
from feeds.admin.wording import many
from feeds.models import Outbox
from feeds.outbox import reopen
from feeds.queueing import enqueue_fan_out
from feeds.reach import count_followers_up_to
from social.models import Account
from social.staff import ReadOnlyAdmin, typed_name

MOST_AT_ONCE = 200
MOST_COUNTED = 20  # rows of a page whose followers so far are counted one by one
KINDS = {
    Outbox.Kind.PUBLISHED: "menu published",
    Outbox.Kind.EDITED: "menu edited",
    Outbox.Kind.DELETED: "menu deleted or hidden",
    Outbox.Kind.FOLLOWED: "somebody followed",
    Outbox.Kind.UNFOLLOWED: "somebody unfollowed",
    Outbox.Kind.MUTES_CHANGED: "somebody muted or unmuted",
    Outbox.Kind.LIKES_CHANGED: "somebody liked, or no longer",
    Outbox.Kind.ACCOUNT_CHANGED: "account changed",
}


class StateFilter(admin.SimpleListFilter):
    title, parameter_name = "delivered", "delivered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("no", "Not yet"),
            ("yes", "Yes"),
            ("failed", "After an error, or not yet in spite of several tries"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Outbox]) -> QuerySet[Outbox]:
        failed = ~Q(last_error="") | Q(attempts__gt=1, done_at=None)
        wanted = {"no": Q(done_at=None), "yes": Q(done_at__isnull=False), "failed": failed}
        return queryset.filter(wanted[self.value() or ""]) if self.value() in wanted else queryset


class Deliveries(ChangeList):
    """A page of rows, with what is told of each looked up for all of them together."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: list[Any] = list(self.result_list)
        authors = Account.objects.in_bulk({row.author_id for row in rows if row.author_id})
        left = MOST_COUNTED
        for row in rows:
            row.author = authors.get(row.author_id)
            row.reached = None
            if row.kind == Outbox.Kind.PUBLISHED and row.done_at is None and row.author and left:
                left, row.reached = left - 1, count_followers_up_to(row.author, row.checkpoint)
        self.result_list = rows


@admin.register(Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    """Written by triggers, finished by workers; what is done is kept for a day."""

    list_display = ["id", "what", "about", "made_at", "progress", "took", "attempts", "last_error"]
    list_filter = [StateFilter]
    search_fields = ["subject_id"]  # searched by get_search_results
    search_help_text = "The id of a menu or an account, or a cook's whole username"
    actions = ["deliver_again"]
    fields = ["what", "about", "made_at", "progress", "took", "attempts", "claim", "last_error"]
    readonly_fields = ["what", "about", "made_at", "progress", "took", "claim"]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Deliveries

    @admin.display(description="what happened", ordering="kind")
    def what(self, row: Outbox) -> str:
        return KINDS.get(Outbox.Kind(row.kind), row.kind)

    @admin.display(description="about")
    def about(self, row: Any) -> str:
        of_post = row.kind in (Outbox.Kind.PUBLISHED, Outbox.Kind.EDITED, Outbox.Kind.DELETED)
        name = "admin:posts_post_change" if of_post else "admin:social_account_change"
        label = f"menu {row.subject_id}" if of_post else f"account {row.subject_id}"
        author = getattr(row, "author", None)
        by = (
            format_html(' of <a href="{}">{}</a>', reverse("admin:account-feed", args=[author.pk]), author)
            if author
            else ""
        )
        return format_html('<a href="{}">{}</a>{}', reverse(name, args=[row.subject_id]), label, by)

    @admin.display(description="when", ordering="id")
    def made_at(self, row: Outbox) -> Any:
        return row.created_at

    @admin.display(description="how far")
    def progress(self, row: Any) -> str:
        author = getattr(row, "author", None)
        if row.kind != Outbox.Kind.PUBLISHED:
            return "delivered" if row.done_at else "waits for the relay"
        if row.done_at:
            return f"delivered to {many(author.follower_count, 'follower')}" if author else "delivered"
        reached = getattr(row, "reached", None)
        if author is None or reached is None:
            return f"on its way, up to account {row.checkpoint}" if row.checkpoint else "waits for a worker"
        return f"pushed to {reached:,} of {many(author.follower_count, 'follower')}"

    @admin.display(description="took")
    def took(self, row: Outbox) -> str:
        if row.done_at:
            return seconds(max((row.done_at - row.created_at).total_seconds(), 0.0))
        return f"{seconds((timezone.now() - row.created_at).total_seconds())} so far"

    @admin.display(description="who works on it")
    def claim(self, row: Outbox) -> str:
        if row.done_at:
            return "nobody any more"
        if row.claimed_until is None or row.claimed_until < timezone.now():
            return "nobody; the relay gives it to a worker within seconds"
        until = timezone.localtime(row.claimed_until)
        return f"{row.claimed_by or 'somebody'}, until {until:%H:%M:%S %Z} if nothing is heard"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Outbox], search_term: str
    ) -> tuple[QuerySet[Outbox], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        if term.isascii() and term.isdigit() and len(term) < 19:
            return queryset.filter(subject_id=int(term)), False
        account = Account.objects.filter(username=typed_name(term)).first()
        return (queryset.filter(author_id=account.pk) if account else queryset.none()), False

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("feeds.retry_outbox")

    @admin.action(description="Deliver again", permissions=["retry"])
    def deliver_again(self, request: HttpRequest, queryset: QuerySet[Outbox]) -> None:
        """From the beginning; a feed that has an id already keeps it once."""
        rows = list(queryset.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(rows) > MOST_AT_ONCE:
            words = f"Choose at most {MOST_AT_ONCE} at once. Nothing was changed."
            self.message_user(request, words, messages.ERROR)
            return
        reopened = reopen([row.pk for row in rows])
        queued = [enqueue_fan_out(row.subject_id) for row in rows if row.kind == Outbox.Kind.PUBLISHED]
        note(request, [row for row in rows if row.pk in reopened], "To be delivered again.")
        if reopened:
            how = (
                "A worker begins at once."
                if all(queued)
                else "The broker is away: the relay begins when it is back."
            )
            self.message_user(request, f"To be delivered again: {len(reopened)}. {how}", messages.SUCCESS)
        if len(reopened) < len(rows):
            gone = len(rows) - len(reopened)
            self.message_user(
                request, f"Forgotten meanwhile, a day after delivery: {gone}.", messages.WARNING
            )


@admin.register(LogEntry)
class AuditLog(ReadOnlyAdmin):
    """Who did what in admin: Django's own log."""

    list_display = ["action_time", "user", "content_type", "object_repr", "what"]
    list_display_links = None
    list_select_related = ["user", "content_type"]
    ordering = ["-action_time", "-id"]
    search_fields = ["user__username"]
    search_help_text = "The whole username of who did it"

    @admin.display(description="what")
    def what(self, entry: LogEntry) -> str:
        return entry.get_change_message()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[LogEntry], search_term: str
    ) -> tuple[QuerySet[LogEntry], bool]:
        name = typed_name(search_term)
        return (queryset.filter(user__username=name) if name else queryset), False
