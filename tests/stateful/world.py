"""The whole installation for a proof: stores, two web processes, a worker, beat; emptied for each segment."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from courtyard.embedded.redis_server import RedisServer
from tests.stateful.processes import Beat, Child, Web, Worker

# Small, so that whatever may go wrong goes wrong often. See docs/settings.md for what each bounds.
KNOBS = {
    "FEED_LENGTH": "10",
    "FANOUT_BATCH_SIZE": "2",
    "FANOUT_HANDOVER_SECONDS": "0.01",
    "FANOUT_THRESHOLD": "5",
    "FEED_LOCAL_CACHE_SECONDS": "0.3",
    "FEED_OVERLAY_SECONDS": "1",
    "FEED_INACTIVE_AFTER": "8",
    "OUTBOX_RELAY_SECONDS": "0.3",
    "CELERY_VISIBILITY_TIMEOUT": "2",
    "REDIS_TIMEOUT": "0.5",
    "RATE_LIMITS": "off",
    "LOG_LEVEL": "WARNING",
}


@dataclass
class World:
    """Everything that runs. Both Redis servers are its own, since it stops, kills and restores them."""

    environ: dict[str, str]
    feed: RedisServer
    broker: RedisServer
    webs: list[Web]
    worker: Worker
    beat: Beat
    stopped: set[str] = field(default_factory=set)  # names of what a fault has taken away

    @property
    def children(self) -> list[Child]:
        return [*self.webs, self.worker, self.beat]

    def feed_client(self) -> redis.Redis:
        """A plain connection, to break things with. Saving may take a slow disk many seconds."""
        return redis.Redis(unix_socket_path=str(self.feed.socket), socket_timeout=1)

    def broker_client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.broker.socket), socket_timeout=1)

    def forget(self) -> None:
        """Both Redis servers empty, for the next segment."""
        for client in (self.feed_client(), self.broker_client()):
            with client:
                client.flushall()


@contextmanager
def running_world(folder: Path, environment: Mapping[str, str]) -> Iterator[World]:
    """Start everything around the PostgreSQL and with the secret key that `environment` names; whatever happens,
    all of it ends with the `with`."""
    with ExitStack() as stack:
        feed, broker = RedisServer(folder, "prove-feed"), RedisServer(folder, "prove-broker", durable=True)
        for server in (feed, broker):
            server.start()
            stack.callback(server.stop)
        urls = {"FEED_REDIS_URL": feed.url, "CELERY_BROKER_URL": broker.celery_url}
        environ = {**environment, **KNOBS, **urls}
        webs = [Web(name, folder, environ) for name in ("web-1", "web-2")]
        world = World(environ, feed, broker, webs, Worker(folder, environ), Beat(folder, environ))
        for child in world.children:
            child.start()
            stack.callback(child.stop)
        for child in world.children:
            child.wait_until_ready()
        yield world
