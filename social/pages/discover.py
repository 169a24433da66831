"""Discover cooks: by a few words, a city, a cuisine. What is chosen stands in the address."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from social.discovery import Choice, cities_of_cooks, count_cooks, cuisines_of_cooks, find_cooks
from social.viewing import Me, me_of, show, show_to, signed_in_account

LENGTHS = {"words": 80, "city": 60, "cuisine": 60}
FEW = 6


@require_safe
def cooks(request: HttpRequest) -> HttpResponse:
    """The list, with what narrows it; for htmx that part alone. `pick` is the short list that an empty feed shows."""
    me = me_of(signed_in_account(request))
    if "pick" in request.GET:
        page = find_cooks(me["id"] if me else None, limit=FEW)
        return show(request, "social/_cooks.html", {"page": page, "next": reverse("home")})
    htmx: Any = getattr(request, "htmx", None)
    part = htmx and not htmx.history_restore_request
    return show_to(me, request, "social/_discover.html" if part else "social/cooks.html", _found(request, me))


def _found(request: HttpRequest, me: Me | None) -> dict[str, Any]:
    viewer_id = me["id"] if me else None
    words, city, cuisine = (_asked(request, name) for name in ("words", "city", "cuisine"))
    cities = cities_of_cooks(viewer_id, words=words, cuisine=cuisine)
    cuisines = cuisines_of_cooks(viewer_id, words=words, city=city)
    narrowed: Any = {"words": words, "city": city, "cuisine": cuisine}
    page = find_cooks(viewer_id, **narrowed, after=request.GET.get("after", ""))
    return {
        **narrowed,
        "cities": _with_chosen(cities, city),
        "cuisines": _with_chosen(cuisines, cuisine),
        "found": count_cooks(viewer_id, **narrowed) if words or city or cuisine else None,
        "ways": _ways_on(viewer_id, narrowed) if not page.cooks and "after" not in request.GET else {},
        "near": "" if words or city or cuisine else _own_city(me, cities),
        "page": page,
        "next": request.get_full_path(),
    }


def _ways_on(viewer_id: int | None, narrowed: dict[str, str]) -> dict[str, int]:
    """Of a search that found nobody: what to leave out, and how many cooks there are then."""
    chosen = [name for name in narrowed if narrowed[name]]
    if len(chosen) < 2:
        return {}
    ways = {name: count_cooks(viewer_id, **{**narrowed, name: ""}) for name in chosen}
    return {name: count for name, count in ways.items() if count}


def _asked(request: HttpRequest, name: str) -> str:
    value = request.GET.get("q" if name == "words" else name, "")
    return value.replace("\x00", "").strip()[: LENGTHS[name]]


def _with_chosen(choices: list[Choice], chosen: str) -> list[tuple[Choice, bool]]:
    """Each with whether it is chosen. What is chosen is among them, also where no cook is left."""
    marked = [(choice, choice.name.casefold() == chosen.casefold()) for choice in choices]
    if chosen and not any(is_chosen for _, is_chosen in marked):
        marked.insert(0, (Choice(chosen, 0), True))
    return marked


def _own_city(me: Me | None, cities: list[Choice]) -> str:
    """The viewer's own, if anybody cooks there."""
    own = me["city"].casefold() if me else ""
    return next((choice.name for choice in cities if choice.name.casefold() == own), "")
