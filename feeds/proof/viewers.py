"""Which viewers a command is about, and spreading them over processes."""

import random
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

import django
from django.core.management import CommandError
from tqdm import tqdm

from feeds.management.arguments import account_id, whole_number
from social.models import Account

T = TypeVar("T")
CHUNK = 100
MOST_PROCESSES = 64
MOST_ACCOUNTS = 1_000_000_000


def add_viewer_arguments(parser: ArgumentParser) -> None:
    count = whole_number(1, MOST_ACCOUNTS)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--all", action="store_true", help="every active account")
    which.add_argument("--sample", type=count, metavar="N", help="N accounts, the same for the same --seed")
    which.add_argument("--account", type=account_id, metavar="ID", nargs="+", help="these accounts")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    processes = whole_number(1, MOST_PROCESSES)
    parser.add_argument("--processes", type=processes, default=2, metavar="N", help="at once (default 2)")


def chosen_viewers(options: dict[str, Any]) -> list[int]:
    """Account ids by the arguments above. CommandError when there are none, or an id is unknown."""
    active = Account.objects.filter(is_active=True).order_by("id")
    if options["account"]:
        return _named(options["account"])
    ids = list(active.values_list("id", flat=True))
    if options["sample"] is not None:
        ids = sorted(random.Random(options["seed"]).sample(ids, min(options["sample"], len(ids))))
    if not ids:
        raise CommandError("There are no accounts yet.")
    return ids


def _named(ids: list[int]) -> list[int]:
    known = set(Account.objects.filter(pk__in=ids).values_list("id", flat=True))
    unknown = [str(i) for i in ids if i not in known]
    if unknown:
        raise CommandError(f"There is no account {', '.join(unknown)}.")
    return ids


def in_processes(
    work: Callable[[list[int]], T], viewers: list[int], *, processes: int, label: str, stream: Any
) -> Iterator[T]:
    """`work` on chunks of viewers, several at once, with a progress bar; the results as they come."""
    chunks = [viewers[at : at + CHUNK] for at in range(0, len(viewers), CHUNK)]
    with tqdm(total=len(viewers), desc=label, unit=" feeds", file=stream, disable=not stream.isatty()) as bar:
        if processes < 2 or len(chunks) < 2:
            for chunk in chunks:
                yield work(chunk)
                bar.update(len(chunk))
            return
        # Spawned, not forked: a forked child would share the parent's connections.
        with ProcessPoolExecutor(processes, get_context("spawn"), initializer=django.setup) as pool:
            futures = {pool.submit(work, chunk): len(chunk) for chunk in chunks}
            for future in as_completed(futures):
                yield future.result()
                bar.update(futures[future])
