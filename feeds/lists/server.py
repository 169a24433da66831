"""Connections to the feed Redis.

Each new connection asks for the server's run id before it serves, and a command is sent only over a
connection whose run id is the one its keys were built with. So no process reads keys of the past from a server
that was restarted, restored or failed over: an unknown run id is an empty Redis.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from feeds.keys import Keys

# A command as words, the first one its name; a Lua script's name begins with a dot.
Command = Sequence[Any]
# What a server answers to one command; an error is a value here, for the caller to look at.
Reply = Any

_LUA = Path(__file__).parent / "lua"


class ListsUnavailable(Exception):
    """The feed Redis did not do what was asked: down, too slow, replaced, or refusing."""


@cache
def _script(name: str) -> tuple[str, str]:
    """(source, SHA-1) of lua/{name}.lua."""
    source = (_LUA / f"{name}.lua").read_text()
    return source, sha1(source.encode(), usedforsecurity=False).hexdigest()


class FeedServer:
    def __init__(self, url: str, timeout: float) -> None:
        self.run_id: str | None = None
        self.pool = redis.ConnectionPool.from_url(
            url,
            protocol=2,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 0),
            redis_connect_func=self._greet,
            max_connections=256,
        )

    def _greet(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        info = connection.read_response().decode()
        connection.run_id = next(line[7:] for line in info.splitlines() if line.startswith("run_id:"))
        self.run_id = connection.run_id

    def known_run_id(self) -> str:
        if self.run_id is None:
            with_errors(lambda: self.pool.release(self.pool.get_connection()))
        assert self.run_id is not None
        return self.run_id

    def execute(self, keys: Keys, commands: Sequence[Command]) -> list[Reply]:
        """The replies to `commands`, sent in one go (no MULTI); errors of single commands are in the list."""
        packed = [_packed_words(command) for command in commands]
        replies = self._round_trip(keys, packed)
        if any(isinstance(reply, redis.exceptions.NoScriptError) for reply in replies):
            # The server forgot its scripts. Every command of ours may run twice, so all go again.
            loads = [("SCRIPT", "LOAD", _script(c[0][1:])[0]) for c in commands if c[0][0] == "."]
            self._round_trip(keys, loads)
            replies = self._round_trip(keys, packed)
        return replies

    def _round_trip(self, keys: Keys, commands: Sequence[Command]) -> list[Reply]:
        connection: Any = self.pool.get_connection()
        try:
            if connection.run_id != keys.run_id:
                raise redis.ConnectionError("the server is another one than the keys were built for")
            connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            return [_read(connection) for _ in commands]
        except BaseException:
            connection.disconnect()  # half-read replies must not be taken for the next command's
            raise
        finally:
            self.pool.release(connection)


def _packed_words(command: Command) -> Command:
    """Words to send: `(".name", [keys], args...)` becomes EVALSHA."""
    if command[0][0] != ".":
        return command
    return ("EVALSHA", _script(command[0][1:])[1], len(command[1]), *command[1], *command[2:])


def _read(connection: Any) -> Reply:
    try:
        return connection.read_response()
    except redis.ResponseError as error:
        return error


def with_errors(call: Any) -> Any:
    try:
        return call()
    except (redis.RedisError, OSError) as error:
        raise ListsUnavailable(str(error)) from error


_server: FeedServer | None = None


def _current() -> FeedServer:
    global _server
    if _server is None:
        _server = FeedServer(settings.FEED_REDIS_URL, settings.REDIS_TIMEOUT)
    return _server


def use_server(url: str) -> None:
    """Speak to another feed Redis from now on."""
    global _server
    _server = FeedServer(url, settings.REDIS_TIMEOUT)


def keys_at(epoch: int) -> Keys:
    """Keys for the server that is there now. ListsUnavailable."""
    return Keys.of(_current().known_run_id(), epoch)


def execute(keys: Keys, commands: Sequence[Command]) -> list[Reply]:
    """Run commands in one round trip, in order. ListsUnavailable unless *every* reply is good."""
    if not commands:
        return []
    replies = with_errors(lambda: _current().execute(keys, commands))
    for reply in replies:
        if isinstance(reply, Exception):
            raise ListsUnavailable(str(reply)) from reply
    return replies


def execute_one(keys: Keys, command: Command) -> Reply:
    return execute(keys, [command])[0]
