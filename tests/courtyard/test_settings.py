"""Settings that make no sense are refused, and each is described."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks

from feeds.checks import LEAST, check_settings

CHECKOUT = Path(__file__).resolve().parent.parent.parent
DESCRIBED = CHECKOUT / "docs" / "settings.md"


def names_in_settings() -> set[str]:
    source = (CHECKOUT / "courtyard" / "settings.py").read_text()
    return set(re.findall(r"env(?:\.\w+)?\(\s*\"([A-Z_]+)\"", source))


def test_the_names_are_found() -> None:
    assert {"FEED_LENGTH", "DATABASE_URL", "SECRET_KEY", "REDIS_TIMEOUT"} <= names_in_settings()


@pytest.mark.skipif(not DESCRIBED.exists(), reason="docs/settings.md is not written yet")
@pytest.mark.parametrize("name", sorted(names_in_settings()))
def test_every_setting_is_described(name: str) -> None:
    assert f"`{name}`" in DESCRIBED.read_text()


def test_the_defaults_make_sense() -> None:
    assert check_settings(None) == []
    assert run_checks() == []


@pytest.mark.parametrize("name", LEAST)
def test_too_little_is_refused(settings: Any, name: str) -> None:
    setattr(settings, name, LEAST[name][0] - 0.001)
    assert any(error.msg.startswith(f"{name} is ") for error in check_settings(None))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FEED_OVERLAY_SECONDS", 2, "FEED_OVERLAY_SECONDS must be greater than FEED_LOCAL_CACHE_SECONDS"),
        ("FEED_LOCAL_CACHE_SECONDS", 2.5, "FEED_LOCAL_CACHE_SECONDS must be at most 2"),
        ("CELERY_VISIBILITY_TIMEOUT", 2, "CELERY_VISIBILITY_TIMEOUT must be greater than FANOUT_HANDOVER"),
    ],
)
def test_what_does_not_fit_together_is_refused(settings: Any, name: str, value: float, message: str) -> None:
    setattr(settings, name, value)
    assert any(error.msg.startswith(message) for error in check_settings(None))
