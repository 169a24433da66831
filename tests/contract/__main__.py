"""The long run: bin/prove --api [--examples 200]

Throwaway PostgreSQL and Redis, this process is the server. It ends with how often each call was answered with each
status, and with what was wrong.
"""

import argparse
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from courtyard.embedded import start_services

SECRET = secrets.token_urlsafe(50)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bin/prove --api", description="The API against its document.")
    parser.add_argument("--examples", type=int, default=100, help="drawn requests for each call")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other requests")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="courtyard-api-") as folder,
        start_services(Path(folder), throwaway=True, environ={}) as services,
    ):
        os.environ |= services.environment | {
            "SECRET_KEY": SECRET,
            "DJANGO_SETTINGS_MODULE": "courtyard.settings",
            "ALLOWED_HOSTS": "localhost,testserver",
            "RATE_LIMITS": "off",
            "REDIS_TIMEOUT": "2",
            "MEDIA_ROOT": f"{folder}/media",
            "UPLOADS_ROOT": f"{folder}/uploads",
        }
        return _play(options.examples, options.seed)


def _play(examples: int, seed: int) -> int:
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections
    from django.test import override_settings

    django.setup()
    call_command("migrate", verbosity=0)
    from tests.contract.playing import play
    from tests.contract.world import make_world

    # Pages name their files without a manifest, which only a collection makes.
    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    try:
        with override_settings(STORAGES=settings.STORAGES | plain):
            played = play(make_world(), examples=examples, seed=seed, every_bound=True, say=_say)
    finally:
        connections.close_all()
        for connection in connections.all():
            connection.close_pool()  # type: ignore[attr-defined]
    print("\n".join(played.lines()))
    return 1 if played.wrong or played.never_succeeded() else 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
