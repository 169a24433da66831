"""Bodies that cannot be taken are refused by what is said of them, before any of them is read; all others are read to
their end, also when the answer needs nothing of them."""

import contextlib
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.shortcuts import render

from courtyard.errors import API_PREFIX, problem

FORM_BYTES = 64 * 1024  # what stands around a photo in a form
# A page's form is read although its photo is too large, so that nothing else that was typed is lost.
PAGES_TAKE = 4  # times MEDIA_MAX_BYTES
CHUNK_BYTES = 64 * 1024


class BodyLimitMiddleware:
    """413 by the length; 411 without one: WSGI gives no body that is sent in chunks, and the call would be taken for
    an empty one. 415 for another charset than UTF-8: Python knows many that are none of text, and stumbles over them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if refused := _length_refused(request):
            return refused
        response = _form_refused(request) or self.get_response(request)
        _read_to_the_end(request)
        return response


def _read_to_the_end(request: HttpRequest) -> None:
    """An answer that is sent while its body is still coming, such as 401, ends the connection (HTTP/1.1 has no other
    way to tell the body from the next request), and a client that is busy sending may never see the answer.
    """
    with contextlib.suppress(UnreadablePostError):  # it has gone away
        while request.read(CHUNK_BYTES):
            pass


def _length_refused(request: HttpRequest) -> HttpResponse | None:
    given = request.META.get("CONTENT_LENGTH") or "0"
    length = int(given) if given.isascii() and given.isdecimal() else 0
    api = request.path.startswith(API_PREFIX)
    if length <= settings.MEDIA_MAX_BYTES * (1 if api else PAGES_TAKE) + FORM_BYTES:
        return None
    if api:
        return problem(413, "The request is too large.")
    return render(request, "413.html", {"me": None}, status=413)


def _form_refused(request: HttpRequest) -> HttpResponse | None:
    if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
        return _refusal(
            request, 411, "Say how long the body is (Content-Length); one in chunks is not taken."
        )
    charset = (request.content_params or {}).get("charset", "utf-8")
    if charset.strip("\"'").lower() not in ("utf-8", "utf8", "us-ascii"):
        return _refusal(request, 415, "Bodies are UTF-8.")
    return None


def _refusal(request: HttpRequest, status: int, words: str) -> HttpResponse:
    """No browser sends such a form: its page may be plain."""
    if request.path.startswith(API_PREFIX):
        return problem(status, words)
    raise BadRequest(words)
