"""Refusals: what a service answers instead of doing the thing, in words for the person who asked.

The words are in the language that is spoken where the refusal is raised: the reader's on pages, English in the API.
"""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise

Words = str | Promise


class Refusal(Exception):
    """A request that may not be done. One handler turns it into an answer (problem+json, or a page's message).

    `code` is stable and for programs; `str(refusal)` is for people; `errors` maps field names to messages.
    `retry_after`: in so many seconds the same may go well.
    """

    status = 400
    code = "invalid"
    retry_after: int | None = None

    def __init__(self, detail: Words, *, errors: Mapping[str, Sequence[Words]] | None = None) -> None:
        super().__init__(str(detail))
        self.errors = {name: [str(words) for words in about] for name, about in (errors or {}).items()}


class InvalidInput(Refusal):
    pass


class SelfTarget(Refusal):
    code = "self_target"


class NotFound(Refusal):
    status = 404
    code = "not_found"


class Forbidden(Refusal):
    status = 403
    code = "forbidden"


class NotACook(Forbidden):
    code = "not_a_cook"


class TooManyRequests(Refusal):
    """A limit is exceeded; nothing was done."""

    status = 429
    code = "too_many_requests"

    def __init__(self, detail: Words, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(Refusal):
    """A part of the system is down; nothing was saved."""

    status = 503
    code = "unavailable"
