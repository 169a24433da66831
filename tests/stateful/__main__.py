"""The long run: bin/prove --actions 50000

In segments, each from an empty world with a seed of its own. Ctrl-C stops it between two segments' ends without
loss of the totals; the same command goes on. It stops at the first difference, says its seed and its last actions,
and the same command goes on behind it.
"""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from courtyard.embedded import start_postgres
from tests.stateful.progress import Progress

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SECRET = secrets.token_urlsafe(50)


def main(arguments: Sequence[str]) -> int:
    if "--api" in arguments:
        from tests.contract.__main__ import main as api

        return api([argument for argument in arguments if argument != "--api"])
    options = _parse(arguments)
    if options.graph:
        from tests.storm.__main__ import main as storm

        return storm([str(options.graph)])
    if options.worlds > 1:
        return _side_by_side(options)
    if options.fresh:
        options.state.unlink(missing_ok=True)
    progress = Progress.load(options.state, options.seed, options.segment)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it: all that it started ends too
    try:
        with _prepared() as folder:
            good = _prove(progress, options.actions, folder)
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on", flush=True)
        good = False
    print("\n".join(progress.totals.lines()), flush=True)
    return 0 if good and not progress.totals.differences else 1


def _side_by_side(options: argparse.Namespace) -> int:
    """Several worlds at once, each a process with a seed, a share of the actions and a state of its own."""
    states = [
        options.state.with_stem(f"{options.state.stem}-{n}" if n else options.state.stem)
        for n in range(options.worlds)
    ]
    seeds = [options.seed + 1000 * n for n in range(options.worlds)]
    share = str(-(-options.actions // options.worlds))
    common = ["--actions", share, "--segment", str(options.segment), *(["--fresh"] if options.fresh else [])]
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.stateful",
                *common,
                "--seed",
                str(seed),
                "--state",
                str(state.resolve()),
            ],
            cwd=CHECKOUT,
        )
        for seed, state in zip(seeds, states, strict=True)
    ]
    codes = [_wait(process) for process in processes]
    total = Progress.load(states[0], seeds[0], options.segment).totals
    for state, seed in zip(states[1:], seeds[1:], strict=True):
        total.add(Progress.load(state, seed, options.segment).totals)
    print("\nall worlds:\n" + "\n".join(total.lines()), flush=True)
    return max(codes)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Until it has ended, also after Ctrl-C, which it has heard of too."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)


def _prove(progress: Progress, actions: int, folder: Path) -> bool:
    """Play segments until so many actions lie behind; False: there was a difference."""
    from tests.stateful.journal import Difference
    from tests.stateful.machine import run_segment
    from tests.stateful.world import running_world

    environment = {name: os.environ[name] for name in ("DATABASE_URL", "SECRET_KEY")}
    with running_world(folder, environment) as world:
        while progress.totals.steps < actions:
            seed, left = progress.next_seed, actions - progress.totals.steps
            try:
                progress.finish(run_segment(world, seed, min(progress.segment, left)))
            except Difference as difference:
                progress.finish(difference.totals)
                print(f"\n{difference}", flush=True)
                return False
            print(f"segment {progress.done} (seed {seed}): {next(progress.totals.lines())}", flush=True)
    return True


@contextmanager
def _prepared() -> Iterator[Path]:
    """A throwaway PostgreSQL with the product's tables, and Django set up to use it; the folder for all else."""
    with tempfile.TemporaryDirectory(prefix="courtyard-prove-") as name:
        folder = Path(name)
        with start_postgres(folder, throwaway=True) as postgres:
            os.environ |= {
                "DATABASE_URL": postgres.url,
                "FEED_REDIS_URL": "unix:///none",  # this process speaks to neither Redis
                "CELERY_BROKER_URL": "redis+socket:///none",
                "SECRET_KEY": SECRET,
                "DJANGO_SETTINGS_MODULE": "courtyard.settings",
            }
            import django
            from django.core.management import call_command
            from django.db import connection

            django.setup()
            call_command("migrate", verbosity=0)
            try:
                yield folder
            finally:
                connection.close()
                connection.close_pool()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    home = Path(os.environ.get("COURTYARD_HOME", ".courtyard"))
    parser = argparse.ArgumentParser(prog="bin/prove", description="Random actions, every feed compared.")
    parser.add_argument("--actions", type=int, default=50_000, help="how many in all")
    parser.add_argument("--segment", type=int, default=500, help="actions from an empty world, at most 600")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other actions")
    parser.add_argument("--state", type=Path, default=home / "prove.json", help="where the progress is kept")
    parser.add_argument("--worlds", type=int, default=1, help="so many at once, each a share of the actions")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument(
        "--graph",
        type=Path,
        metavar="FILE",
        help="instead: a storm over the follow graph in FILE, two minutes",
    )
    parser.add_argument(
        "--api",
        action="store_true",
        help="instead: the API against its document; takes --examples and --seed only",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
