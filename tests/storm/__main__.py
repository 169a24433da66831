"""bin/prove --graph FILE: the storm, from an empty installation to the comparison of all feeds."""

import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from courtyard.embedded import start_services

SECRET = secrets.token_urlsafe(50)


def main(arguments: Sequence[str]) -> int:
    [file] = arguments
    with tempfile.TemporaryDirectory(prefix="courtyard-storm-") as name:
        folder = Path(name)
        with start_services(folder, throwaway=True, environ={}) as services:
            os.environ |= {
                **services.environment,
                "SECRET_KEY": SECRET,
                "DJANGO_SETTINGS_MODULE": "courtyard.settings",
            }
            return _weather(Path(file), folder)


def _weather(file: Path, folder: Path) -> int:
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    from tests.storm.weather import storm

    try:
        wrong = storm(file, folder, dict(os.environ))
    finally:
        connection.close()
        connection.close_pool()
    print("0 differences" if not wrong else f"{wrong} differences", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
