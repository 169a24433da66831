"""The address of the web process: whether it is free, and whether it answers."""

import errno
import http.client
import os
import socket
from collections.abc import Mapping

from courtyard.embedded.errors import ServiceError

NUMBERS = ("WEB_WORKERS", "WEB_THREADS", "WEB_BACKPRESSURE", "WORKER_PROCESSES")
OTHER_PORT = "PORT names another"


def parse_port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 65536:
        raise ServiceError(f"PORT must be a number from 1 to 65535, not {text!r}")
    return int(text)


def refuse_wrong_numbers(environ: Mapping[str, str]) -> None:
    """What the Procfile hands on: its programs would die of nonsense again and again."""
    for name in NUMBERS:
        text = environ.get(name) or "1"
        if not text.isascii() or not text.isdecimal() or int(text) < 1:
            raise ServiceError(f"{name} is {text!r}, which is not a whole number from 1 on")


def refuse_used_port(host: str, port: int) -> None:
    """Say so now rather than after everything else has started."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just given up is free
            probe.bind(address)
    except socket.gaierror as error:
        raise ServiceError(f"HOST is {host!r}, which this machine does not know: {error.strerror}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "HOST names no address of this machine" if error.errno == errno.EADDRNOTAVAIL else OTHER_PORT
        raise ServiceError(f"cannot listen on {host} port {port}: {reason}; {hint}") from None


def reachable(host: str) -> str:
    """Where a browser on this machine finds what listens on `host`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def readiness(host: str, port: int) -> str:
    """Ask /readyz: nothing when it is ready, else what it said.

    Asked as the proxy in front would ask: by a host that is allowed, and as if by https, or a real
    deployment would answer 400 or redirect.
    """
    headers = {"Host": _allowed_host() or f"{reachable(host)}:{port}", "X-Forwarded-Proto": "https"}
    connection = http.client.HTTPConnection(reachable(host).strip("[]"), port, timeout=2)
    try:
        connection.request("GET", "/readyz", headers=headers)
        answer = connection.getresponse()
        body = answer.read(500).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        return str(error)
    finally:
        connection.close()
    return "" if answer.status == 200 else f"{answer.status} {body}"


def _allowed_host() -> str:
    """The first of ALLOWED_HOSTS that is a name and not a pattern; nothing by default."""
    names = [name.strip() for name in os.environ.get("ALLOWED_HOSTS", "").split(",")]
    return next((name for name in names if name and "*" not in name and not name.startswith(".")), "")
