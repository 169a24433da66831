"""One handler, one shape: errors as application/problem+json (RFC 9457) with a stable `code`.

`problem_response` serves DRF's views; `ProblemMiddleware` whatever else goes wrong below /api/ (no such address,
an exception nobody expected) and turns refusals and outages on pages into pages.
"""

import json
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found
from rest_framework import exceptions
from rest_framework.views import set_rollback

from social.errors import Refusal, TooManyRequests, Unavailable
from social.viewing import show_refusal

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
RETRY_AFTER_SECONDS = 2
CHALLENGE = 'Bearer realm="api"'

CODES = {
    400: "invalid",
    401: "not_authenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    500: "internal_error",
    503: "unavailable",
}
OUTAGE = "A part of Courtyard is away for a moment. Try again shortly."


def problem(
    status: int, detail: str, *, code: str | None = None, errors: dict[str, Any] | None = None
) -> HttpResponse:
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code or CODES.get(status, "error"),
    }
    if errors:
        body["errors"] = errors
    # What was sent may be named in it, and need not be text: lone surrogates are escaped.
    text = json.dumps(body, ensure_ascii=False).encode(errors="backslashreplace")
    response = HttpResponse(text, status=status, content_type="application/problem+json")
    response["Cache-Control"] = "private, no-store"
    if status == 503:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def problem_response(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler. None: a bug, left to the middleware."""
    set_rollback()
    if isinstance(error, Refusal):
        return refusal_response(error)
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("Outage: %s", error)
        return problem(503, OUTAGE)
    if isinstance(error, Http404):
        return problem(404, "There is nothing here.")
    if isinstance(error, exceptions.ValidationError):
        return problem(400, "Some fields are not right.", errors=_by_field(error.detail))
    if isinstance(error, exceptions.ParseError) and isinstance(error.__context__, ValueError):
        return problem(400, f"The body is no JSON that can be read: {error.__context__}.")
    if isinstance(error, exceptions.APIException):
        return _api_problem(error)
    if isinstance(error, RequestDataTooBig):
        return problem(413, "The request is too large.")
    if isinstance(error, RecursionError):  # JSON of thousands of brackets
        logger.warning("Nested too deeply: %s", error)
        return problem(400, "The request could not be understood.")
    return None


def refusal_response(refusal: Refusal) -> HttpResponse:
    response = problem(refusal.status, str(refusal), code=refusal.code, errors=refusal.errors)
    if refusal.status == 401:
        response["WWW-Authenticate"] = CHALLENGE
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    return response


def _api_problem(error: exceptions.APIException) -> HttpResponse:
    detail = error.detail.get("detail", "") if isinstance(error.detail, dict) else error.detail
    response = problem(error.status_code, str(detail))
    if error.status_code == 401:
        response["WWW-Authenticate"] = CHALLENGE
    wait: float | None = getattr(error, "wait", None)
    if wait is not None:
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _by_field(detail: Any) -> dict[str, Any]:
    """DRF's nested details; messages about the whole are under `body`."""
    return detail if isinstance(detail, dict) else {"body": detail}


def not_understood(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400. Its own looks for a form's token, and so reads once more what could not be read."""
    if request.path.startswith(API_PREFIX):
        return problem(400, _PLAIN[400])
    return HttpResponse(_PLAIN[400], content_type="text/plain; charset=utf-8", status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404: there is no such address, or nothing behind it."""
    if request.path.startswith(API_PREFIX):
        return problem(404, _PLAIN[404])
    return page_not_found(request, exception)


# What Django itself answers with a page: a host it was not told of, and with DEBUG that there is no such address.
_PLAIN = {400: "The request could not be understood.", 404: "There is no such address."}


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith(API_PREFIX) and response.status_code in _PLAIN and not _is_json(response):
            return problem(response.status_code, _PLAIN[response.status_code])
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        api = request.path.startswith(API_PREFIX)
        if isinstance(error, OperationalError | InterfaceError):
            logger.warning("Outage: %s", error)
            return problem(503, OUTAGE) if api else _outage_page(request)
        if isinstance(error, Unavailable) and not api:
            return _outage_page(request)
        # Admin's sign-in; our own pages say it in their forms.
        if isinstance(error, TooManyRequests) and not api:
            return show_refusal(request, error)
        if not api or isinstance(error, Http404):
            return None
        if isinstance(error, Refusal):
            return refusal_response(error)
        if isinstance(error, RequestDataTooBig):
            return problem(413, "The request is too large.")
        if isinstance(error, SuspiciousOperation | BadRequest):
            return problem(400, "The request could not be understood.")
        logger.exception("Unexpected error in %s %s", request.method, request.path)
        return problem(500, "Something went wrong on our side.")


def _outage_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "503.html", {"me": None}, status=503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _is_json(response: HttpResponse) -> bool:
    return "json" in response.get("Content-Type", "")
