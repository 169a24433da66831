"""The three services together."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from courtyard.embedded.postgres import PostgresServer
from courtyard.embedded.redis_server import DEFAULT_MAXMEMORY, RedisServer
from courtyard.embedded.server import Server

URL_NAMES = ("DATABASE_URL", "FEED_REDIS_URL", "CELERY_BROKER_URL")


@dataclass
class Services:
    """`environment` holds the three URLs, given or made; `servers` those that were started here."""

    environment: dict[str, str] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)


@contextmanager
def start_services(
    folder: Path, throwaway: bool = False, environ: Mapping[str, str] = os.environ
) -> Iterator[Services]:
    """Start each service whose URL is not in `environ`, where an empty one counts as not given.

    `folder` takes data, logs and records. With `throwaway` PostgreSQL works without any promise of
    durability in a temporary folder that is removed at the end.
    """
    postgres = PostgresServer(folder, throwaway=throwaway)
    feed = RedisServer(folder, "feed", maxmemory=environ.get("FEED_REDIS_MAXMEMORY") or DEFAULT_MAXMEMORY)
    broker = RedisServer(folder, "broker", durable=True)
    urls: dict[str, tuple[Server, Callable[[], str]]] = {
        "FEED_REDIS_URL": (feed, lambda: feed.url),
        "CELERY_BROKER_URL": (broker, lambda: broker.celery_url),
        "DATABASE_URL": (postgres, lambda: postgres.url),
    }
    services = Services({name: environ[name] for name in URL_NAMES if environ.get(name)})
    with ExitStack() as stack:
        stack.callback(postgres.remove)
        for name, (server, _) in urls.items():
            if name not in services.environment:
                server.launch()
                stack.callback(server.stop)
                services.servers[name] = server
        for name, server in services.servers.items():
            server.wait_until_ready()
            services.environment[name] = urls[name][1]()
        yield services
