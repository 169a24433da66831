"""The header Idempotency-Key: a call that its sender may repeat."""

import re
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from posts.idempotency import Answer, Call, answer_once, body_of, fingerprint_of, recall
from social.api.answers import PRIVATE, signed_in
from social.errors import InvalidInput

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x20-\x7e]{1,255}")


def call_of(request: Request, what: str) -> Call | None:
    """The call that `request` may repeat; None without the header. `what` names it. InvalidInput."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        message = "Must be 1 to 255 printable ASCII characters."
        raise InvalidInput(f"The {HEADER} is not right.", errors={HEADER: [message]})
    return Call(signed_in(request).pk, key, fingerprint_of(what, body_of(request.data)))


def created(call: Call | None, make: Callable[[], dict[str, Any]]) -> HttpResponse:
    """201 and what `make` gives; of a call that is repeated, the first answer. As answer_once."""

    def answer() -> Answer:
        return Answer(201, JSONRenderer().render(make()).decode())

    return as_sent(answer() if call is None else answer_once(call, answer))


def first_answer(call: Call | None) -> HttpResponse | None:
    """The answer that a call has had already. KeyUsed."""
    answer = recall(call) if call else None
    return as_sent(answer) if answer else None


def as_sent(answer: Answer) -> HttpResponse:
    return HttpResponse(answer.body, status=answer.status, content_type="application/json", headers=PRIVATE)
