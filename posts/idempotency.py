"""Calls that may be sent twice and are done once: the first answer is kept for a day, and given again.

The row that keeps it belongs to the transaction that does what was asked. A process that dies in between leaves
nothing, a call that was refused leaves nothing, and who has an answer can have it again. A lock on account and key,
which ends with that transaction, tells a call that is still running from one that nobody has sent.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from posts.models import IdempotencyKey
from posts.services import in_time
from social.errors import Refusal

KEEP_HOURS = 24
PRUNED_AT_ONCE = 1000
MOST_PRUNED = 100_000  # a run
WAIT_SECONDS = 0.1  # between two looks at a call that is running


class KeyUsed(Refusal):
    status = 422
    code = "idempotency_mismatch"


class StillRunning(Refusal):
    status = 409
    code = "idempotency_running"
    retry_after = 1


@dataclass(frozen=True, slots=True)
class Call:
    """A call that its sender may repeat. `fingerprint` tells what was asked from anything else (fingerprint_of)."""

    account_id: int
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`body`: as it is sent."""

    status: int
    body: str


def fingerprint_of(what: str, body: Any) -> str:
    """The same for equal JSON, whatever its spacing and the order of its keys. `what` names the call."""
    text = json.dumps([what, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def body_of(data: Any) -> Any:
    """A parsed body as JSON: of a form its fields, and its files by their bytes."""
    if not hasattr(data, "lists"):
        return data
    return {name: [_digest(value) for value in values] for name, values in data.lists()}


def _digest(value: Any) -> Any:
    if isinstance(value, str):
        return value
    digest = hashlib.sha256()
    for chunk in value.chunks():
        digest.update(chunk)
    value.seek(0)
    return {"sha256": digest.hexdigest()}


def answer_once(call: Call, make: Callable[[], Answer], *, patience: float = 0) -> Answer:
    """The first answer to `call`. `make` gives it, in the transaction that keeps it; what it raises frees the key.

    While the first call is running, the second waits for `patience` seconds. KeyUsed for something else,
    StillRunning; Unavailable as in_time.
    """

    def answer() -> Answer:
        _hold(call)
        if (first := recall(call)) is not None:
            return first
        made = make()
        IdempotencyKey.objects.create(
            account_id=call.account_id,
            key=call.key,
            fingerprint=call.fingerprint,
            status=made.status,
            body=made.body,
        )
        return made

    deadline = time.monotonic() + patience
    while True:
        try:
            return in_time(answer)
        except StillRunning:
            if time.monotonic() >= deadline:
                raise
            time.sleep(WAIT_SECONDS)


def recall(call: Call) -> Answer | None:
    """The answer that `call` has had; None if it has had none. KeyUsed for something else."""
    row = IdempotencyKey.objects.filter(account_id=call.account_id, key=call.key).first()
    if row is None:
        return None
    if row.fingerprint != call.fingerprint:
        raise KeyUsed("This Idempotency-Key was used for another request. Take a new one for a new request.")
    return Answer(row.status, row.body)


def _hold(call: Call) -> None:
    """The key is ours until the transaction ends. Two keys of one hash only make one of them wait. StillRunning."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))", [call.key, call.account_id]
        )
        [held] = cursor.fetchone()
    if not held:
        raise StillRunning("The first request with this Idempotency-Key is still running. Ask again shortly.")


def prune_keys() -> int:
    """Forget answers that were given over KEEP_HOURS ago; how many."""
    pruned = 0
    while pruned < MOST_PRUNED:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM posts_idempotencykey WHERE id = ANY(ARRAY(SELECT id FROM posts_idempotencykey"
                " WHERE created_at < now() - %s * interval '1 hour' ORDER BY created_at LIMIT %s"
                " FOR UPDATE SKIP LOCKED))",
                [KEEP_HOURS, PRUNED_AT_ONCE],
            )
            pruned += cursor.rowcount
            if cursor.rowcount < PRUNED_AT_ONCE:
                break
    return pruned
