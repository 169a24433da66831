"""Sessions: Django's own, in PostgreSQL and its cache, with what cannot be one of ours taken for none.

The cache may hold anything: damage, or what another program wrote. Then PostgreSQL decides, and where that is damaged
too, nobody is signed in.
"""

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.messages.storage.cookie import MessageDecoder
from django.contrib.sessions.backends.cached_db import SessionStore as CachedStore


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _holds_messages(value: Any) -> bool:
    try:
        return isinstance(json.loads(value, cls=MessageDecoder), list)
    except (TypeError, ValueError, IndexError, KeyError):
        return False


# What is in sessions, and what each of it must be for Django to read it without falling over.
SOUND: dict[str, Callable[[Any], bool]] = {
    SESSION_KEY: _is_text,
    HASH_SESSION_KEY: _is_text,
    BACKEND_SESSION_KEY: _is_text,
    "_password_reset_token": _is_text,
    "_messages": _holds_messages,
    "_session_expiry": lambda value: value is None,  # we never set one
}


def is_sound(data: Any) -> bool:
    return isinstance(data, dict) and all(SOUND[name](data[name]) for name in SOUND.keys() & data.keys())


class SessionStore(CachedStore):
    def load(self) -> dict[str, Any]:
        for _ in range(2):
            data = super().load()
            if is_sound(data):
                return data
            if self.session_key is not None:
                self._cache.delete(self.cache_key)  # type: ignore[attr-defined]
        self._session_key = None
        return {}
