"""`benchmarks/run`, or `python -m benchmarks` in Courtyard's environment."""

import argparse
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from courtyard.embedded import ServiceError, start_services
from courtyard.embedded.services import URL_NAMES, Services

_SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
    "SECRET_KEY": secrets.token_urlsafe(50),
    "RATE_LIMITS": "off",
    "FANOUT_THRESHOLD": "1000000",  # the stage says itself who is pulled
    "REDIS_TIMEOUT": "5",  # a burst on a busy machine must not look like an outage
}


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.list:
        return _list()
    folder = Path(tempfile.mkdtemp(prefix="courtyard-benchmarks-"))
    try:
        with _services(folder) as services:
            from benchmarks.running import run  # only now can Django be set up

            return run(options, folder, services)
    except ServiceError as error:
        print(f"courtyard: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run", description="Measures reads and fan-out as ratios."
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these rows (default: all)")
    parser.add_argument("--quick", action="store_true", help="less data, fewer rounds: under 3 minutes")
    parser.add_argument("--list", action="store_true", help="name the rows and end")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each row")
    return parser


def _list() -> int:
    nowhere = ("postgresql:///nowhere", "unix:///nowhere", "redis+socket:///nowhere")
    os.environ |= _SETTINGS | dict(zip(URL_NAMES, nowhere, strict=True))
    import django

    django.setup()
    from benchmarks.rows import ROWS

    for row in ROWS:
        print(f"{row.name:<17} {row.what}\n{'':<17} against {row.against}")
    return 0


@contextmanager
def _services(folder: Path) -> Iterator[Services]:
    """Throwaway services, and an environment in which Django can be set up."""
    environ = {name: os.environ[name] for name in URL_NAMES if os.environ.get(name)}
    # 20,000 lists of 500 ids take over a gigabyte; a server that evicts would be measured rebuilding.
    environ["FEED_REDIS_MAXMEMORY"] = "0"
    with start_services(folder, throwaway=True, environ=environ) as services:
        static = folder / "static"
        static.mkdir()
        os.environ |= _SETTINGS | services.environment | {"STATIC_ROOT": str(static)}
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        try:
            yield services
        finally:
            _close_connections()


def _close_connections() -> None:
    from django.db import connections

    from feeds import refresher

    refresher.IDLE_SECONDS = 0  # its thread would connect again to what is about to stop
    time.sleep(2 * refresher.PAUSE_SECONDS)
    connections.close_all()
    if "default" in connections and hasattr(connections["default"], "close_pool"):
        connections["default"].close_pool()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
