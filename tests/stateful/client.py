"""HTTP as an app on a phone speaks it: one keep-alive connection, a token, a time-out on everything."""

import http.client
import json
from dataclasses import dataclass
from typing import Any

SECONDS = 12.0  # longer than any promised answer takes, also on a machine that is shared
LOST = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """`status` LOST: the connection ended before an answer; nobody knows whether the change was made."""

    status: int
    body: Any = None

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def refused(self) -> bool:
        return 400 <= self.status < 500 or self.status == 503


class TimedOut(Exception):
    """No answer at all, which is never allowed."""


class Client:
    """One connection to one web process, made anew when it was lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: http.client.HTTPConnection | None = None

    def call(
        self,
        method: str,
        path: str,
        *,
        token: str = "",
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """TimedOut; a lost connection is an answer of its own."""
        words = dict(headers or {})
        if token:
            words["Authorization"] = f"Bearer {token}"
        payload = None
        if body is not None:
            payload, words["Content-Type"] = json.dumps(body).encode(), "application/json"
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
            self._connection.request(method, path, payload, words)
            reply = self._connection.getresponse()
            content = reply.read()
        except TimeoutError:
            self.close()
            raise TimedOut(f"{method} {path}: no answer within {SECONDS:.0f} s") from None
        except (OSError, http.client.HTTPException):
            self.close()
            return Answer(LOST)
        return Answer(reply.status, _decoded(reply, content))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _decoded(reply: http.client.HTTPResponse, content: bytes) -> Any:
    if "json" not in (reply.getheader("Content-Type") or ""):
        return content.decode(errors="replace")
    return json.loads(content)
