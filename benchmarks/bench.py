"""What a row needs: the data, the servers' pids, and web server and worker when it asks for them."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

from benchmarks import processes
from benchmarks.load import request_bytes
from benchmarks.scale import Scale
from benchmarks.stage import Stage
from social.authentication import access_token
from social.models import Account

_REQUESTS = 20_000


@dataclass
class Bench:
    """`servers`: pids by name of the services that were started here."""

    scale: Scale
    stage: Stage
    folder: Path
    servers: dict[str, int]
    _running: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def web(self) -> tuple[int, int]:
        """(pid, port)."""
        return self._running.enter_context(processes.web_server(self.folder, os.environ))

    @cached_property
    def worker(self) -> int:
        """The pid of a Celery worker with one process."""
        return self._running.enter_context(processes.worker(self.folder, os.environ))

    @cached_property
    def zipf_viewers(self) -> list[int]:
        """Customers as they come: the n-th of them comes 1/n as often as the first."""
        customers = self.stage.customers
        weights = [1 / rank for rank in range(1, len(customers) + 1)]
        return Random(3).choices(customers, weights, k=_REQUESTS)

    @cached_property
    def tokens(self) -> dict[int, str]:
        return tokens(set(self.zipf_viewers))

    def requests(self, path: str) -> list[bytes]:
        """The requests of the viewers as they come."""
        by_viewer = {viewer: request_bytes(path, token) for viewer, token in self.tokens.items()}
        return [by_viewer[viewer] for viewer in self.zipf_viewers]

    @contextmanager
    def running(self) -> Iterator["Bench"]:
        with self._running:
            yield self


def tokens(viewers: set[int]) -> dict[int, str]:
    """Access tokens of accounts."""
    return {account.pk: access_token(account) for account in Account.objects.filter(pk__in=viewers)}
