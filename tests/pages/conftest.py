"""Visitors of the pages, signed in by session."""

from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.test import Client

from social.models import Account


@pytest.fixture(autouse=True)
def plain_static_files(settings: LazySettings) -> None:
    """Addresses of static files as they are in the checkout: nothing was collected."""
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


@pytest.fixture
def browse() -> Callable[[Account | None], Client]:
    """`browse(account)` visits pages signed in as that account, `browse(None)` as nobody."""

    def visitor(account: Account | None) -> Client:
        client = Client()
        if account is not None:
            client.force_login(account)
        return client

    return visitor
