"""What a session says of who is asking; and what is damaged is nobody's."""

import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import redis
from django.conf import settings
from django.contrib.sessions.backends.cached_db import KEY_PREFIX
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from social.models import Account
from social.session_store import is_sound
from tests.factories import PASSWORD, Cast

Browse = Callable[[Account], Client]
PAGES = ("/", "/cooks/", "/sign-in")


def store_of(browser: Client) -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore(browser.cookies["sessionid"].value)


def assert_nobody(browser: Client) -> None:
    for address in PAGES:
        answer = browser.get(address)
        assert answer.status_code == 200, address
        assert answer.context["me"] is None
    assert browser.post("/sign-out").status_code == 302


@pytest.mark.parametrize(
    "damage",
    [
        {"_auth_user_id": "abc"},
        {"_auth_user_id": [1]},
        {"_auth_user_id": None},
        {"_auth_user_id": "9" * 30},
        {"_auth_user_id": "-1"},
        {"_auth_user_hash": "x"},
        {"_auth_user_hash": 1},
        {"_auth_user_hash": "9" * 30},
        {"_auth_user_backend": 5},
        {"_messages": "not json"},
        {"_messages": "{}"},
        {"_messages": 7},
        {"_session_expiry": "tomorrow"},
        {"_session_expiry": [1]},
        {"_password_reset_token": 5},
    ],
)
def test_damage_in_both_stores_is_nobody(cast: Cast, browse: Browse, damage: dict[str, Any]) -> None:
    browser = browse(cast.carla)
    store = store_of(browser)
    data = dict(store.items()) | damage
    Session.objects.filter(pk=store.session_key).update(session_data=store.encode(data))
    cache.set(KEY_PREFIX + store.session_key, data)
    assert_nobody(browser)


@pytest.mark.parametrize("data", [[1], "text", 5, None, {"_auth_user_id": 5}])
def test_damage_in_the_database_alone_is_nobody(cast: Cast, browse: Browse, data: Any) -> None:
    browser = browse(cast.carla)
    store = store_of(browser)
    Session.objects.filter(pk=store.session_key).update(session_data=store.encode(data))
    cache.clear()
    assert_nobody(browser)


@pytest.mark.parametrize(
    "value",
    [
        pickle.dumps(["a", "list"]),
        pickle.dumps("text"),
        pickle.dumps(None),
        pickle.dumps({"_auth_user_id": 5}),
        pickle.dumps({"_messages": 7}),
        b"\x80\x05not a pickle",
        b"csocial.nowhere\nThing\n.",
        b"12",
        b"",
    ],
)
def test_where_the_cache_is_damaged_the_database_decides(
    cast: Cast, browse: Browse, feed_redis: redis.Redis, value: bytes
) -> None:
    browser = browse(cast.carla)
    (key,) = (k for k in feed_redis.keys("*") if KEY_PREFIX.encode() in k)
    feed_redis.set(key, value)
    for address in ("/", "/cooks/"):
        answer = browser.get(address)
        assert answer.status_code == 200
        assert answer.context["me"]["username"] == "carla"


def test_a_damaged_session_signs_in_again(cast: Cast, browse: Browse) -> None:
    browser = browse(cast.carla)
    store = store_of(browser)
    cache.set(KEY_PREFIX + store.session_key, [1])
    Session.objects.filter(pk=store.session_key).update(session_data=store.encode([1]))
    page = browser.post("/sign-in", {"username": "carla", "password": PASSWORD}, follow=True)
    assert page.context["me"]["username"] == "carla"


@pytest.mark.parametrize(
    ("data", "sound"),
    [
        ({}, True),
        ({"_auth_user_id": "5", "_auth_user_hash": "1", "anything": object()}, True),
        ({"_messages": '[["__json_message", 0, 25, "Saved.", ""]]'}, True),
        ({"_messages": '[["__json_message"]]'}, False),
        ([], False),
        (None, False),
    ],
)
def test_what_is_sound(data: Any, sound: bool) -> None:
    assert is_sound(data) is sound
