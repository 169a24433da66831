"""Limits of the API: each call that writes is counted, and its answer says how its limits stand.

The headers are those of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy: "writes";q=120;w=60` (quota and
window in seconds) and `RateLimit: "writes";r=119;t=57` (what is left, and for how many seconds).
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from social.limits import Standing, count_write, refuse_exceeded


class WriteThrottle(BaseThrottle):
    """Reads are let through without asking anybody. A view's `throttle_scope` names another limit than `writes`."""

    def allow_request(self, request: Request, view: Any) -> bool:
        if request.method in SAFE_METHODS or not settings.RATE_LIMITS:
            return True
        account_id = request.user.pk if request.user else None
        standings = count_write(request, getattr(view, "throttle_scope", "writes"), account_id)
        view.headers |= rate_headers(standings)
        refuse_exceeded(standings)
        return True


def rate_headers(standings: Sequence[Standing]) -> dict[str, str]:
    """None where nothing is limited."""
    if not standings:
        return {}
    policies = (f'"{s.name}";q={s.quota};w={s.seconds}' for s in standings)
    states = (f'"{s.name}";r={s.remaining};t={s.resets_in}' for s in standings)
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)}
