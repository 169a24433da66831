"""A pytest plugin: real PostgreSQL and Redis servers for the run, each xdist worker its own.

Loaded before Django's settings are read (`-p tests.services` in pyproject.toml), since these take the URLs from
the environment. The servers are throwaway: no durability, nothing left behind.
"""

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from courtyard.embedded import PostgresServer, RedisServer, start_services

_folder = Path(tempfile.mkdtemp(prefix="courtyard-tests-"))
_running = ExitStack()

os.environ |= {
    "SECRET_KEY": "only-for-tests-but-long-enough-for-the-signatures-of-tokens",
    "DATABASE_URL": PostgresServer(_folder).url,
    "FEED_REDIS_URL": RedisServer(_folder, "feed").url,
    "CELERY_BROKER_URL": RedisServer(_folder, "broker").celery_url,
    # Django's live server and Playwright run in one thread with an event loop.
    "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
}


def _only_hands_out_tests(config: pytest.Config) -> bool:
    return bool(getattr(config.option, "numprocesses", None)) and not hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    if not _only_hands_out_tests(config) and not config.option.collectonly:
        _running.enter_context(start_services(_folder, throwaway=True, environ={}))


def pytest_unconfigure(config: pytest.Config) -> None:
    _running.close()
    shutil.rmtree(_folder, ignore_errors=True)
