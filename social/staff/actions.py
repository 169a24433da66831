"""Actions of staff on rows: refused to who may not do them, bounded, and buttons on a row's own page too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import capfirst

from social.staff.dossiers import Line, Panel
from social.staff.reasons import Question, ask_reason
from social.times import staff_time

MOST_AT_ONCE = 200  # rows an action changes: it runs within one request
NEWEST_DEEDS = 5
FROM_PAGE = "from_page"  # sent along by a button of a row's own page

# A mixin for ModelAdmin: the checker sees it as one, Python takes the next of the class that it is mixed into.
if TYPE_CHECKING:
    _Base = admin.ModelAdmin
else:
    _Base = object


class StaffActions(_Base):
    change_form_template = "admin/staff_change_form.html"

    def buttons(self, row: Any) -> Sequence[str]:
        """Which actions make sense for a row, by their names, for its own page."""
        return ()

    def panels(self, request: HttpRequest, row: Any) -> Sequence[Panel]:
        """What else a row's own page says below its form."""
        return ()

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Django shows the list again to who may not do what is sent. Nobody is to take that for done."""
        if request.method == "POST":
            asked = set(request.POST.getlist("action")) - {""}
            if not (allowed := self.get_actions(request)) or not asked <= allowed.keys():
                raise PermissionDenied
        return super().changelist_view(request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is not None and self.has_view_or_change_permission(request, row):
            allowed = self.get_actions(request)
            buttons = [(name, action[2]) for name in self.buttons(row) if (action := allowed.get(name))]
            panels = [*self.panels(request, row), deeds_panel(row)]
            extra_context = {"row_buttons": buttons, "panels": panels} | (extra_context or {})
        return super().change_view(request, object_id, form_url, extra_context)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *place: Any
    ) -> HttpResponse | None:
        """A button of a row's own page leads back to it."""
        response = super().response_action(request, queryset, *place)
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if FROM_PAGE in request.POST and len(chosen) == 1 and isinstance(response, HttpResponseRedirect):
            name = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=chosen))
        return response

    def chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> list[Any]:
        """The chosen rows by rising id; none, and words about it, when they are too many for one request."""
        chosen = list(rows.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) <= MOST_AT_ONCE:
            return chosen
        words = f"Choose at most {MOST_AT_ONCE} {self.opts.verbose_name_plural} at once. Nothing was changed."
        self.message_user(request, words, messages.ERROR)
        return []

    def reason_for(
        self, request: HttpRequest, title: str, effect: str, rows: Sequence[tuple[Model, Line]]
    ) -> str | TemplateResponse:
        """Why the action that a request asks for is to be done to `rows`; else the page that asks for it. What is
        answered there is done to these rows and no others, though all of a list were ticked."""
        opts = self.opts
        name, plural = f"admin:{opts.app_label}_{opts.model_name}", capfirst(opts.verbose_name_plural)
        changelist = reverse(f"{name}_changelist")
        trail = [(str(opts.app_config.verbose_name), reverse("admin:app_list", args=[opts.app_label]))]
        sent = [(ACTION_CHECKBOX_NAME, str(row.pk)) for row, _ in rows]
        sent += [(field, request.POST[field]) for field in ("action", FROM_PAGE) if field in request.POST]
        back = reverse(f"{name}_change", args=[rows[0][0].pk]) if FROM_PAGE in request.POST else changelist
        question = Question(
            title=title,
            effect=effect,
            button=title,
            affected=[line for _, line in rows],
            sent_along=sent,
            trail=[*trail, (str(plural), changelist)],
            back=back,
        )
        return ask_reason(request, self.admin_site, question)


def deeds_panel(row: Model) -> Panel:
    """What staff did last to a row, from admin's log (index admin_log_of_object)."""
    label, name = row._meta.app_label, row._meta.model_name
    entries = LogEntry.objects.filter(
        content_type__app_label=label, content_type__model=name, object_id=str(row.pk)
    )
    newest = entries.select_related("user").order_by("-id")[:NEWEST_DEEDS]
    return Panel(
        "What staff did, newest first",
        [
            Line(
                entry.get_change_message() or str(entry),
                note=f"{entry.user}, {staff_time(entry.action_time)}",
            )
            for entry in newest
        ],
        empty="Nothing yet.",
        more=("The whole history", reverse(f"admin:{label}_{name}_history", args=[row.pk])),
    )
