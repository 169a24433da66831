"""In which order one reads Today's menus: a choice of this browser, kept in a cookie. Newest first unless chosen."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from social.errors import InvalidInput
from social.viewing import show_refusal

NEWEST, RANKED = "newest", "ranked"
COOKIE = "order"
YEAR = 365 * 86400


def wants_ranked(request: HttpRequest) -> bool:
    """As the address says; where it says nothing and begins a list, as was chosen."""
    asked = request.GET.get("order")
    if asked is None and "cursor" not in request.GET:
        asked = request.COOKIES.get(COOKIE)
    return asked == RANKED


@require_POST
def order(request: HttpRequest) -> HttpResponse:
    """Choose one; remembered."""
    chosen = request.POST.get("order")
    response = HttpResponseRedirect(reverse("home"))
    if chosen == RANKED:
        response.set_cookie(
            COOKIE, chosen, max_age=YEAR, secure=settings.HTTPS_ONLY, httponly=True, samesite="Lax"
        )
    elif chosen == NEWEST:
        response.delete_cookie(COOKIE, samesite="Lax")
    else:
        return show_refusal(request, InvalidInput(_("Choose the newest first, or an order for you.")))
    return response
