"""The checks of bin/test, in the order of how soon they answer."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# The checks before pytest read the settings and touch no service; pytest starts throwaway services.
NO_SERVICES = {
    "DATABASE_URL": "postgresql://courtyard@/courtyard?host=/nonexistent&port=5432",
    "FEED_REDIS_URL": "unix:///nonexistent/feed.sock?db=0",
    "CELERY_BROKER_URL": "redis+socket:///nonexistent/broker.sock?virtual_host=0",
    "PYTHONWARNINGS": "ignore:Got an error checking a consistent migration history:RuntimeWarning",
}
PROCESSES = "3"  # of pytest, when all tests run, each with servers of its own; one of them waits at any time
NO_TESTS = 5  # pytest's exit status
CHECKS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    "lint-imports": [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
    "makemigrations": ["manage.py", "makemigrations", "--check", "--dry-run"],
}


def main(arguments: list[str]) -> int:
    environ = {"DJANGO_SETTINGS_MODULE": "courtyard.settings", **os.environ}
    environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    environ["PYTHONPATH"] = str(CHECKOUT)
    results: dict[str, int] = {}
    started_at = time.monotonic()
    if not arguments:
        for name, command in CHECKS.items():
            results[name] = _run(name, command, {**environ, **NO_SERVICES})
    results["pytest"] = _run("pytest", ["-m", "pytest", *(arguments or ["-n", PROCESSES])], environ)
    return _summarise(results, time.monotonic() - started_at)


def _run(name: str, command: list[str], environ: dict[str, str]) -> int:
    print(f"--- {name}", flush=True)
    process = subprocess.Popen([sys.executable, *command], cwd=CHECKOUT, env=environ)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the terminal told the child too: let it clean up and say how it ended


def _summarise(results: dict[str, int], seconds: float) -> int:
    if results.get("pytest") == NO_TESTS:
        print("No test is in what was named, or none fits it: nothing was tried.")
    failed = [name for name, code in results.items() if code]
    verdict = f"failed: {', '.join(failed)}" if failed else f"passed: {', '.join(results)}"
    print(f"--- {verdict} ({seconds:.0f} s)", flush=True)
    return 1 if failed else 0
