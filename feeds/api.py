"""JSON: the feed. Warm, it runs no SQL: the token is checked against the account card of the one round trip."""

import json
from typing import cast

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from feeds.page import Page
from feeds.reading import count_updates, read_feed
from social.api.answers import PRIVATE, page_headers, page_limit
from social.authentication import Claims, ClaimsAuthentication, SessionClaimsAuthentication
from social.errors import InvalidInput


class Feed(APIView):
    """GET /feed: a page of the newest posts of whom one follows; with `since`, of what is new."""

    authentication_classes = [ClaimsAuthentication]

    def get(self, request: Request) -> HttpResponse:
        claims = cast(Claims, request.user)
        page = read_feed(
            claims.id,
            version=claims.version,
            cursor=request.query_params.get("cursor"),
            since=request.query_params.get("since"),
            limit=page_limit(request.query_params.get("limit")),
        )
        headers = page_headers(request, page.next_cursor)
        return HttpResponse(page_json(page), content_type="application/json", headers=headers)


class FeedUpdates(APIView):
    """GET /feed/updates: how many posts are new since a refresh cursor. Pages ask it with their session."""

    authentication_classes = [ClaimsAuthentication, SessionClaimsAuthentication]

    def get(self, request: Request) -> Response:
        claims = cast(Claims, request.user)
        since = request.query_params.get("since")
        if since is None:
            message = "Give the refresh_cursor of a page of the feed."
            raise InvalidInput("The update count needs to know since when.", errors={"since": [message]})
        updates = count_updates(claims.id, version=claims.version, since=since)
        return Response({"count": updates.count, "capped": updates.capped}, headers=PRIVATE)


def page_json(page: Page) -> bytes:
    """The answer, spliced from cards as they are stored."""
    tail = json.dumps(
        {
            "next_cursor": page.next_cursor,
            "refresh_cursor": page.refresh_cursor,
            "degraded": page.degraded,
        }
    )
    return b'{"posts":[%b],%b' % (b",".join(item.json for item in page.items), tail[1:].encode())
