"""The weights of the ranked feed for staff: what each does, what others would do for one viewer, and how they came to
be.

1  the page: weights, preview, history            GET, with `viewer` for whose feed to look at, `undo` for a change
2  preview: as the weights stand in the form      GET of a fragment while one types; POST without a script
3  save: with a reason, unless somebody else has  POST with `save`
"""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from feeds.admin.pages import note, show
from feeds.admin.parts import Parts
from feeds.admin.ranking_forms import PREFIX, WeightsForm, limits_of, shown, unit_of
from feeds.admin.ranking_preview import Preview, make_preview, someone
from feeds.models import RankingSettings, SettingsChange
from feeds.ranking.current import change_weights, current_weights
from feeds.ranking.rankers import current_ranker
from feeds.ranking.weights import Values, Weight
from feeds.settings_history import RANKING, ChangedMeanwhile, changes_of, newest_change
from social.models import Account

NEWEST = 20


@admin.register(RankingSettings)
class RankingSettingsAdmin(admin.ModelAdmin):
    """One row, and the page about it."""

    def get_urls(self) -> list[URLPattern]:
        preview = self.admin_site.admin_view(self.preview_view)
        return [path("1/preview/", preview, name="feeds_rankingsettings_preview"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect(_address())

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if object_id != "1":
            return redirect(_address())
        if not self.has_view_permission(request):
            raise PermissionDenied
        in_force = current_weights()
        if request.method != "POST":
            return self._look(request, in_force)
        if not self.has_change_permission(request):
            raise PermissionDenied
        viewer = request.POST.get("viewer", "")
        if "defaults" in request.POST:
            return self._page(request, in_force, _with_defaults(request.POST, in_force), viewer)
        saving = "save" in request.POST
        form = WeightsForm(request.POST, weights=_weights(), in_force=in_force, saving=saving)
        if not form.is_valid() or not saving:
            return self._page(request, in_force, form, viewer, status=200 if form.is_valid() else 400)
        return self._save(request, form, viewer)

    @method_decorator(require_safe)
    def preview_view(self, request: HttpRequest) -> HttpResponse:
        """The fragment that the page asks for whenever something else stands in its form."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        in_force, form = current_weights(), None
        if any(name.startswith(PREFIX) for name in request.GET):
            form = WeightsForm(request.GET, weights=_weights(), in_force=in_force)
        viewer = request.GET.get("viewer", "")
        context = _previewed(Parts(), viewer, in_force, form) | {"form": form, "alone": True}
        return TemplateResponse(request, "admin/feeds/_ranking_preview.html", context)

    # --- The page ------------------------------------------------------------------------------------------

    def _look(self, request: HttpRequest, in_force: Values) -> HttpResponse:
        form, viewer = None, request.GET.get("viewer")
        if self.has_change_permission(request):
            undone, why = _undone(request)
            begin = {"reason": why, "seen": newest_change(ranking=True)}
            form = WeightsForm(weights=_weights(), in_force=in_force, given=undone, initial=begin)
        return self._page(request, in_force, form, viewer)

    def _page(
        self,
        request: HttpRequest,
        in_force: Values,
        form: WeightsForm | None,
        viewer: str | None,
        *,
        status: int = 200,
    ) -> HttpResponse:
        """`viewer` None: nobody was asked for, so that it is who was here last."""
        parts = Parts()
        viewer = someone(parts) if viewer is None else viewer
        response = show(
            request,
            "admin/feeds/ranking.html",
            "Ranking",
            [("Feeds", reverse("admin:app_list", args=["feeds"]))],
            answer=_answer(in_force),
            form=form,
            weights=[
                (weight, shown(in_force[weight.name]), unit_of(weight), limits_of(weight))
                for weight in _weights()
            ],
            viewer=viewer,
            page=_address(),
            changes=[_told(change) for change in changes_of(ranking=True)[:NEWEST]],
            is_nav_sidebar_enabled=False,  # two lists and the weights side by side need the room
            **_previewed(parts, viewer, in_force, form),
        )
        response.status_code = status
        return response

    def _save(self, request: HttpRequest, form: WeightsForm, viewer: str) -> HttpResponse:
        staff, reason = request.user, form.cleaned_data["reason"]
        assert isinstance(staff, Account)
        try:
            changed = change_weights(form.wanted, by=staff, reason=reason, seen=form.cleaned_data["seen"])
        except ChangedMeanwhile:
            latest = changes_of(ranking=True).first()
            messages.error(
                request,
                f"Nothing was saved: @{latest.by_name or 'a command'} has just set {_title(latest)} to {latest.new}"
                f" ({latest.reason}). Look at it, and change what you still want to."
                if latest
                else "Nothing was saved: the weights were changed meanwhile.",
            )
            return redirect(_address(viewer))
        note(request, [RankingSettings.objects.get(pk=1)], f"{', '.join(changed)} changed: {reason}")
        messages.success(
            request,
            "Saved, and in force for every list that is ranked from now on. Who is reading one keeps its order.",
        )
        return redirect(_address(viewer))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _address(viewer: str = "") -> str:
    """`viewer`: who goes on to be looked at."""
    page = reverse("admin:feeds_rankingsettings_change", args=[1])
    return f"{page}?{urlencode({'viewer': viewer})}" if viewer else page


def _weights() -> tuple[Weight, ...]:
    return current_ranker().weights


def _with_defaults(sent: QueryDict, in_force: Values) -> WeightsForm:
    """The form as it was sent, but every weight at its default."""
    defaults = {weight.name: weight.default for weight in _weights()}
    begin = {name: sent.get(name, "") for name in ("reason", "seen")}
    return WeightsForm(weights=_weights(), in_force=in_force, given=defaults, initial=begin)


def _previewed(parts: Parts, viewer: str, in_force: Values, form: WeightsForm | None) -> dict[str, Any]:
    preview: Preview = make_preview(parts, viewer, form.values if form else in_force, in_force)
    unsound = form.unsound if form else []
    problem = ""
    if unsound:
        is_ = "is" if len(unsound) == 1 else "are"
        problem = (
            f"{', '.join(unsound)}: not as typed, see there. The order is as if what {is_} in force stayed."
        )
    return {"preview": preview, "problem": problem}


def _answer(in_force: Values) -> str:
    others = [
        f"{weight.title.lower()} {shown(in_force[weight.name])} (by default {shown(weight.default)})"
        for weight in _weights()
        if in_force[weight.name] != weight.default
    ]
    all_of_them = f"{len(_weights())} weights of the ranked feed"
    if not others:
        return f"All {all_of_them} are at their defaults."
    are = "is" if len(others) == 1 else "are"
    return f"{len(others)} of {all_of_them} {are} not at the default: {', '.join(others)}."


def _title(change: SettingsChange) -> str:
    return change.field.removeprefix(RANKING).replace("_", " ")


def _told(change: SettingsChange) -> dict[str, Any]:
    """`may_undo`: it is a weight of the ranker that ranks now."""
    name = change.field.removeprefix(RANKING)
    return {
        "change": change,
        "title": _title(change),
        "may_undo": name in {weight.name for weight in _weights()},
    }


def _undone(request: HttpRequest) -> tuple[dict[str, float], str]:
    """With `undo`, the id of a change: (the weight as it was before it, the reason to begin with)."""
    asked = request.GET.get("undo", "")
    if not asked.isdecimal() or len(asked) > 18:
        return {}, ""
    change = changes_of(ranking=True).filter(pk=int(asked)).first()
    if change is None or not _told(change)["may_undo"]:
        return {}, ""
    value = float(change.old.replace(",", ""))
    return {change.field.removeprefix(RANKING): value}, f"Undo: {change.reason}"[:300]
