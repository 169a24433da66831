"""Light or dark: a choice of this browser, kept in a cookie, so that the first paint is right without a script."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from social.errors import InvalidInput
from social.viewing import safe_next, show_refusal

COOKIE = "theme"
THEMES = ("light", "dark")
AS_THE_DEVICE = "device"
YEAR = 365 * 86400


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("theme", "")
    response = HttpResponseRedirect(safe_next(request, reverse("home")))
    if chosen in THEMES:
        response.set_cookie(
            COOKIE, chosen, max_age=YEAR, secure=settings.HTTPS_ONLY, httponly=True, samesite="Lax"
        )
    elif chosen == AS_THE_DEVICE:
        response.delete_cookie(COOKIE, samesite="Lax")
    else:
        return show_refusal(request, InvalidInput(_("Choose light, dark, or as your device.")))
    return response
