"""Today's menus: the page everyone opens at noon.

When it is warm it runs no SQL: who looks comes from the session and from the page that was read, never from
`request.user`.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from feeds.cursor import InvalidCursor
from feeds.reading import Page, SignedOut, read_feed
from posts.cards import Card, day_in_address, with_order_urls
from posts.pages.reading import cards_for
from posts.rendering import post_dict
from posts.selectors import visible_posts, with_parts
from social.discovery import find_cooks
from social.languages import speak
from social.paging import MAX_LIMIT
from social.sessions import session_claims
from social.viewing import go, show, show_to, zone_for

MENUS_ON_LANDING = 3
MENUS_ON_A_PAGE = 20
SIFT_TAGS = (
    "vegetarian",
    "vegan",
    "halal",
    "kosher",
    "gluten_free",
    "dairy_free",
)  # by which menus are chosen
MOST_FRESH = MAX_LIMIT  # that a page takes on top; where more are new it is opened anew


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    claims = session_claims(request)
    if claims is None:
        return landing(request)
    since = request.GET.get("since") if _wants_a_part(request) else None
    try:
        page = read_feed(
            claims[0],
            version=claims[1],
            cursor=request.GET.get("cursor"),
            since=since,
            limit=_menus_wanted(request) if since is None else MOST_FRESH,
        )
    except SignedOut:
        logout(request)
        return go(request, reverse("sign-in")) if _wants_a_part(request) else landing(request)
    except InvalidCursor:
        if since is not None:
            return go(request, reverse("home"))
        return show(request, "feeds/damaged_cursor.html", status=400)
    speak(request, page.viewer["language"])
    return _show_page(request, page)


def _show_page(request: HttpRequest, page: Page) -> HttpResponse:
    """The whole page, or for htmx only the cards it lacks: the next with `cursor`, with `since` what is new."""
    cards = cards_for(page.viewer, [item.post for item in page.items], request)
    cards = with_order_urls(cards, {item.card.author_id: item.author.order_url for item in page.items})
    last_day = cards[-1].day if cards else day_in_address(request.GET.get("after"))
    context = {
        "cards": cards,
        "older": _older(page.next_cursor, last_day),
        "degraded": page.degraded,
        "follows": page.follows,
        "in_feed": True,
        "sift_tags": SIFT_TAGS,
        "offered": _offered(cards),
        "first": "cursor" not in request.GET,
        "since": page.refresh_cursor,
        "today": timezone.now().astimezone(zone_for(page.viewer)).date(),
    }
    return show_to(page.viewer, request, _template_for(request), context)


def _offered(cards: Iterable[Card]) -> set[str]:
    """By which tags the page's menus may be chosen."""
    return {tag for card in cards for tag in card.offers.replace("|", " ").split()}.intersection(SIFT_TAGS)


def _template_for(request: HttpRequest) -> str:
    if _wants_a_part(request):
        for asked, part in (("cursor", "feeds/_older.html"), ("since", "feeds/_fresh.html")):
            if asked in request.GET:
                return part
    return "feeds/today.html"


def _menus_wanted(request: HttpRequest) -> int:
    """How many menus at once: `limit` from who comes back to a place further down."""
    wanted = request.GET.get("limit", "")
    fits = wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted[:4]) <= MAX_LIMIT
    return int(wanted[:4]) if fits else MENUS_ON_A_PAGE


def _wants_a_part(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _older(cursor: str | None, last_day: date | None) -> str:
    """The address of the next cards; it hands on the day they continue, so that no heading comes twice."""
    if cursor is None:
        return ""
    day = {"after": last_day.isoformat()} if last_day else {}
    return f"{reverse('home')}?{urlencode({'cursor': cursor} | day)}"


def landing(request: HttpRequest) -> HttpResponse:
    """For visitors: what this is, the newest public menus, and the cooks whom most people follow."""
    newest = with_parts(visible_posts(None)).select_related("author").order_by("-pk")[:MENUS_ON_LANDING]
    cards = cards_for(None, [post_dict(post) for post in newest], request)
    context: dict[str, Any] = {
        "cards": with_order_urls(cards, {post.author_id: post.author.order_url for post in newest}),
        "page": find_cooks(None, limit=6),
        "next": reverse("home"),
    }
    return show_to(None, request, "feeds/landing.html", context)
