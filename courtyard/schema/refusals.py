"""Errors in the document: which stable code has which status, when it is answered, and with which headers."""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from social.describing import Call, Schema


@dataclass(frozen=True, slots=True)
class Kind:
    status: int
    when: str


KINDS = {
    "invalid": Kind(400, "A field, the JSON, a parameter is not right; a username is taken."),
    "invalid_cursor": Kind(400, "The cursor is damaged, or was made for another reader or another list."),
    "self_target": Kind(400, "One cannot do that to oneself."),
    "not_authenticated": Kind(401, "No token, a damaged or expired one, an ended sign-in, a wrong password."),
    "forbidden": Kind(403, "It is somebody else's, or you block that account."),
    "not_a_cook": Kind(403, "Only cooks publish."),
    "not_found": Kind(404, "It is not there, or not to be seen."),
    "method_not_allowed": Kind(405, "Another method than those that `Allow` names."),
    "not_acceptable": Kind(406, "`Accept` names nothing that this call answers with."),
    "idempotency_running": Kind(409, "The first call with this Idempotency-Key has not been answered yet."),
    "snapshot_expired": Kind(410, "The ranked list is no longer kept. Begin again without a cursor."),
    "length_required": Kind(411, "The body comes in chunks, without a length."),
    "too_large": Kind(413, "The request is too large."),
    "unsupported_media_type": Kind(415, "The body has another type than those named here."),
    "idempotency_mismatch": Kind(422, "This Idempotency-Key was used for something else."),
    "too_many_requests": Kind(429, "Too often. `Retry-After` says when to try again."),
    "unavailable": Kind(
        503, "A part is away for a moment; nothing was saved. `Retry-After` says when to try again."
    ),
}
RATE_HEADERS = ("RateLimit", "RateLimit-Policy")
HEADERS = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-After",),
    429: ("Retry-After", *RATE_HEADERS),
    503: ("Retry-After",),
}
MEDIA_TYPE = "application/problem+json"

PROBLEM: Schema = {
    "type": "object",
    "description": "An error, as RFC 9457 says.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string", "minLength": 1, "description": "The status in words."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "minLength": 1, "description": "What is wrong, for people."},
        "code": {
            "type": "string",
            "enum": sorted(KINDS),
            "description": "What is wrong, for programs. Stable.",
        },
        "errors": {
            "type": "object",
            "description": "Messages by field; about the whole of a body under `body` or `non_field_errors`.",
        },
    },
}


def codes_of(call: Call, path: str) -> set[str]:
    """All codes that a call can answer with: its own, and those that follow from what it is."""
    codes = {"method_not_allowed", "not_acceptable", *call.refusals}
    if call.signed_in:
        codes |= {"not_authenticated"}
    if call.stored:
        codes |= {"unavailable"}
    if call.takes is not None:
        codes |= {"invalid", "length_required", "too_large", "unsupported_media_type"}
    if call.parameters and call.stored:
        codes |= {"invalid"}
    if call.is_page:
        codes |= {"invalid_cursor"}
    if "{" in path:
        codes |= {"not_found"}
    if call.limited:
        codes |= {"too_many_requests"}
    return codes


def by_status(codes: Iterable[str]) -> dict[int, list[str]]:
    grouped: dict[int, list[str]] = {}
    for code in sorted(codes, key=lambda code: (KINDS[code].status, code)):
        grouped.setdefault(KINDS[code].status, []).append(code)
    return grouped


def name_of(codes: Iterable[str]) -> str:
    """Of the shared response with these codes."""
    return "Or".join(code.title().replace("_", "") for code in codes)


def response_of(codes: list[str]) -> Schema:
    """All of one status."""
    status = KINDS[codes[0]].status
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in HEADERS.get(status, ())}
    members = {"status": {"const": status}, "code": {"enum": codes}}
    content = {
        "schema": {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": members}]},
        "examples": {name_of([code]): {"value": _example(code)} for code in codes},
    }
    response: dict[str, Any] = {
        "description": " ".join(f"`{code}`: {KINDS[code].when}" for code in codes),
        "content": {MEDIA_TYPE: content},
    }
    return response | ({"headers": headers} if headers else {})


def _example(code: str) -> dict[str, Any]:
    status = KINDS[code].status
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": KINDS[code].when,
        "code": code,
    }
