"""The language of an answer before anybody knows who asks, and what browsers and caches are told about it.

The JSON API speaks English whatever is asked for: its words are for those who write programs.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from courtyard.errors import API_PREFIX
from social.languages import spoken_language


class LanguageMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        api = request.path.startswith(API_PREFIX)
        # Nothing of it may be left for what the thread does next.
        with translation.override(
            settings.LANGUAGE_CODE if api else translation.get_language_from_request(request)
        ):
            response = self.get_response(request)
            if response.get("Content-Type", "").startswith("text/html") and not api:
                response.headers.setdefault(
                    "Content-Language", translation.get_language() or settings.LANGUAGE_CODE
                )
                patch_vary_headers(response, ("Accept-Language", "Cookie"))
        _keep(request, response)
        return response


def _keep(request: HttpRequest, response: HttpResponse) -> None:
    """The cookie says what was spoken."""
    name, language = settings.LANGUAGE_COOKIE_NAME, spoken_language(request)
    if language and request.COOKIES.get(name) != language:
        response.set_cookie(
            name,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
