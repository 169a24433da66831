"""Real PostgreSQL and Redis servers, started here when no URL of another one is given.

A checkout runs without Docker and without anything installed by hand, on the same code as a cluster.
Nothing in this package imports Django: it runs before the settings can be read.

    with start_services(folder, throwaway=True) as services:
        os.environ |= services.environment
"""

from courtyard.embedded.errors import ServiceError
from courtyard.embedded.postgres import PostgresServer, start_postgres
from courtyard.embedded.redis_server import RedisServer, start_redis
from courtyard.embedded.services import Services, start_services

__all__ = [
    "PostgresServer",
    "RedisServer",
    "ServiceError",
    "Services",
    "start_postgres",
    "start_redis",
    "start_services",
]
