"""Bodies that are too large are refused by their length, before any of them is read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from courtyard.errors import API_PREFIX, problem

FORM_BYTES = 64 * 1024  # what stands around a photo in a form
# A page's form is read although its photo is too large, so that nothing else that was typed is lost.
PAGES_TAKE = 4  # times MEDIA_MAX_BYTES


class BodyLimitMiddleware:
    """413. A body without a length is not read at all, as WSGI wants it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("CONTENT_LENGTH") or "0"
        length = int(given) if given.isascii() and given.isdecimal() else 0
        api = request.path.startswith(API_PREFIX)
        if length <= settings.MEDIA_MAX_BYTES * (1 if api else PAGES_TAKE) + FORM_BYTES:
            return self.get_response(request)
        if api:
            return problem(413, "The request is too large.")
        return render(request, "413.html", {"me": None}, status=413)
