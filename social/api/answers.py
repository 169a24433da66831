"""What the calls have in common: who asks, which page, and how an answer looks."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from social.errors import InvalidInput
from social.models import Account
from social.paging import DEFAULT_LIMIT, MAX_LIMIT, Place
from social.text import check_length, clean_text

PRIVATE = {"Cache-Control": "private, no-store"}


def signed_in(request: Request) -> Account:
    """The account behind a request that AccountAuthentication has let in."""
    assert isinstance(request.user, Account)
    return request.user


def done() -> Response:
    return Response(status=204)


def place_of(request: Request) -> Place:
    """The page that `cursor` and `limit` ask for. InvalidInput."""
    return Place(request.query_params.get("cursor"), page_limit(request.query_params.get("limit")))


def page_limit(given: str | None) -> int:
    """`limit` as asked for, 1 to 100. InvalidInput."""
    if given is None:
        return DEFAULT_LIMIT
    if not (given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= MAX_LIMIT):
        message = f"Must be a whole number from 1 to {MAX_LIMIT}."
        raise InvalidInput("The limit is not right.", errors={"limit": [message]})
    return int(given)


def text_in_address(request: Request, name: str, *, max_length: int) -> str:
    """A parameter of the address, clean; empty when it is not there. InvalidInput."""
    given = request.query_params.get(name, "")
    try:
        check_length(given, max_length)
        return clean_text(given, max_length=max_length)
    except ValueError as error:
        raise InvalidInput("The address is not right.", errors={name: [str(error)]}) from None


def page_of(request: Request, name: str, items: list[dict[str, Any]], next_cursor: str | None) -> Response:
    """`{name: items, next_cursor}`."""
    headers = page_headers(request, next_cursor)
    return Response({name: items, "next_cursor": next_cursor}, headers=headers)


def page_headers(request: Request, next_cursor: str | None) -> dict[str, str]:
    """Of a page: private to its reader, with a Link to the next page where there is one."""
    if next_cursor is None:
        return PRIVATE
    query = request.query_params.copy()
    query["cursor"] = next_cursor
    address = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
    return PRIVATE | {"Link": f'<{address}>; rel="next"'}
