"""The page of operations: is everything delivered, who works on it, and how reads are doing."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from feeds.admin.pages import show, staff_page
from feeds.admin.parts import Part, Parts
from feeds.admin.threshold_figures import seconds
from feeds.admin.wording import many
from feeds.drawing import Axis, Chart, Line
from feeds.metrics import OUTCOMES
from feeds.operating import Flow, Staffing, get_flow, get_staffing
from feeds.stats import Counts, last_minutes

LATE_SECONDS = 10.0  # a change that waits for longer is worth a look: the relay takes it up after 3


@staff_page("feeds.view_outbox")
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    context = _looked_at()
    if request.headers.get("HX-Request"):
        return TemplateResponse(request, "admin/feeds/_operations.html", context)
    trail = [("Feeds", reverse("admin:app_list", args=["feeds"]))]
    return show(request, "admin/feeds/operations.html", "Operations", trail, **context)


def _looked_at() -> dict[str, Any]:
    parts = Parts()
    flow, staffing, counts = parts.read(get_flow), get_staffing(), parts.read(last_minutes)
    return {
        "answer": _answer(flow, staffing),
        "fine": _is_fine(flow, staffing),
        "flow": flow,
        "staffing": staffing,
        "counts": counts,
        "charts": _flow_charts(flow.value) if flow.value else [],
        "reads": _reads_chart(counts.value) if counts.value else None,
        "facts": _facts(counts.value) if counts.value else [],
        "looked_at": timezone.now(),
    }


def _is_fine(flow: Part[Flow], staffing: Staffing) -> bool:
    return bool(flow.value and flow.value.oldest <= LATE_SECONDS and staffing.workers)


def _answer(flow: Part[Flow], staffing: Staffing) -> str:
    if flow.value is None:
        return f"What waits cannot be told. {flow.problem}"
    workers = (
        "no worker answers" if not staffing.workers else f"{many(len(staffing.workers), 'worker')} at it"
    )
    if flow.value.waiting:
        waits = "waits" if flow.value.waiting == 1 else "wait"
        return (
            f"{many(flow.value.waiting, 'change')} {waits} to be delivered, the oldest for"
            f" {seconds(flow.value.oldest)}; {workers}. Readers see them at once all the same."
        )
    longest = f"the longest wait of the last hour was {seconds(flow.value.longest)}"
    return f"Everything is delivered; {longest}, {workers}."


def _flow_charts(flow: Flow) -> list[Chart]:
    time = Axis("Time", times=True, low=float(flow.minutes[0].ends), high=float(flow.minutes[-1].ends))
    return [
        Chart(
            "Changes that waited, minute by minute",
            time,
            Axis("Changes not yet delivered", low=0),
            [
                Line(
                    "backlog",
                    [(float(minute.ends), float(minute.backlog)) for minute in flow.minutes],
                    "area",
                )
            ],
            description="Every change of a menu, a follow or an account, until all that depends on it is told.",
        ),
        Chart(
            "How long they waited",
            time,
            Axis("From change to last insert", "seconds", log=True),
            [
                Line("longest", [(float(m.ends), m.longest) for m in flow.minutes if m.done], "dots"),
                Line("median", [(float(m.ends), m.lag) for m in flow.minutes if m.done]),
            ],
            description="Of the changes that were done in that minute.",
        ),
    ]


def _reads_chart(counts: list[Counts]) -> Chart:
    lines = [
        Line(name, [(float(minute.at), minute[f"reads:{name}"]) for minute in counts], "line")
        for name in OUTCOMES
    ]
    return Chart(
        "Pages of feeds, by what they needed",
        Axis("Time", times=True),
        Axis("Pages a minute", low=0),
        lines,
        description="stored: from Redis and memory alone; built: PostgreSQL was asked too; ranked: put into an order "
        "of its reader, which asks PostgreSQL; degraded: made of what was there while a part was away.",
    )


def _facts(counts: list[Counts]) -> list[tuple[str, str]]:
    """Of the last hour, summed."""
    known = [minute for minute in counts if minute.numbers]
    if not known:
        return [("Counted", "nothing within the last hour")]

    def total(name: str) -> float:
        return sum(minute[name] for minute in known)

    pages = sum(total(f"reads:{name}") for name in OUTCOMES)
    facts = [
        ("Feeds opened", f"{total('opens'):,.0f}"),
        ("Pages", _shares([(name, total(f"reads:{name}")) for name in OUTCOMES], pages)),
        ("Fan-outs", f"{total('fan_outs'):,.0f}, which put {total('inserts'):,.0f} ids into feeds"),
    ]
    if dropped := total("notes:dropped"):
        facts.append(
            ("Lost", f"{dropped:,.0f} notes of what was seen and opened, for which there was no room")
        )
    for kind in sorted(
        {name.split(":")[1] for minute in known for name in minute.numbers if name.startswith("memory:")}
    ):
        hits, misses = total(f"memory:{kind}:hit"), total(f"memory:{kind}:miss")
        facts.append((f"In memory: {kind}", _shares([("found", hits), ("not", misses)], hits + misses)))
    return facts


def _shares(parts: list[tuple[str, float]], whole: float) -> str:
    if not whole:
        return "none"
    return f"{whole:,.0f}: " + ", ".join(f"{100 * count / whole:.1f} % {name}" for name, count in parts)
