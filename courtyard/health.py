"""/livez: the process answers. /readyz: it can do its work."""

from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from feeds.epoch import known_epoch
from feeds.lists import ListsUnavailable, execute_one, keys_at


def livez(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when PostgreSQL answers; without Redis reads are slower but right, so it is only reported."""
    parts = {"postgresql": _postgresql(), "feed_redis": _feed_redis()}
    ready = parts["postgresql"]
    body: dict[str, Any] = {
        "status": "ok" if all(parts.values()) else "degraded" if ready else "unavailable",
        "parts": {name: "ok" if up else "down" for name, up in parts.items()},
    }
    return JsonResponse(body, status=200 if ready else 503)


def _postgresql() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations WHERE app = 'feeds' LIMIT 1")
            return cursor.fetchone() is not None
    except DatabaseError:
        return False


def _feed_redis() -> bool:
    try:
        keys = keys_at(known_epoch())
        return execute_one(keys, ("PING",)) is not None
    except ListsUnavailable:
        return False
