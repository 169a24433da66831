"""One menu, and a cook's own page with hers."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from posts.cards import Card, day_cards, day_in_address, single_card
from posts.figures import add_figures
from posts.forms import ReportForm
from posts.ids import MAX_ID
from posts.models import Post
from posts.openings import note_opening
from posts.pages.gone import show_gone
from posts.pages.photos import waiting_for
from posts.pages.sharing import preview_of_account, preview_of_menu, words_about_account, words_about_menu
from posts.rendering import post_dict
from posts.selectors import count_likes, get_visible_post, liked_ids, visible_page
from social.discovery import followed_by
from social.errors import NotFound
from social.models import Account
from social.relations import NO_RELATION, get_account_with_relation_by_name
from social.viewing import Me, me_of, show, show_refusal, show_to, signed_in_account, viewer_id_of, zone_for

MENUS_ON_A_PAGE = 10


@require_safe
def menu(request: HttpRequest, post_id: int) -> HttpResponse:
    """One menu, with all its dishes; for its cook with what she does to it."""
    try:
        post = get_visible_post(viewer_id=viewer_id_of(request), post_id=post_id)
    except NotFound:
        return show_gone(request, post_id)
    if request.method == "GET":
        note_opening(post, signed_in_account(request))
    return show_menu(request, post, ReportForm())


def show_menu(request: HttpRequest, post: Post, report: ReportForm, status: int = 200) -> HttpResponse:
    """The page of a menu, with the form to report it as it was typed."""
    me = me_of(signed_in_account(request))
    zone = zone_for(me)
    shown = _posts_for(me, [post])[0]
    own = me is not None and post.author_id == me["id"]
    context = {
        "card": single_card(shown, zone=zone, today=datetime.now(zone).date()),
        "preview": preview_of_menu(request, post, shown),
        "words": words_about_menu(shown),
        "own": own,
        "waiting": waiting_for(post) if own else None,
        "likes": count_likes(post),
        "order_url": post.author.order_url,
        "report": report,
    }
    return show(request, "posts/menu.html", context, status=status)


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """A cook's page, or one's own; for htmx, which asks with `before`, only the next menus of it."""
    me = me_of(signed_in_account(request))
    try:
        account = get_account_with_relation_by_name(viewer_id=viewer_id_of(request), username=username)
    except NotFound as refusal:
        return show_refusal(request, refusal)
    context = _menus_of(request, account, me)
    if getattr(request, "htmx", False) and "before" in request.GET:
        return show_to(me, request, "posts/_older.html", context)
    context |= {"account": account, "next": request.get_full_path()}
    if me and me["id"] == account.pk:
        context["page"] = followed_by(account.pk, after=request.GET.get("followed", ""))
        return show_to(me, request, "posts/own_profile.html", context)
    context["relation"] = account.relation if me else NO_RELATION
    context |= {"preview": preview_of_account(request, account), "words": words_about_account(account)}
    return show_to(me, request, "posts/profile.html", context)


def _menus_of(request: HttpRequest, account: Account, me: Me | None) -> dict[str, Any]:
    """A page of an author's menus, and the address of the next (`older`, empty at the end)."""
    found = visible_page(
        viewer_id=me["id"] if me else None,
        author_id=account.pk,
        below=_before(request),
        limit=MENUS_ON_A_PAGE + 1,
    )
    posts = _posts_for(me, found[:MENUS_ON_A_PAGE])
    if me and me["id"] == account.pk:
        add_figures(account, posts, timezone.now().astimezone(zone_for(me)).date())
    cards = cards_for(me, posts, request)
    older = ""
    if len(found) > MENUS_ON_A_PAGE:
        last = cards[-1]
        older = f"{reverse('profile', args=[account.username])}?before={last.post['id']}&after={last.day}"
    return {"cards": cards, "older": older}


def _posts_for(me: Me | None, posts: list[Post]) -> list[dict[str, Any]]:
    """As the API gives them, with the viewer's own likes: one query for all."""
    liked = liked_ids(me["id"], [post.pk for post in posts]) if me else set()
    return [post_dict(post, liked=post.pk in liked) for post in posts]


def cards_for(me: Me | None, posts: list[dict[str, Any]], request: HttpRequest) -> list[Card]:
    """Cards in the viewer's days. A fragment leaves out the heading that the page above it shows already."""
    zone = zone_for(me)
    above = day_in_address(request.GET.get("after")) if getattr(request, "htmx", False) else None
    return day_cards(posts, zone=zone, today=timezone.now().astimezone(zone).date(), after=above)


def _before(request: HttpRequest) -> int:
    """The id below which the page begins; an address that says nonsense begins at the top."""
    value = request.GET.get("before", "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 17 else MAX_ID + 1
