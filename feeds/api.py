"""JSON: the feed. Warm, it runs no SQL: the token is checked against the account card of the one round trip."""

import json
from typing import Any, cast

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from feeds.page import Item, Page
from feeds.ranking.notes import note_seen
from feeds.ranking.serving import RankedPage, read_ranked
from feeds.ranking.snapshot import Explanation
from feeds.reading import count_updates, read_feed
from social.api.answers import PRIVATE, done, page_headers, page_limit, signed_in
from social.api.fields import ExactNumberField
from social.authentication import Claims, ClaimsAuthentication, SessionClaimsAuthentication
from social.errors import InvalidInput

ORDERS = ("newest", "ranked")
MOST_SEEN = 100


class Feed(APIView):
    """GET /feed: a page of the newest posts of whom one follows; with `since`, of what is new; ranked if asked."""

    authentication_classes = [ClaimsAuthentication]

    def get(self, request: Request) -> HttpResponse:
        asked = request.query_params
        claims, cursor, since = cast(Claims, request.user), asked.get("cursor"), asked.get("since")
        ranked, explain = _order(asked.get("order"), asked.get("explain"))
        limit = page_limit(asked.get("limit"))
        if ranked and since is None:
            page: Page = read_ranked(claims.id, version=claims.version, cursor=cursor, limit=limit)
        else:  # what is new is answered newest first, whatever the order of the rest
            page = read_feed(claims.id, version=claims.version, cursor=cursor, since=since, limit=limit)
        headers = page_headers(request, page.next_cursor)
        body = page_json(page, explain=explain)
        return HttpResponse(body, content_type="application/json", headers=headers)


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


class SeenSerializer(serializers.Serializer):
    post_ids = serializers.ListField(child=ExactNumberField(), max_length=MOST_SEEN)


class FeedSeen(APIView):
    """POST /feed/seen: these were in sight. What is no menu of another is left out, and nobody says so."""

    throttle_scope = "seen"

    def post(self, request: Request) -> Response:
        fields = SeenSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        note_seen(signed_in(request).pk, fields.validated_data["post_ids"])
        return done()


def _order(order: str | None, explain: str | None) -> tuple[bool, bool]:
    """(ranked, with explanations). InvalidInput."""
    if order is not None and order not in ORDERS:
        raise InvalidInput("There is no such order.", errors={"order": [f"Must be {' or '.join(ORDERS)}."]})
    if explain not in (None, "0", "1"):
        raise InvalidInput("The address is not right.", errors={"explain": ["Must be 0 or 1."]})
    return order == "ranked", explain == "1"


def page_json(page: Page, *, explain: bool = False) -> bytes:
    """The answer, spliced from cards as they are stored."""
    tail = json.dumps(
        {
            "next_cursor": page.next_cursor,
            "refresh_cursor": page.refresh_cursor,
            "degraded": page.degraded,
        }
    )
    if explain and isinstance(page, RankedPage):
        posts = [_explained(item, page.explanations[item.post_id]) for item in page.items]
    else:
        posts = [item.json for item in page.items]
    return b'{"posts":[%b],%b' % (b",".join(posts), tail[1:].encode())


def _explained(item: Item, why: Explanation) -> bytes:
    return b'%b,"ranking":%b}' % (item.json[:-1], json.dumps(explanation_dict(why)).encode())


def explanation_dict(why: Explanation) -> dict[str, Any]:
    """The API's Ranking object."""
    return {
        "score": round(why.score, 6),
        "parts": {name: round(value, 6) for name, value in why.parts.items()},
        "lifted": why.lifted,
        "origin": why.source,
    }
