"""One run: the data, the chosen rows, the report."""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import django

django.setup()

import redis  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from benchmarks import report  # noqa: E402
from benchmarks.bench import Bench  # noqa: E402
from benchmarks.filling import fill  # noqa: E402
from benchmarks.machine import describe  # noqa: E402
from benchmarks.report import Result  # noqa: E402
from benchmarks.row import Row, Skipped  # noqa: E402
from benchmarks.rows import ROWS  # noqa: E402
from benchmarks.scale import FULL, QUICK, Scale  # noqa: E402
from benchmarks.stage import Stage, make_stage  # noqa: E402
from courtyard.embedded.errors import ServiceError  # noqa: E402
from courtyard.embedded.services import Services  # noqa: E402
from social.models import Account  # noqa: E402

_SHORT_NAMES = {"FEED_REDIS_URL": "redis", "DATABASE_URL": "postgres", "CELERY_BROKER_URL": "broker"}


def run(options: argparse.Namespace, folder: Path, services: Services) -> int:
    rows = _chosen(options.rows)
    scale = QUICK if options.quick else FULL
    scale = replace(scale, rounds=options.rounds) if options.rounds else scale
    stage = _prepare(scale)
    servers = {
        _SHORT_NAMES[name]: server.pid for name, server in services.servers.items() if server.pid is not None
    }
    machine = describe()
    print(report.heading(machine), flush=True)
    with Bench(scale, stage, folder, servers).running() as bench:
        results = [_measure(row, bench) for row in rows]
    print("\n" + report.table(results))
    if options.json:
        written = report.as_json(machine, "quick" if options.quick else "full", results)
        options.json.write_text(json.dumps(written, indent=2))
    return 0


def _chosen(names: Sequence[str]) -> list[Row]:
    known = {row.name: row for row in ROWS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ServiceError(f"there is no row {', '.join(unknown)}; benchmarks/run --list names them")
    return [known[name] for name in names] or list(ROWS)


def _prepare(scale: Scale) -> Stage:
    """Tables, data, full feeds. Stores that hold anything are refused: they may be somebody's."""
    started = time.monotonic()
    call_command("migrate", verbosity=0)
    with redis.Redis.from_url(settings.FEED_REDIS_URL) as client:
        if Account.objects.exists() or client.info("keyspace"):
            raise ServiceError("the benchmarks need empty stores, and these hold data")
    stage = make_stage(scale)
    print(f"data made in {time.monotonic() - started:.0f} s", flush=True)
    fill(stage.viewers)
    print(f"{len(stage.viewers):,} feeds filled after {time.monotonic() - started:.0f} s\n", flush=True)
    return stage


def _measure(row: Row, bench: Bench) -> Result:
    try:
        result = Result(row, row.measure(bench))
    except Skipped as reason:
        result = Result(row, None, str(reason))
    print("\n" + report.row_text(result), flush=True)
    return result
