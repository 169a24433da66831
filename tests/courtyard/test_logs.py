"""The log shows what somebody who runs the site should look at."""

import logging
from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[logging.LogRecord]:
    """What reaches the handlers of the root."""
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    monkeypatch.setattr(logging.getLogger(), "handlers", [Keep()])
    return records


def test_4xx_is_not_shown_unless_info_is_asked_for(
    stores: None, shown: list[logging.LogRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "level", logging.WARNING)
    Client().get("/nothing-here")
    assert [record for record in shown if record.name == "django.request"] == []
    logging.getLogger().setLevel(logging.INFO)
    Client().get("/nothing-here")
    assert [record.levelname for record in shown if record.name == "django.request"] == ["INFO"]


def test_a_host_that_is_not_ours_fills_no_log(
    shown: list[logging.LogRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "level", logging.WARNING)
    assert Client(headers={"Host": "elsewhere.example"}).get("/livez").status_code == 400
    assert shown == []
    logging.getLogger().setLevel(logging.INFO)
    Client(headers={"Host": "elsewhere.example"}).get("/livez")
    assert {(record.levelname, record.exc_info) for record in shown} == {("INFO", None)}


def test_5xx_is_shown_with_its_traceback(
    stores: None, shown: list[logging.LogRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("courtyard.health._postgresql", fail)
    assert Client(raise_request_exception=False).get("/readyz").status_code == 500
    [record] = [record for record in shown if record.name == "django.request"]
    assert (record.levelname, bool(record.exc_info)) == ("ERROR", True)
