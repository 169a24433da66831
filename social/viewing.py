"""What every page needs: who looks at it (`me`), in whose language and time zone, and kind words for a refusal.

Templates know the signed-in person only as `me`, a dict. The feed fills it from what it read anyway, without
SQL; every other page fills it from `request.user`.
"""

from collections.abc import Callable
from datetime import tzinfo
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django_htmx.http import HttpResponseClientRedirect

from social.cursors import InvalidCursor
from social.errors import Refusal
from social.languages import speak
from social.lists import count_requests
from social.models import Account
from social.zones import zone_of

Me = dict[str, Any]
ME_FIELDS = ("id", "username", "display_name", "avatar_url", "city", "is_cook", "time_zone", "language")


def signed_in_account(request: HttpRequest) -> Account | None:
    """The account that asks, or None; the first look loads it, and from then on its language is spoken."""
    if not isinstance(request.user, Account) or not request.user.is_authenticated:
        return None
    speak(request, request.user.language)
    return request.user


def the_signed_in(request: HttpRequest) -> Account:
    """The account that asks, in a view `for_signed_in`."""
    account = signed_in_account(request)
    assert account is not None
    return account


def viewer_id_of(request: HttpRequest) -> int | None:
    account = signed_in_account(request)
    return account.pk if account else None


def me_of(account: Account | None) -> Me | None:
    """`asking`: how many ask to follow a private account. The feed's page does not know, and has it fetched later."""
    if account is None:
        return None
    asking = count_requests(account.pk) if account.is_private else 0
    return {field: getattr(account, field) for field in ME_FIELDS} | {"asking": asking}


def zone_for(me: Me | None) -> tzinfo:
    """Where the viewer's days begin; the server's own zone when signed out."""
    return zone_of(me["time_zone"]) if me else timezone.get_default_timezone()


def show_to(
    me: Me | None,
    request: HttpRequest,
    template: str,
    context: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page for somebody already known. Runs no SQL of its own."""
    with timezone.override(zone_for(me)):
        return render(request, template, {"me": me, **(context or {})}, status=status)


def show(
    request: HttpRequest, template: str, context: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """A page for whoever asks."""
    return show_to(me_of(signed_in_account(request)), request, template, context, status)


def show_refusal(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """What was refused, as a page with a way on: its first sentence is the heading, the others are advice."""
    if isinstance(refusal, InvalidCursor):
        return show(request, "damaged_link.html", status=refusal.status)
    heading, _, advice = str(refusal).partition(". ")
    context = {"refusal": refusal, "heading": heading.removesuffix("."), "advice": advice}
    return say_when(refusal, show(request, "refusal.html", context, status=refusal.status))


def say_when(refusal: Refusal, response: HttpResponse) -> HttpResponse:
    """The answer, telling browsers and programs too when to try again."""
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    return response


def for_signed_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Visitors sign in first, and come back to the page they were on."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if signed_in_account(request):
            return view(request, *args, **kwargs)
        back = request.get_full_path() if request.method == "GET" else request.POST.get("next", "")
        return go(
            request, f"{reverse('sign-in')}?{urlencode({'next': back})}" if back else reverse("sign-in")
        )

    return wrapper


def go(request: HttpRequest, address: str) -> HttpResponse:
    """A redirect of the whole page, also when htmx asked for a part of it."""
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address)


def safe_next(request: HttpRequest, otherwise: str) -> str:
    """The address in `next` if it is one of ours, else `otherwise`."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    if ours and address.startswith("/"):
        return address
    return otherwise
