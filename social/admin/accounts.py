"""Accounts for staff: found, looked at, suspended and restored."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import capfirst

from social.errors import Forbidden, Refusal
from social.models import Account
from social.services import restore_account, suspend_account
from social.staff import BoundedPaginator, say_done, typed_name
from social.staff.actions import StaffActions
from social.staff.dossiers import Line, Panel, panels_of


class AccountCreationForm(AdminUserCreationForm):
    class Meta(AdminUserCreationForm.Meta):
        model = Account
        fields = ("username", "display_name")


class AccountChangeForm(UserChangeForm):
    class Meta(UserChangeForm.Meta):
        model = Account
        fields = "__all__"


@admin.register(Account)
class AccountAdmin(StaffActions, UserAdmin):
    """Accounts are suspended, not deleted: a deletion would take its menus along in one long request.

    Whether one is active is only read here. The two actions go through the services, which end its sessions and
    tokens, and let nobody bring back what its owner has deactivated or deleted. Staff's own
    accounts are for superusers to change.
    """

    change_form_template = "admin/social/account/change_form.html"
    form, add_form = AccountChangeForm, AccountCreationForm
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    ordering = ["-pk"]
    list_display = ["username", "display_name", "city", "is_cook", "state", "follower_count", "last_seen"]
    list_filter = ["is_cook", "is_active", "is_staff"]
    search_fields = ["username"]
    search_help_text = "The beginning of a username, a whole name, or an id"
    readonly_fields = [
        "id", "state", "follower_count", "created_at", "last_seen", "last_login", "is_private",
    ]  # fmt: skip
    filter_horizontal = ["groups", "user_permissions"]
    actions = ["suspend", "restore"]
    add_fieldsets = [
        (None, {"fields": ["username", "display_name", "usable_password", "password1", "password2"]})
    ]
    fieldsets = [
        (None, {"fields": ["id", "username", "password", "state"]}),
        (
            "Profile",
            {
                "fields": [
                    "display_name",
                    "bio",
                    "city",
                    "cuisine",
                    "avatar_url",
                    "order_url",
                    "time_zone",
                    "language",
                ]
            },
        ),
        ("Kitchen", {"fields": ["is_cook", "follower_count", "is_private"]}),
        ("Staff", {"fields": ["is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Times", {"fields": ["created_at", "last_seen", "last_login"]}),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Account | None = None) -> Any:
        """Only superusers say who is staff and may do what: else whoever edits accounts makes oneself one."""
        if _is_superuser(request):
            return self.readonly_fields
        return [*self.readonly_fields, "is_staff", "is_superuser", "groups", "user_permissions"]

    def get_fieldsets(self, request: HttpRequest, obj: Account | None = None) -> Any:
        """Who may not change an account has no use for the beginning of its password's hash."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fieldsets
        (title, first), *others = fieldsets
        return [(title, first | {"fields": [f for f in first["fields"] if f != "password"]}), *others]

    def has_change_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        """Of a colleague's account, and one's own, only superusers: else one would take over who may do more."""
        if obj is not None and obj.is_staff and not _is_superuser(request):
            return False
        return super().has_change_permission(request, obj)

    @admin.display(description="state")
    def state(self, account: Account) -> str:
        if account.is_active:
            return "Active"
        return capfirst(account.get_inactive_because_display() or "inactive")

    def buttons(self, row: Account) -> Sequence[str]:
        if row.inactive_because == Account.Inactive.SUSPENDED:
            return ["restore"]
        return [] if row.inactive_because == Account.Inactive.ERASING else ["suspend"]

    def panels(self, request: HttpRequest, row: Account) -> list[Panel]:
        return panels_of(request, row)

    @admin.action(description="Suspend…", permissions=["change"])
    def suspend(self, request: HttpRequest, accounts: QuerySet[Account]) -> HttpResponse | None:
        if not (chosen := self.chosen(request, accounts)):
            return None
        effect = (
            "With the next request they and their menus are hidden from everybody, in every feed, and they are "
            "signed out everywhere. Nothing is deleted: Restore brings all of it back, except the sign-ins."
        )
        title = f"Suspend {chosen[0] if len(chosen) == 1 else f'{len(chosen)} accounts'}"
        rows = [(account, self._line(account)) for account in chosen]
        reason = self.reason_for(request, title, effect, rows)
        if isinstance(reason, HttpResponse):
            return reason
        staff = request.user
        assert isinstance(staff, Account)
        already = "Accounts that were suspended already"
        self._do(
            request,
            chosen,
            lambda pk: suspend_account(pk, by=staff),
            "suspended",
            already,
            f"Suspended: {reason}",
        )
        return None

    def _line(self, account: Account) -> Line:
        address = reverse("admin:social_account_change", args=[account.pk])
        state = self.state(account).lower()
        return Line(
            str(account), address, f"{account.display_name}, {account.follower_count:,} followers, {state}"
        )

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        chosen = self.chosen(request, accounts)
        already = "Accounts that were active already"
        self._do(request, chosen, restore_account, "restored", already, "Restored.")

    def _do(
        self,
        request: HttpRequest,
        chosen: Sequence[Account],
        change: Callable[[int], bool],
        done: str,
        already: str,
        entry: str,
    ) -> None:
        """One by one, each in its own transaction; what was refused, or was so already, is said."""
        changed, refused = 0, []
        for account in chosen:
            try:
                if not self.has_change_permission(request, account):
                    raise Forbidden(f"{account} is staff: only superusers suspend and restore colleagues.")
                if not change(account.pk):
                    continue
            except Refusal as refusal:
                refused.append(str(refusal))
            else:
                changed += 1
                self.log_change(request, account, entry)
        unchanged = len(chosen) - changed - len(refused)
        say_done(request, f"Accounts {done}", changed, already, unchanged, refused)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Account], search_term: str
    ) -> tuple[QuerySet[Account], bool]:
        """By the beginning of the username, by the name, or by id; each has an index."""
        term = typed_name(search_term)
        if not term:
            return queryset, False
        found = queryset.filter(username__startswith=term) | queryset.filter(display_name__iexact=term)
        if term.isascii() and term.isdigit() and len(term) < 19:
            found |= queryset.filter(pk=int(term))
        return found, False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, Account) and request.user.is_superuser
