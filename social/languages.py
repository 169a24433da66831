"""Which language a request is answered in.

That of the account when signed in, else of the cookie, else what the browser prefers, else English
(courtyard/languages.py begins with the last three, since no account is loaded for this alone). The cookie follows the
account, so that pages which cannot know it, an outage or a form that is too old, are in its language too.
"""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation


def speak(request: HttpRequest, language: str) -> None:
    """From here on the request is answered in `language`, and so are later ones of the browser; one that is none of
    LANGUAGES changes nothing."""
    if language in dict(settings.LANGUAGES):
        translation.activate(language)
        request.spoken = language  # type: ignore[attr-defined]


def spoken_language(request: HttpRequest) -> str:
    """What an account or the reader has chosen in this request; empty: nothing was."""
    language: str = getattr(request, "spoken", "")
    return language
