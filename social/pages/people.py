"""Pages that list people: followers and followed, and who asks to follow."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from social.errors import Refusal
from social.lists import AccountPage, count_requests, followed_by_account, followers_of, requests_received
from social.models import Account
from social.paging import Place
from social.selectors import get_visible_account_by_name
from social.viewing import (
    for_signed_in,
    show,
    show_refusal,
    signed_in_account,
    the_signed_in,
)

PEOPLE_ON_A_PAGE = 50


@require_safe
@for_signed_in
def followers(request: HttpRequest, username: str) -> HttpResponse:
    return _list_of(request, username, "social/followers.html", followers_of)


@require_safe
@for_signed_in
def following(request: HttpRequest, username: str) -> HttpResponse:
    return _list_of(request, username, "social/following.html", followed_by_account)


def _list_of(
    request: HttpRequest, username: str, template: str, read: Callable[..., AccountPage]
) -> HttpResponse:
    viewer = the_signed_in(request)
    try:
        account = get_visible_account_by_name(viewer_id=viewer.pk, username=username)
        page = read(account.pk, viewer_id=viewer.pk, place=place_in(request))
    except Refusal as refusal:
        return show_refusal(request, refusal)
    return show(request, template, {"account": account, **_shown(request, page)})


@require_safe
@for_signed_in
def requests(request: HttpRequest) -> HttpResponse:
    """Who asks to follow, to be accepted or rejected."""
    viewer: Account = the_signed_in(request)
    try:
        page = requests_received(viewer.pk, place=place_in(request))
    except Refusal as refusal:
        return show_refusal(request, refusal)
    return show(request, "social/requests.html", {"account": viewer, **_shown(request, page)})


@require_safe
def asking(request: HttpRequest) -> HttpResponse:
    """For the navigation of Today's menus, which asks no table who asks to follow: a number, or nothing."""
    account = signed_in_account(request)
    asking = count_requests(account.pk) if account else 0
    return show(request, "parts/asking.html", {"asking": asking})


def place_in(request: HttpRequest, name: str = "cursor") -> Place:
    return Place(request.GET.get(name), PEOPLE_ON_A_PAGE)


def _shown(request: HttpRequest, page: AccountPage) -> dict[str, Any]:
    return {"page": page, "next": request.get_full_path(), "first": "cursor" not in request.GET}
