"""What the figures were measured on."""

import os
import platform
from importlib.metadata import version

import redis
from django.conf import settings
from django.db import connection

_PACKAGES = ("django", "djangorestframework", "granian", "celery", "redis", "hiredis", "psycopg")


def describe() -> dict[str, str]:
    return {
        "processors": f"{os.cpu_count()} x {_processor()}",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "postgresql": _postgresql(),
        "feed redis": _redis(),
        **{name: version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    with open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "?")


def _postgresql() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def _redis() -> str:
    with redis.Redis.from_url(settings.FEED_REDIS_URL) as client:
        info = client.info("server")
    return f"{info.get('server_name', 'redis')} {info.get('valkey_version', info['redis_version'])}"
