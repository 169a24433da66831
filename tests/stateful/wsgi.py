"""The web process of the proof: the product's own entry, and what only the process can do to itself.

    X-Prove-Die: 1            it dies between COMMIT and what follows from it
    X-Prove-Clock: <ms>       menus of this request are drawn by this clock (ms since 1970)
    POST /prove/{deed}        calls a service that has no API call: {"arguments": {...}}

Never part of an installation: it is named by tests/stateful/processes.py only.
"""

import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

from courtyard.wsgi import application as product  # isort: skip  it sets Django up

from django.core.signals import request_finished, request_started
from django.db import connection
from django.db.models.signals import pre_save

import posts.services
import social.services
from feeds import epoch, signals, threshold
from posts.models import Post
from social.errors import Refusal
from social.models import Account

MODULES = (social.services, posts.services, threshold, epoch)
_wishes = threading.local()
_deliver = signals.AtCommit.__call__


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    _wishes.die = "HTTP_X_PROVE_DIE" in environ
    _wishes.clock = environ.get("HTTP_X_PROVE_CLOCK")
    if environ["PATH_INFO"].startswith("/prove/"):
        start_response(_do(environ), [("Content-Length", "0")])
        return []
    return product(environ, start_response)


def _do(environ: dict[str, Any]) -> str:
    name = environ["PATH_INFO"].removeprefix("/prove/")
    deed = next(getattr(module, name) for module in MODULES if hasattr(module, name))
    words = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))["arguments"]
    request_started.send(application, environ=environ)
    try:
        if "by" in words:
            words["by"] = Account.objects.get(pk=words["by"])
        deed(**words)
    except Refusal as refusal:
        return f"{refusal.status} {refusal.code}"
    finally:
        request_finished.send(application)
    return "200 OK"


def _die_or_deliver(self: signals.AtCommit) -> None:
    if getattr(_wishes, "die", False):
        os._exit(9)
    _deliver(self)


def _turn_the_clock(**kwargs: Any) -> None:
    """For the transaction that publishes; a pooled connection must not keep it."""
    if clock := getattr(_wishes, "clock", None):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('courtyard.clock', %s, true)", [clock])


signals.AtCommit.__call__ = _die_or_deliver  # type: ignore[method-assign]
pre_save.connect(_turn_the_clock, sender=Post, weak=False)
