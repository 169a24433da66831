"""What lies between two accounts, for staff: found by who did it, and ended."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from social.models import Block, Follow, FollowRequest, Mute
from social.staff import LargeTableAdmin, typed_name


class PairAdmin(LargeTableAdmin):
    """Rows are ended, never changed: who a row joins is what it is."""

    whose: str  # the account that made the row, by which it is searched
    others: list[str]

    def get_list_display(self, request: HttpRequest) -> Any:
        return ["id", self.whose, *self.others]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related(self.whose, self.others[0])

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        return [f"{self.whose}__username"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        name = typed_name(search_term)
        return (queryset.filter(**{f"{self.whose}__username": name}) if name else queryset), False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FollowForm(forms.ModelForm):
    def clean(self) -> dict[str, Any]:
        """What the database would refuse, in words (social/keep_blocks.sql)."""
        fields = super().clean() or self.cleaned_data
        one, two = fields.get("follower"), fields.get("followee")
        blocked = Q(blocker=one, blocked=two) | Q(blocker=two, blocked=one)
        if one and two and Block.objects.filter(blocked).exists():
            raise forms.ValidationError("One of the two blocks the other.")
        return fields


@admin.register(Follow)
class FollowAdmin(PairAdmin):
    form = FollowForm
    whose, others = "follower", ["followee", "created_at"]
    autocomplete_fields = ["follower", "followee"]
    fields = ["follower", "followee"]
    search_help_text = "The follower's whole username"


class MadeByThePeople(PairAdmin):
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(FollowRequest)
class FollowRequestAdmin(MadeByThePeople):
    whose, others = "follower", ["followee", "created_at"]
    search_help_text = "The whole username of who asks"


@admin.register(Block)
class BlockAdmin(MadeByThePeople):
    whose, others = "blocker", ["blocked", "created_at"]
    search_help_text = "The whole username of who blocks"


@admin.register(Mute)
class MuteAdmin(MadeByThePeople):
    whose, others = "muter", ["muted", "created_at", "expires_at"]
    search_help_text = "The whole username of who mutes"
