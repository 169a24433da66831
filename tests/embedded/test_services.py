"""The servers themselves, as the tests of the product use them."""

from pathlib import Path

import psycopg
import pytest
import redis

from courtyard.embedded import ServiceError, start_postgres, start_redis, start_services
from courtyard.embedded.folders import SOCKET_ROOT, THROWAWAY_PREFIX

pytestmark = pytest.mark.timeout(60)


def connect(url: str) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(url, connect_timeout=5)


def test_the_feed_evicts_and_forgets_and_the_broker_does_neither(tmp_path: Path) -> None:
    feed_server = start_redis(tmp_path, "feed", maxmemory="64mb")
    with feed_server as feed, start_redis(tmp_path, "broker", durable=True) as broker:
        for server, policy, file in ((feed, "allkeys-lru", "no"), (broker, "noeviction", "yes")):
            client = redis.Redis.from_url(server.url)
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": policy}
            assert client.config_get("appendonly") == {"appendonly": file}
            assert client.config_get("port") == {"port": "0"}
            client.set("menu", "beans")
            client.close()
        feed.restart()
        broker.kill()
        broker.start()
        assert redis.Redis.from_url(feed.url).get("menu") is None
        assert redis.Redis.from_url(broker.url).get("menu") == b"beans"


def test_a_stopped_redis_keeps_its_url_and_leaves_no_socket(tmp_path: Path) -> None:
    with start_redis(tmp_path, "feed") as server:
        url, socket = server.url, server.socket
        assert socket.parent.stat().st_mode & 0o777 == 0o700
        assert len(str(socket)) < 100
        server.stop()
        assert not socket.exists()
        with pytest.raises(redis.ConnectionError):
            redis.Redis.from_url(url).ping()
        server.start()
        assert redis.Redis.from_url(url).ping()
    assert not socket.parent.exists()


def test_two_servers_of_one_name_do_not_share_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("courtyard.embedded.server.LOCK_TIMEOUT_SECONDS", 0.2)
    with start_redis(tmp_path, "feed") as first:
        with pytest.raises(ServiceError, match="another process has held"), start_redis(tmp_path, "feed"):
            pass
        assert redis.Redis.from_url(first.url).ping()


def test_a_server_that_ends_at_once_shows_its_log(tmp_path: Path) -> None:
    broken = start_redis(tmp_path, "feed", options={"no-such-option": "1"})
    with (
        pytest.raises(ServiceError, match=r"(?s)feed ended while starting.*no-such-option"),
        broken,
    ):
        pass


def test_a_foreign_socket_folder_is_refused(tmp_path: Path) -> None:
    with start_redis(tmp_path, "feed") as server:
        folder = server.socket_folder
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    try:
        with pytest.raises(ServiceError, match="made by somebody else"), start_redis(tmp_path, "feed"):
            pass
    finally:
        folder.rmdir()


def test_a_throwaway_postgres_survives_a_kill_and_leaves_nothing(tmp_path: Path) -> None:
    with start_postgres(tmp_path, throwaway=True) as server:
        with connect(server.url) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
            assert connection.execute("SELECT upper('ç'), 'Z' < 'a'").fetchone() == ("Ç", True)
        server.kill()
        server.start()
        connect(server.url).close()
        data, sockets = server.data, server.socket_folder
        assert data.parent.name.startswith(THROWAWAY_PREFIX)
    assert not data.parent.exists()
    assert not sockets.exists()


def test_services_gives_three_urls_and_honours_given_ones(tmp_path: Path) -> None:
    given = {"DATABASE_URL": "postgresql://elsewhere", "FEED_REDIS_URL": ""}
    with start_services(tmp_path, throwaway=True, environ=given) as services:
        assert services.environment["DATABASE_URL"] == "postgresql://elsewhere"
        assert services.environment["FEED_REDIS_URL"].startswith(f"unix://{SOCKET_ROOT}/courtyard-")
        assert services.environment["CELERY_BROKER_URL"].endswith("broker.sock?virtual_host=0")
        assert set(services.servers) == {"FEED_REDIS_URL", "CELERY_BROKER_URL"}
