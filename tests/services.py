"""A pytest plugin: real PostgreSQL and Redis servers for the run, each xdist worker its own.

Loaded before Django's settings are read (`-p tests.services` in pyproject.toml), since these take the URLs from
the environment. The servers are throwaway: no durability, nothing left behind.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from courtyard.embedded import start_services
from courtyard.embedded.server import Server

_running = ExitStack()
servers: dict[str, Server] = {}  # by the name of their URL, for tests that stop one and start it again

# An xdist worker reads the command line's plugins after Django's settings, but these before.
os.environ["PYTEST_PLUGINS"] = "tests.services"


def _only_hands_out_tests(config: pytest.Config) -> bool:
    """Whether this process leaves the tests to xdist workers."""
    options = config.known_args_namespace
    return bool(getattr(options, "numprocesses", None)) and "PYTEST_XDIST_WORKER" not in os.environ


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    if not _only_hands_out_tests(early_config):
        folder = Path(tempfile.mkdtemp(prefix="courtyard-tests-"))
        _running.callback(shutil.rmtree, folder, ignore_errors=True)
        services = _running.enter_context(start_services(folder, throwaway=True, environ={}))
        os.environ |= services.environment
        servers.update(services.servers)
    else:
        # Never spoken to; Django's settings want to be told all the same.
        os.environ |= {
            "DATABASE_URL": "postgresql:///none",
            "FEED_REDIS_URL": "unix:///none",
            "CELERY_BROKER_URL": "redis+socket:///none",
        }
    os.environ |= {
        # A busy machine may stop for longer than a healthy one takes to answer.
        "REDIS_TIMEOUT": "2",
        # Tests of limits turn them on; all others do in a second what nobody does in an hour.
        "RATE_LIMITS": "off",
        "SECRET_KEY": secrets.token_urlsafe(50),
        # Django's live server and Playwright run in one thread with an event loop.
        "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
    }
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    _running.close()
