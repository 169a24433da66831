"""JSON: pages of accounts and of requests."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from social.api.answers import page_of, place_of, signed_in
from social.lists import (
    AccountPage,
    Line,
    blocked_accounts,
    followed_by_account,
    followers_of,
    muted_accounts,
    requests_received,
)
from social.rendering import account_dict, iso


def page_of_accounts(request: Request, page: AccountPage) -> Response:
    return page_of(request, "accounts", [account_dict(a) for a in page.accounts], page.next_cursor)


class Followers(APIView):
    """GET /accounts/{id}/followers."""

    def get(self, request: Request, account_id: int) -> Response:
        viewer_id = signed_in(request).pk
        return page_of_accounts(
            request, followers_of(account_id, viewer_id=viewer_id, place=place_of(request))
        )


class Following(APIView):
    """GET /accounts/{id}/following."""

    def get(self, request: Request, account_id: int) -> Response:
        viewer_id = signed_in(request).pk
        return page_of_accounts(
            request, followed_by_account(account_id, viewer_id=viewer_id, place=place_of(request))
        )


class Blocked(APIView):
    """GET /blocks."""

    def get(self, request: Request) -> Response:
        return page_of_accounts(request, blocked_accounts(signed_in(request).pk, place=place_of(request)))


class Muted(APIView):
    """GET /mutes."""

    def get(self, request: Request) -> Response:
        return page_of_accounts(request, muted_accounts(signed_in(request).pk, place=place_of(request)))


class FollowRequests(APIView):
    """GET /follow-requests: those that one has received."""

    def get(self, request: Request) -> Response:
        page = requests_received(signed_in(request).pk, place=place_of(request))
        return page_of(request, "requests", [request_dict(line) for line in page.lines], page.next_cursor)


def request_dict(line: Line) -> dict[str, Any]:
    """`id` is the requesting account, as in the addresses that accept and reject."""
    return {
        "id": line.account.pk,
        "account": account_dict(line.account),
        "created_at": iso(line.row.created_at),
    }
