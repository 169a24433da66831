"""What a page says was in sight: the door for browsers; programs have POST /api/v1/feed/seen."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from feeds.api import MOST_SEEN
from feeds.ranking.notes import note_seen
from posts.ids import MAX_ID
from social.errors import InvalidInput, TooManyRequests
from social.limits import limit_seen
from social.sessions import session_claims
from social.viewing import show_refusal


@require_POST
def seen(request: HttpRequest) -> HttpResponse:
    """`ids`, up to MOST_SEEN numbers apart by spaces. Who is signed out has seen nothing, and is not told so."""
    words = request.POST.get("ids", "").split()[: MOST_SEEN + 1]
    if len(words) > MOST_SEEN or not all(map(_is_id, words)):
        return show_refusal(request, InvalidInput(_("These are no menus.")))
    claims = session_claims(request)
    if claims is not None:
        try:
            limit_seen(request, claims[0])
        except TooManyRequests as refusal:
            return show_refusal(request, refusal)
        note_seen(claims[0], [int(word) for word in words])
    return HttpResponse(status=204)


def _is_id(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 17 and 0 < int(word) <= MAX_ID
