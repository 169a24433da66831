"""Refusals: what a service answers instead of doing the thing, in words for the person who asked."""


class Refusal(Exception):
    """A request that may not be done. One handler turns it into an answer (problem+json, or a page's message).

    `code` is stable and for programs; `str(refusal)` is for people; `errors` maps field names to messages.
    `retry_after`: in so many seconds the same may go well.
    """

    status = 400
    code = "invalid"
    retry_after: int | None = None

    def __init__(self, detail: str, *, errors: dict[str, list[str]] | None = None) -> None:
        super().__init__(detail)
        self.errors = errors or {}


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

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(Refusal):
    """A part of the system is down; nothing was saved."""

    status = 503
    code = "unavailable"
