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
from feeds.ordering import RANKED, wants_ranked
from feeds.ranking.candidates import Followed
from feeds.ranking.serving import RankedPage, read_ranked
from feeds.ranking.snapshot import SnapshotExpired
from feeds.ranking.wording import reasons
from feeds.reading import Page, SignedOut, read_feed
from posts.cards import Card, day_in_address, undated_cards, with_order_urls
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
    ranked = wants_ranked(request)
    try:
        page = _read(request, claims, since, ranked)
    except SignedOut:
        logout(request)
        return go(request, reverse("sign-in")) if _wants_a_part(request) else landing(request)
    except SnapshotExpired:
        part = _wants_a_part(request)
        return show(request, "feeds/_expired.html" if part else "feeds/expired.html", status=410)
    except InvalidCursor:
        if since is not None:
            return go(request, reverse("home"))
        return show(request, "feeds/damaged_cursor.html", status=400)
    speak(request, page.viewer["language"])
    return _show_page(request, page, ranked)


def _read(request: HttpRequest, claims: tuple[int, int], since: str | None, ranked: bool) -> Page:
    """A page of either order; with `since` what is new, in order of time."""
    cursor, (viewer_id, version) = request.GET.get("cursor"), claims
    if since is not None:
        return read_feed(viewer_id, version=version, cursor=cursor, since=since, limit=MOST_FRESH)
    read = read_ranked if ranked else read_feed
    return read(viewer_id, version=version, cursor=cursor, limit=_menus_wanted(request))


def _show_page(request: HttpRequest, page: Page, ranked: bool) -> HttpResponse:
    """The whole page, or for htmx only the cards it lacks: the next with `cursor`, with `since` what is new."""
    today = timezone.now().astimezone(zone_for(page.viewer)).date()
    cards = _ranked_cards(page, today) if ranked else _dated_cards(request, page)
    cards = with_order_urls(cards, {item.card.author_id: item.author.order_url for item in page.items})
    last_day = cards[-1].day if cards else day_in_address(request.GET.get("after"))
    context = {
        "cards": cards,
        "older": _older(page.next_cursor, None if ranked else last_day, ranked),
        "degraded": page.degraded,
        "follows": page.follows,
        "in_feed": True,
        "ranked": ranked,
        "top": page.top_cursor if isinstance(page, RankedPage) else "",
        "sift_tags": SIFT_TAGS,
        "offered": _offered(cards),
        "first": "cursor" not in request.GET,
        "since": page.refresh_cursor,
        "today": today,
    }
    return show_to(page.viewer, request, _template_for(request), context)


def _dated_cards(request: HttpRequest, page: Page) -> list[Card]:
    return cards_for(page.viewer, [item.post for item in page.items], request)


def _ranked_cards(page: Page, today: date) -> list[Card]:
    """Without days; each says why it stands where it does, but for what is new and was not ranked."""
    explanations = page.explanations if isinstance(page, RankedPage) else {}
    told = {
        item.post_id: reasons(
            explanations[item.post_id],
            cook=item.author.author["display_name"],
            own=item.card.author_id == page.viewer["id"],
            followed=explanations[item.post_id].source == Followed.name,
        )
        for item in page.items
        if item.post_id in explanations
    }
    posts = [item.post for item in page.items]
    return undated_cards(posts, zone=zone_for(page.viewer), today=today, reasons=told)


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


def _older(cursor: str | None, last_day: date | None, ranked: bool) -> str:
    """The address of the next cards; it hands on the day they continue, so that no heading comes twice."""
    if cursor is None:
        return ""
    order = {"order": RANKED} if ranked else {}
    day = {"after": last_day.isoformat()} if last_day else {}
    return f"{reverse('home')}?{urlencode(order | {'cursor': cursor} | day)}"


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
