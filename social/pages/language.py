"""The switch in the footer: another language, for this browser and, signed in, for the account."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from social.errors import InvalidInput, Refusal
from social.languages import speak
from social.models import Account
from social.services import update_account
from social.viewing import safe_next, show_refusal, signed_in_account

CHOSEN = "language"  # in the session of a visitor: what was pressed, which the cookie alone does not tell


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Leads back to the page it was pressed on."""
    chosen = request.POST.get("language", "")
    account = signed_in_account(request)
    try:
        if chosen not in dict(settings.LANGUAGES):
            raise InvalidInput(_("Choose one of the languages below."))
        if account is not None:
            update_account(account.pk, language=chosen)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    else:
        request.session[CHOSEN] = chosen
    speak(request, chosen)
    return HttpResponseRedirect(safe_next(request, reverse("home")))


def speak_as(request: HttpRequest, account: Account) -> None:
    """At sign-in: the account's language from now on, unless another was pressed in this browser just before, which
    then becomes the account's."""
    chosen = request.session.pop(CHOSEN, account.language)
    if chosen != account.language:
        update_account(account.pk, language=chosen)
    speak(request, chosen)
