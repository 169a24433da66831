"""Pages about menus: write one, read one, delete one; and a cook's own page with hers."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from posts.cards import Card, day_cards, day_in_address, single_card
from posts.forms import MORE_ROWS, MenuForm, dish_rows
from posts.ids import MAX_ID
from posts.models import Post
from posts.rendering import post_dict
from posts.selectors import get_visible_post, visible_posts, with_parts
from posts.services import delete_post, publish_post, today_of
from social.discovery import followed_by
from social.errors import NotACook, NotFound, Refusal
from social.forms import add_refusal
from social.lists import count_requests
from social.models import Account
from social.relations import NO_RELATION, get_account_with_relation_by_name
from social.viewing import (
    Me,
    for_signed_in,
    me_of,
    show,
    show_refusal,
    signed_in_account,
    viewer_id_of,
    zone_for,
)

MENUS_ON_A_PAGE = 10


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def new_menu(request: HttpRequest) -> HttpResponse:
    """Write a menu. "Add a dish" is a submit too, which gives the same form back with a row more."""
    cook = signed_in_account(request)
    assert cook is not None  # for_signed_in
    if not cook.is_cook:
        return show(request, "posts/not_a_cook.html", status=NotACook.status)
    if request.method != "POST":
        return _show_form(request, MenuForm(initial={"day": today_of(cook)}), dish_rows())
    if "add-dish" in request.POST:
        return _show_more_rows(request)
    form, rows = MenuForm(request.POST), dish_rows(request.POST)
    if form.is_valid() & rows.is_valid() and (post := _publish(cook, form, rows)):
        messages.success(request, _("Your menu is out. Everyone who follows you sees it now."))
        return redirect("menu", post.pk)
    return _show_form(request, form, rows, status=400)


def _publish(cook: Account, form: MenuForm, rows: Any) -> Post | None:
    try:
        return publish_post(
            author=cook,
            text=form.cleaned_data["text"],
            dishes=rows.dishes(),
            photos=form.photos(),
            day=form.cleaned_data["day"],
        )
    except Refusal as refusal:
        add_refusal(form, str(refusal), refusal.errors)
        return None


def _show_more_rows(request: HttpRequest) -> HttpResponse:
    """The form as typed, unchecked, with one row more, which has the cursor."""
    form, rows = MenuForm(request.POST), dish_rows(request.POST, more=MORE_ROWS)
    for part in (form, *rows.forms):
        part.errors.clear()  # nobody asked for a check yet
    rows.forms[-1].fields["name"].widget.attrs["autofocus"] = True
    return _show_form(request, form, rows)


def _show_form(request: HttpRequest, form: MenuForm, rows: Any, status: int = 200) -> HttpResponse:
    return show(request, "posts/new.html", {"form": form, "rows": rows}, status=status)


@require_safe
def menu(request: HttpRequest, post_id: int) -> HttpResponse:
    """One menu, with all its dishes."""
    me = me_of(signed_in_account(request))
    try:
        post = get_visible_post(viewer_id=viewer_id_of(request), post_id=post_id)
    except NotFound:
        return show(request, "posts/gone.html", status=404)
    zone = zone_for(me)
    card = single_card(post_dict(post), zone=zone, today=datetime.now(zone).date())
    own = me is not None and post.author_id == me["id"]
    return show(request, "posts/menu.html", {"card": card, "own": own, "order_url": post.author.order_url})


@require_POST
@for_signed_in
def delete_menu(request: HttpRequest, post_id: int) -> HttpResponse:
    cook = signed_in_account(request)
    assert cook is not None  # for_signed_in
    try:
        delete_post(actor=cook, post_id=post_id)
    except NotFound:
        return show(request, "posts/gone.html", status=404)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    messages.success(request, _("The menu is deleted. Nobody sees it any more."))
    return redirect("profile", cook.username)


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
        return show(request, "posts/_older.html", context)
    context |= {"account": account, "next": request.get_full_path()}
    if me and me["id"] == account.pk:
        context |= {"may_see": True, "pending": count_requests(account.pk)}
        context["page"] = followed_by(account.pk, after=request.GET.get("followed", ""))
        return show(request, "posts/own_profile.html", context)
    relation = account.relation if me else NO_RELATION
    hidden = relation["blocking"] or (account.is_private and not relation["following"])
    context |= {"relation": relation, "may_see": not hidden}
    return show(request, "posts/profile.html", context)


def _menus_of(request: HttpRequest, account: Account, me: Me | None) -> dict[str, Any]:
    """A page of an author's menus, and the address of the next (`older`, empty at the end)."""
    posts = visible_posts(me["id"] if me else None).filter(author=account, pk__lt=_before(request))
    found = list(with_parts(posts).order_by("-pk")[: MENUS_ON_A_PAGE + 1])
    for post in found:
        post.author = account  # known already: no query for each
    cards = cards_for(me, [post_dict(post) for post in found[:MENUS_ON_A_PAGE]], request)
    older = ""
    if len(found) > MENUS_ON_A_PAGE:
        last = cards[-1]
        older = f"{reverse('profile', args=[account.username])}?before={last.post['id']}&after={last.day}"
    return {"cards": cards, "older": older}


def cards_for(me: Me | None, posts: list[dict[str, Any]], request: HttpRequest) -> list[Card]:
    """Cards in the viewer's days. A fragment leaves out the heading that the page above it shows already."""
    zone = zone_for(me)
    above = day_in_address(request.GET.get("after")) if getattr(request, "htmx", False) else None
    return day_cards(posts, zone=zone, today=timezone.now().astimezone(zone).date(), after=above)


def _before(request: HttpRequest) -> int:
    """The id below which the page begins; an address that says nonsense begins at the top."""
    value = request.GET.get("before", "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 17 else MAX_ID + 1
