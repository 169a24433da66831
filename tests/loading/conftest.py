from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture
def run() -> Callable[..., str]:
    """Run a management command; its standard output."""

    def run_command(name: str, *args: Any) -> str:
        output = StringIO()
        call_command(name, *map(str, args), stdout=output, stderr=StringIO())
        return output.getvalue()

    return run_command
