"""Misfortunes. What lasts is ended some steps later, with the reads and changes between under it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import redis

from courtyard.embedded.redis_server import RedisServer
from tests.stateful.actions.table import fault
from tests.stateful.crowd import crowd
from tests.stateful.play import Play, Told


def lasting(
    play: Play,
    name: str,
    steps: int,
    begin: Callable[[], object],
    end: Callable[[], object],
    *,
    settle: float = 0.0,
) -> Told:
    """A fault from now until so many steps later; the same again changes nothing. `settle`: seconds that what was
    taken away needs to work again."""
    if name in play.world.stopped:
        return Told(f"{name} already")

    def over() -> None:
        end()
        play.world.stopped.discard(name)
        play.reader.shaken(settle)
        play.journal.note(f"      {name} no more")

    begin()
    play.world.stopped.add(name)
    play.later(steps, over)
    return Told(f"{name} for {steps} steps")


# --- workers and the queue -------------------------------------------------------------------------------


@fault(weight=2)
def stop_worker(play: Play) -> Told:
    worker = play.world.worker
    return lasting(play, "worker stopped", play.dice.randrange(2, 25), worker.pause, worker.resume)


@fault(weight=1, rest=40)
def kill_worker(play: Play) -> Told:
    worker = play.world.worker
    return lasting(play, "worker killed", play.dice.randrange(1, 10), worker.kill, worker.start, settle=6)


@fault(weight=2)
def delay_relay(play: Play) -> Told:
    beat = play.world.beat
    return lasting(play, "beat stopped", play.dice.randrange(5, 30), beat.pause, beat.resume)


@fault(weight=1)
def empty_queue(play: Play) -> Told:
    """The broker loses every task; the relay asks for them again."""
    with play.world.broker_client() as broker:
        broker.flushall()
    play.reader.shaken()
    return Told("")


@fault(weight=1, rest=15)
def stop_broker(play: Play) -> Told:
    pause, resume = _pausing(play.world.broker)
    return lasting(play, "broker stopped", play.dice.randrange(1, 6), pause, resume)


@fault(weight=1)
def hide_broker(play: Play) -> Told:
    hide, show = _hiding(play.world.broker)
    return lasting(play, "broker gone", play.dice.randrange(2, 15), hide, show)


# --- the feed Redis --------------------------------------------------------------------------------------


@fault(weight=3, wipes=True)
def empty_feed_redis(play: Play) -> Told:
    with play.world.feed_client() as feed:
        feed.flushall()
    play.reader.shaken()
    return Told("FLUSHALL")


@fault(weight=4)
def evict_key(play: Play) -> Told:
    with play.world.feed_client() as feed:
        key = _some_key(play, feed)
        feed.delete(key)
    return Told(key)


@fault(weight=4)
def damage_key(play: Play) -> Told:
    """Another type, or content that means nothing, or a list that has lost its fence."""
    with play.world.feed_client() as feed:
        key, harm = _some_key(play, feed), play.dice.choice(list(HARMS))
        HARMS[harm](feed, key, feed.type(key))
    play.reader.shaken()
    return Told(f"{key}: {harm}")


def _other_type(feed: redis.Redis, key: str, kind: bytes) -> None:
    feed.delete(key)
    feed.set(key, "nonsense") if kind == b"zset" else feed.rpush(key, "1")


def _nonsense(feed: redis.Redis, key: str, kind: bytes) -> None:
    if kind == b"zset":
        feed.zadd(key, {"?": 7})
    else:
        feed.delete(key)
        feed.set(key, "nonsense")


def _first_byte(feed: redis.Redis, key: str, kind: bytes) -> None:
    if kind == b"string":
        feed.setrange(key, 0, "?")


def _no_fence(feed: redis.Redis, key: str, kind: bytes) -> None:
    if kind == b"zset":
        feed.zrem(key, "floor")


HARMS = {"other type": _other_type, "nonsense": _nonsense, "first byte": _first_byte, "no fence": _no_fence}


def _some_key(play: Play, feed: redis.Redis) -> str:
    """Any key, the overlay more often than the others; sorted, so that the same dice take the same."""
    keys = sorted(key.decode() for key in feed.scan_iter("cy:*"))
    overlays = [key for key in keys if key.endswith(":overlay")]
    return play.dice.choice(overlays if overlays and play.dice.random() < 0.2 else keys or ["cy:none"])


@fault(weight=1, rest=40)
def stop_feed_redis(play: Play) -> Told:
    """It takes commands and answers none; what it took it does when it goes on."""
    pause, resume = _pausing(play.world.feed)
    return lasting(play, "feed Redis stopped", play.dice.randrange(1, 3), pause, resume)


@fault(weight=3)
def lose_feed_redis_in_a_change(play: Play) -> Told:
    """It is gone for the next change, and back when that has been answered."""
    hide, show = _hiding(play.world.feed)

    @contextmanager
    def gone() -> Iterator[None]:
        hide()
        try:
            yield
        finally:
            show()
            play.reader.shaken()

    if "feed Redis stopped" not in play.world.stopped:
        play.around["without Redis"] = gone
    return Told("for the next change")


@fault(weight=1, rest=20, wipes=True)
def restart_feed_redis(play: Play) -> Told:
    """Killed, and started again with nothing, or with a snapshot of some time ago."""
    play.world.feed.kill()
    play.world.feed.start()
    play.reader.shaken()
    return Told("from the last snapshot, if there was one")


@fault(weight=1)
def save_feed_redis(play: Play) -> Told:
    """For a later restart from old data."""
    with play.world.feed_client() as feed:
        feed.save()
    return Told("")


@fault(weight=1, wipes=True)
def raise_epoch(play: Play) -> Told:
    return Told("a new epoch", play.deed("raise_epoch"))


def _hiding(server: RedisServer) -> tuple[Callable[[], None], Callable[[], object]]:
    """Its socket is gone, and every connection with it; and back again."""
    away = server.socket.with_suffix(".away")

    def hide() -> None:
        with redis.Redis(unix_socket_path=str(server.socket), socket_timeout=5) as client:
            client.ping()
            server.socket.rename(away)
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    return hide, lambda: away.rename(server.socket)


def _pausing(server: RedisServer) -> tuple[Callable[[], None], Callable[[], None]]:
    def tell(number: int) -> None:
        if server.pid is not None:
            os.kill(server.pid, number)

    return (lambda: tell(signal.SIGSTOP)), (lambda: tell(signal.SIGCONT))


# --- others, web processes and the clock -------------------------------------------------------------------------


@fault(weight=6)
def crowd_in(play: Play) -> Told:
    """Others read on every process while the next change is made, at best what is built just then."""
    tokens = [play.people.token(i) for i in play.people.everybody]

    @contextmanager
    def crowded() -> Iterator[None]:
        ports = [web.port for web in play.world.webs if web.here]
        with crowd(ports * 2, [token for token in tokens if token], play.dice):
            # It may have been stopped since the crowd was asked for.
            with suppress(redis.ConnectionError, redis.TimeoutError), play.world.feed_client() as feed:
                for key in feed.scan_iter("cy:*:[ft]*:*"):
                    if play.dice.random() < 0.2:
                        feed.delete(key)
            yield

    if "feed Redis stopped" not in play.world.stopped:
        play.around["in a crowd"] = crowded
    return Told("for the next change")


@fault(weight=2, rest=10)
def die_after_commit(play: Play) -> Told:
    """The process that makes the next change dies between COMMIT and what follows from it."""
    if all(web.here for web in play.world.webs):
        play.headers["X-Prove-Die"] = "1"
    return Told("with the next change")


@fault(weight=2)
def step_clock_back(play: Play) -> Told:
    play.headers["clock"] = "back"
    return Told("for the next menu")
