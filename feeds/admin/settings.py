"""The feed's settings for staff: the threshold above all, what it costs, and how it came to be.

1  the page: answer, suggestion, drawings, ladder, rules, history     GET, with `number` for a value to look at
2  preview: what a change would move                                  POST, saves nothing
3  save: with a reason, unless somebody else has saved since          POST with `save`
4  progress, until it is in force everywhere                          GET, the fragment asks again by itself
"""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from feeds.admin import threshold_figures as words
from feeds.admin.pages import note, show
from feeds.admin.parts import Parts
from feeds.admin.threshold_forms import TryForm, TunableForm
from feeds.admin.wording import many
from feeds.lists import ListsUnavailable
from feeds.measuring.kept import KEPT_SECONDS, get_graph, get_speed
from feeds.models import Crossing, FeedSettings, PulledAuthor, SettingsChange
from feeds.moving import get_progress, preview_move
from feeds.settings_history import ChangedMeanwhile, changes_of, newest_change
from feeds.stats import opens_a_day
from feeds.threshold import change_settings, current_threshold
from social.models import Account
from social.staff import ReadOnlyAdmin

DAY = 86_400
NEWEST = 20
MEASURE_SECONDS = 8.0  # for all of a page's parts, when everything is measured anew
FIXED = (
    ("FEED_LENGTH", "ids", "that a stored feed keeps after a trim; deeper pages come from PostgreSQL"),
    ("FEED_INACTIVE_AFTER", "seconds", "away, and one is not pushed to; the next visit builds the feed"),
    ("FANOUT_BATCH_SIZE", "followers", "pushed to between two checkpoints; a read may wait behind one batch"),
    ("FEED_LOCAL_CACHE_SECONDS", "seconds", "that a web process keeps a pulled cook's menus"),
    ("FEED_OVERLAY_SECONDS", "seconds", "that a change stays listed for every read after it was delivered"),
)  # fmt: skip


@admin.register(FeedSettings)
class FeedSettingsAdmin(admin.ModelAdmin):
    """One row, and the page about it."""

    def get_urls(self) -> list[URLPattern]:
        progress = self.admin_site.admin_view(self.progress_view)
        return [path("1/progress/", progress, name="feeds_feedsettings_progress"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect(_address())

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if object_id != "1":
            return redirect(_address())
        row, _ = FeedSettings.objects.get_or_create(pk=1)
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        if request.method != "POST":
            return self._page(request, row)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        if "measure" in request.POST:
            return self._measure(request, row)
        form = TunableForm(request.POST, instance=FeedSettings.objects.get(pk=1))
        if not form.is_valid():
            return self._page(request, row, form, status=400)
        return self._save(request, form) if "save" in request.POST else self._preview(request, row, form)

    @method_decorator(require_safe)
    def progress_view(self, request: HttpRequest) -> HttpResponse:
        """The fragment that the page asks for until all is in force."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {"progress": get_progress(), "page": _address()}
        return TemplateResponse(request, "admin/feeds/_progress.html", context)

    # --- The page ------------------------------------------------------------------------------------------

    def _page(
        self, request: HttpRequest, row: FeedSettings, form: TunableForm | None = None, *, status: int = 200
    ) -> HttpResponse:
        may_change = self.has_change_permission(request, row)
        if form is None and may_change:
            form = TunableForm(instance=row, initial=_undone(request) | {"seen": newest_change()})
        try_form = TryForm(request.GET if "number" in request.GET else None)
        tried = try_form.cleaned_data["number"] if try_form.is_bound and try_form.is_valid() else None
        response = show(
            request,
            "admin/feeds/threshold.html",
            "Feed settings",
            [("Feeds", reverse("admin:app_list", args=["feeds"]))],
            row=row,
            form=form,
            try_form=try_form,
            may_change=may_change,
            page=_address(),
            progress=get_progress(),
            fixed=[(name, f"{getattr(settings, name):,}", unit, reason) for name, unit, reason in FIXED],
            changes=changes_of(ranking=False)[:NEWEST],
            crossings=Crossing.objects.select_related("author").order_by("-id")[:NEWEST],
            **_figures(row, tried),
        )
        response.status_code = status
        return response

    def _measure(self, request: HttpRequest, row: FeedSettings) -> HttpResponse:
        parts = Parts(seconds=MEASURE_SECONDS, each=4.0)
        graph = parts.read(lambda: get_graph(inactive_after=row.inactive_after, again=True))
        speed = parts.read(lambda: get_speed(again=True))
        problem = graph.problem or speed.problem
        if problem:
            messages.warning(request, f"Not everything could be measured. {problem}")
        else:
            messages.success(request, "Measured anew.")
        return redirect(_address())

    # --- A change ------------------------------------------------------------------------------------------

    def _preview(self, request: HttpRequest, row: FeedSettings, form: TunableForm) -> HttpResponse:
        wanted = form.wanted
        moves = "threshold" in wanted
        figures = _figures(row, wanted["threshold"] or settings.FANOUT_THRESHOLD) if moves else {}
        return show(
            request,
            "admin/feeds/threshold_preview.html",
            "What this changes",
            [("Feeds", reverse("admin:app_list", args=["feeds"])), ("Feed settings", _address())],
            changes=[(name, _value(getattr(row, name)), _value(value)) for name, value in wanted.items()],
            move=preview_move(wanted["threshold"]) if moves else None,
            rows=[line for line in figures.get("rows", ()) if line["mark"]],
            ladder_head=words.LADDER_HEAD,
            outside=_outside(figures, wanted) if moves else "",
            form=form,
            page=_address(),
        )

    def _save(self, request: HttpRequest, form: TunableForm) -> HttpResponse:
        staff = request.user
        assert isinstance(staff, Account)
        wanted, reason = form.wanted, form.cleaned_data["reason"]
        try:
            changed = change_settings(wanted, by=staff, reason=reason, seen=form.cleaned_data["seen"])
        except ChangedMeanwhile:
            latest = changes_of(ranking=False).first()
            messages.error(
                request,
                f"Nothing was saved: @{latest.by_name or 'a command'} has just set {latest.field} to {latest.new}"
                f" ({latest.reason}). Look at it, and change what you still want to."
                if latest
                else "Nothing was saved: the settings were changed meanwhile.",
            )
            return redirect(_address())
        note(request, [FeedSettings.objects.get(pk=1)], f"{', '.join(changed)} changed: {reason}")
        messages.success(request, "Saved. Below you see when it is in force everywhere.")
        return redirect(_address())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _address() -> str:
    return reverse("admin:feeds_feedsettings_change", args=[1])


def _value(value: Any) -> str:
    return "the default" if value is None else f"{value:,}"


def _undone(request: HttpRequest) -> dict[str, Any]:
    """With `undo`, the id of a change: the form begins with what was before it."""
    asked = request.GET.get("undo", "")
    change = (
        changes_of(ranking=False).filter(pk=int(asked)).first()
        if asked.isdecimal() and len(asked) < 19
        else None
    )
    if change is None or change.field not in TunableForm.Meta.fields:
        return {}
    old = None if change.old == "default" else float(change.old.replace(",", ""))
    value = int(old) if old is not None and change.field == "threshold" else old
    return {change.field: value, "reason": f"Undo: {change.reason}"[:300]}


def _figures(row: FeedSettings, tried: int | None) -> dict[str, Any]:
    """What was measured, in words, rows and drawings; or why it was not."""
    parts = Parts(seconds=MEASURE_SECONDS, each=4.0)
    graph = parts.read(lambda: get_graph(inactive_after=row.inactive_after))
    speed = parts.read(get_speed)
    in_force = current_threshold()
    pulled = PulledAuthor.objects.filter(until_id=None).count()
    known: dict[str, Any] = {
        "answer": f"Cooks with {many(in_force, 'follower')} or more are pulled: {pulled:,}"
        f"{f' of {len(graph.value.cooks):,}' if graph.value else ''}. Menus of all others are pushed.",
        "problems": [part.problem for part in (graph, speed) if part.problem],
        "kept_minutes": KEPT_SECONDS // 60,
    }
    if graph.value is None or speed.value is None:
        return known
    opens, opens_words = _opens()
    figures = words.Figures(graph.value, speed.value, row, in_force, opens)
    suggestion = figures.suggestion
    return known | {
        "figures": figures,
        "suggestion": suggestion,
        "why": words.why(figures, suggestion),
        "rules": words.rules(figures),
        "charts": words.cost_charts(figures, suggestion, tried),
        "spread": words.spread_chart(figures),
        "ladder_head": words.LADDER_HEAD,
        "rows": words.ladder_rows(figures, tried, suggestion.threshold),
        "measured": _measured(figures, opens_words),
        "classes": [
            (f"{least:,}", f"{10 * least - 1:,}" if least else "0", cooks, posts)
            for least, cooks, posts in graph.value.posts_by_class()
        ],
    }


def _opens() -> tuple[float | None, str]:
    """Opens a day, and in words over how long they were counted; None: they were not."""
    try:
        counted = opens_a_day()
    except ListsUnavailable:
        counted = None
    if counted is None:
        return None, "none were counted yet"
    opens, covered = counted
    a_day = opens * DAY / covered
    hours = covered / 3600
    return a_day, f"{a_day:,.0f}, at the pace of the last {hours:.1f} h, in which {opens:,.0f} were counted"


def _measured(figures: words.Figures, opens: str) -> list[tuple[str, str]]:
    graph, rates, followers = figures.graph, figures.speed.rates, figures.graph.followers
    looked_at = "all" if graph.whole else "a random sample of"
    entries = [
        f"{memory.bytes_an_entry:.1f} bytes an id as {memory.encoding}"
        f" ({many(memory.lists, 'feed') if memory.real else f'a list of {memory.entries:,} made for this'})"
        for memory in figures.speed.memory
    ]
    return [
        (
            "Followers of a cook",
            f"median {followers.percentile(0.5):,}, 99th percentile {followers.percentile(0.99):,}, 99.99th"
            f" {followers.percentile(0.9999):,}, most {followers.most:,}; the top 0.1 % hold"
            f" {100 * followers.share_of_top(0.001):.0f} % of {followers.total:,} follows",
        ),
        ("Menus a day", f"{sum(n for _, n in graph.cooks):,.0f}, counted over {graph.days:.1f} days"),
        ("Opens a day", opens),
        ("Pushed", f"{rates.pushes:,.0f} ids a second by one worker, followers looked up, on scratch lists"),
        ("A pulled cook", f"{seconds_of(rates.merge)} of each read, {seconds_of(rates.refresh)} to fetch her menus"),
        ("A read from stored lists", seconds_of(rates.read) if rates.read else "not measured: no feed is stored"),
        (
            "Viewers",
            f"{looked_at} {many(len(graph.viewers), 'account')} who follow a cook;"
            f" {100 * graph.active:.0f} % of what they follow is pushed to them, the others were not here for long",
        ),
        ("Stored feeds", "; ".join(entries) or "none to be measured"),
    ]  # fmt: skip


seconds_of = words.seconds


def _outside(figures: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Whether the new threshold leaves the range that keeps both budgets."""
    suggestion = figures.get("suggestion")
    if suggestion is None or not suggestion.fits:
        return ""
    value = wanted["threshold"] or settings.FANOUT_THRESHOLD
    if suggestion.highest and value > suggestion.highest:
        return f"Above {suggestion.highest:,} the largest push job misses the freshness target."
    if suggestion.lowest and value < suggestion.lowest:
        return f"Below {suggestion.lowest:,} one read in a hundred costs more than the read budget."
    return ""


@admin.register(SettingsChange)
class SettingsChangeAdmin(ReadOnlyAdmin):
    list_display = ["at", "by_name", "field", "old", "new", "reason"]
    list_display_links = None


@admin.register(Crossing)
class CrossingAdmin(ReadOnlyAdmin):
    """Who crossed the threshold, by growth or by staff's number; the last 90 days."""

    list_display = ["at", "author", "opened", "followers", "threshold"]
    list_display_links = None
    list_select_related = ["author"]
