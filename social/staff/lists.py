"""Admin for tables of millions of rows: no COUNT(*) over everything, no <select> of all accounts."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from social.staff.actions import StaffActions

MOST_COUNTED = 10_000


def typed_name(term: str) -> str:
    """A username as staff type it into a search."""
    return term.strip().lower().removeprefix("@").replace("\x00", "")


def say_done(
    request: HttpRequest, done: str, changed: int, already: str, unchanged: int, refused: Sequence[str] = ()
) -> None:
    """What an action did to the chosen rows ("Menus hidden: 2."), and what it did not, as warnings."""
    if changed:
        messages.success(request, f"{done}: {changed}.")
    if unchanged:
        messages.warning(request, f"{already}: {unchanged}.")
    for words in refused:
        messages.warning(request, words)


class BoundedPaginator(Paginator):
    """Counts at most MOST_COUNTED rows of a filtered list; a whole table is PostgreSQL's own estimate."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        counted = rows.order_by()[: MOST_COUNTED + 1].count()
        if counted <= MOST_COUNTED:
            return counted
        if rows.query.where:
            return MOST_COUNTED
        return max(self._estimate(rows.model._meta.db_table), MOST_COUNTED)

    @staticmethod
    def _estimate(table: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [table])
            return cursor.fetchone()[0]


class LargeTableAdmin(StaffActions, admin.ModelAdmin):
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count every row of a table for each choice of a filter
    list_per_page = 50
    ordering = ["-pk"]


class ReadOnlyAdmin(LargeTableAdmin):
    """For rows whose editing would lie: written by the machine, or only by a service."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
