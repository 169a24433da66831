"""Today's menus: the page everyone opens at noon.

When it is warm it runs no SQL: who looks comes from the session and from the page that was read, never from
`request.user`.
"""

from datetime import date
from typing import Any

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from feeds.cursor import InvalidCursor
from feeds.reading import Page, SignedOut, read_feed
from posts.cards import day_in_address
from posts.pages.reading import cards_for
from posts.rendering import post_dict
from posts.selectors import visible_posts, with_parts
from social.discovery import find_cooks
from social.languages import speak
from social.sessions import session_claims
from social.viewing import go, show, show_to

MENUS_ON_LANDING = 3
MENUS_ON_A_PAGE = 20


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    claims = session_claims(request)
    if claims is None:
        return landing(request)
    try:
        page = read_feed(
            claims[0], version=claims[1], cursor=request.GET.get("cursor"), limit=MENUS_ON_A_PAGE
        )
    except SignedOut:
        logout(request)
        return go(request, reverse("sign-in")) if getattr(request, "htmx", False) else landing(request)
    except InvalidCursor:
        return show(request, "feeds/damaged_cursor.html", status=400)
    speak(request, page.viewer["language"])
    return _show_page(request, page)


def _show_page(request: HttpRequest, page: Page) -> HttpResponse:
    """The whole page, or for htmx, which asks with a cursor, only the next cards of it."""
    cards = cards_for(page.viewer, [item.post for item in page.items], request)
    last_day = cards[-1].day if cards else day_in_address(request.GET.get("after"))
    context = {
        "cards": cards,
        "older": _older(page.next_cursor, last_day),
        "degraded": page.degraded,
        "first": "cursor" not in request.GET,
    }
    fragment = getattr(request, "htmx", False) and "cursor" in request.GET
    return show_to(page.viewer, request, "feeds/_older.html" if fragment else "feeds/today.html", context)


def _older(cursor: str | None, last_day: date | None) -> str:
    """The address of the next cards; it hands on the day they continue, so that no heading comes twice."""
    if cursor is None:
        return ""
    day = {"after": last_day.isoformat()} if last_day else {}
    return f"{reverse('home')}?{urlencode({'cursor': cursor} | day)}"


def landing(request: HttpRequest) -> HttpResponse:
    """For visitors: what this is, the newest public menus, and the cooks whom most people follow."""
    newest = with_parts(visible_posts(None)).select_related("author").order_by("-pk")[:MENUS_ON_LANDING]
    context: dict[str, Any] = {
        "cards": cards_for(None, [post_dict(post) for post in newest], request),
        "page": find_cooks(None, limit=6),
        "next": reverse("home"),
    }
    return show_to(None, request, "feeds/landing.html", context)
