"""Accounts and follows for staff."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest

from social.models import Account, Follow
from social.staff import BoundedPaginator, LargeTableAdmin


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
    """Accounts are switched off, not deleted: a deletion would take its menus along in one long request."""

    form, add_form = AccountChangeForm, AccountCreationForm
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50
    ordering = ["-pk"]
    list_display = ["username", "display_name", "city", "is_cook", "is_active", "follower_count", "last_seen"]
    list_filter = ["is_cook", "is_active", "is_staff"]
    search_fields = ["username"]
    search_help_text = "The beginning of a username, a whole name, or an id"
    readonly_fields = ["id", "follower_count", "created_at", "last_seen", "last_login", "is_private"]
    filter_horizontal = ["groups", "user_permissions"]
    add_fieldsets = [
        (None, {"fields": ["username", "display_name", "usable_password", "password1", "password2"]})
    ]
    fieldsets = [
        (None, {"fields": ["id", "username", "password", "is_active"]}),
        (
            "Profile",
            {"fields": ["display_name", "bio", "city", "cuisine", "avatar_url", "order_url", "time_zone"]},
        ),
        ("Kitchen", {"fields": ["is_cook", "follower_count", "is_private"]}),
        ("Staff", {"fields": ["is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Times", {"fields": ["created_at", "last_seen", "last_login"]}),
    ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Account], search_term: str
    ) -> tuple[QuerySet[Account], bool]:
        """By the beginning of the username, by the name, or by id; each has an index."""
        term = search_term.strip().lower().removeprefix("@").replace("\x00", "")
        if not term:
            return queryset, False
        found = queryset.filter(username__startswith=term) | queryset.filter(display_name__iexact=term)
        if term.isascii() and term.isdigit() and len(term) < 19:
            found |= queryset.filter(pk=int(term))
        return found, False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Follow)
class FollowAdmin(LargeTableAdmin):
    list_display = ["id", "follower", "followee", "created_at"]
    list_select_related = ["follower", "followee"]
    autocomplete_fields = ["follower", "followee"]
    fields = ["follower", "followee"]
    search_fields = ["follower__username"]
    search_help_text = "The follower's whole username"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Follow], search_term: str
    ) -> tuple[QuerySet[Follow], bool]:
        name = search_term.strip().lower().removeprefix("@").replace("\x00", "")
        return (queryset.filter(follower__username=name) if name else queryset), False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # a follow is made or ended; who it joins does not change
