"""Accounts for staff: found, looked at, suspended and restored."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

from social.errors import Refusal
from social.models import Account
from social.services import restore_account, suspend_account
from social.staff import BoundedPaginator, say_done, typed_name

MOST_AT_ONCE = 200  # accounts an action changes: it runs within one request


class AccountCreationForm(AdminUserCreationForm):
    class Meta(AdminUserCreationForm.Meta):
        model = Account
        fields = ("username", "display_name")


class AccountChangeForm(UserChangeForm):
    class Meta(UserChangeForm.Meta):
        model = Account
        fields = "__all__"


@admin.register(Account)
class AccountAdmin(UserAdmin):
    """Accounts are suspended, not deleted: a deletion would take its menus along in one long request.

    Whether one is active is only read here. The two actions go through the services, which end its sessions and
    tokens, and let nobody bring back what its owner has deactivated or deleted.
    """

    form, add_form = AccountChangeForm, AccountCreationForm
    paginator = BoundedPaginator
    show_full_result_count = False
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
        staff = request.user
        if isinstance(staff, Account) and staff.is_superuser:
            return self.readonly_fields
        return [*self.readonly_fields, "is_staff", "is_superuser", "groups", "user_permissions"]

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """Nor does anybody but a superuser take over a superuser's or a colleague's account by a new password."""
        account = self.get_object(request, id)
        if account is not None and account.is_staff and not getattr(request.user, "is_superuser", False):
            raise PermissionDenied
        return super().user_change_password(request, id, form_url)

    @admin.display(description="state")
    def state(self, account: Account) -> str:
        if account.is_active:
            return "Active"
        return capfirst(account.get_inactive_because_display() or "inactive")

    @admin.action(description="Suspend the selected accounts", permissions=["change"])
    def suspend(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        staff = request.user
        assert isinstance(staff, Account)
        already = "Accounts that were suspended already"
        self._do(request, accounts, lambda pk: suspend_account(pk, by=staff), "suspended", already)

    @admin.action(description="Restore the selected accounts", permissions=["change"])
    def restore(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        self._do(request, accounts, restore_account, "restored", "Accounts that were active already")

    def _do(
        self,
        request: HttpRequest,
        accounts: QuerySet[Account],
        change: Callable[[int], bool],
        done: str,
        already: str,
    ) -> None:
        """One by one, each in its own transaction; what was refused, or was so already, is said."""
        chosen = list(accounts.order_by("pk").values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            words = f"Choose at most {MOST_AT_ONCE} accounts at once. Nothing was changed."
            self.message_user(request, words, messages.ERROR)
            return
        changed, refused = 0, []
        for pk in chosen:
            try:
                if not change(pk):
                    continue
            except Refusal as refusal:
                refused.append(str(refusal))
            else:
                changed += 1
                self.log_change(request, Account.objects.get(pk=pk), f"{capfirst(done)}.")
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
