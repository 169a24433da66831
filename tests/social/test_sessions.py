"""What a session says of who is asking."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from social.models import Account
from tests.factories import Cast


@pytest.mark.parametrize("damage", [{"_auth_user_id": "abc"}, {"_auth_user_id": [1]}, {"auth_version": "x"}])
def test_damage_is_nobody(cast: Cast, browse: Callable[[Account], Client], damage: dict[str, Any]) -> None:
    browser = browse(cast.carla)
    store = import_module(settings.SESSION_ENGINE).SessionStore(browser.cookies["sessionid"].value)
    for name, value in damage.items():
        store[name] = value
    store.save()
    for address in ("/", "/cooks/"):
        answer = browser.get(address)
        assert answer.status_code == 200
        assert answer.context["me"] is None
