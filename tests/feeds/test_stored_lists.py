"""Stored lists, by the scripts that keep them: tokens, fences, pushes, trims."""

import time
from typing import Any

import pytest
import redis

from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, execute, execute_one
from feeds.lists.commands import StoredList
from posts.ids import MAX_ID
from tests.feeds.helpers import keys_now, redis_down

pytestmark = pytest.mark.usefixtures("stores")

LONG_ID = 9_007_199_254_740_881  # 53 bits, odd
VIEWER = 5


@pytest.fixture
def keys(stores: None) -> Keys:
    return keys_now()


def in_an_hour() -> int:
    return int((time.time() + 3600) * 1000)


def read(keys: Keys, name: str, limit: int = 1000) -> StoredList:
    return commands.read_lists(keys, [name], limit=limit)[0]


def build(keys: Keys, name: str, ids: list[int], floor: int = 0) -> None:
    token = commands.begin_list(keys, name)
    assert token is not None
    assert commands.store_list(keys, name, token, ids, floor=floor, expires_ms=in_an_hour())


def push(keys: Keys, name: str, *ids: int, length: int = 10, trim: bool = False) -> int:
    return execute_one(keys, commands.push_command([name], ids, length=length, trim=trim))


class TestToken:
    def test_it_is_placed_into_a_list_that_is_not_there(self, keys: Keys) -> None:
        assert commands.begin_list(keys, keys.feed(VIEWER))
        assert not read(keys, keys.feed(VIEWER)).usable

    def test_a_second_builder_gets_none(self, keys: Keys) -> None:
        assert commands.begin_list(keys, keys.feed(VIEWER))
        assert commands.begin_list(keys, keys.feed(VIEWER)) is None

    def test_nobody_builds_a_list_that_is_complete(self, keys: Keys) -> None:
        build(keys, keys.feed(VIEWER), [3, 2])
        assert commands.begin_list(keys, keys.feed(VIEWER)) is None

    def test_a_dead_builders_token_is_replaced_though_pushes_keep_the_key(
        self, keys: Keys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = keys.feed(VIEWER)
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 30)
        dead = commands.begin_list(keys, name)
        assert dead is not None
        push(keys, name, 7)
        time.sleep(0.04)
        monkeypatch.setattr(commands, "LIST_PATIENCE_MS", 10_000)
        token = commands.begin_list(keys, name)
        assert token is not None
        assert token != dead
        push(keys, name, 8)
        assert not commands.store_list(keys, name, dead, [1], floor=0, expires_ms=in_an_hour())
        assert commands.store_list(keys, name, token, [9], floor=0, expires_ms=in_an_hour())
        assert read(keys, name).ids == [9, 8]  # what was pushed before the build began, the build reads

    def test_a_deletion_takes_it_along(self, keys: Keys, feed_redis: redis.Redis) -> None:
        name = keys.feed(VIEWER)
        token = commands.begin_list(keys, name)
        assert token is not None
        execute_one(keys, commands.delete_command(name))
        assert not commands.store_list(keys, name, token, [3], floor=0, expires_ms=in_an_hour())
        assert not feed_redis.exists(name)

    def test_a_build_that_began_before_a_deletion_stores_nothing_over_a_later_one(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        early = commands.begin_list(keys, name)
        assert early is not None
        execute_one(keys, commands.delete_command(name))
        late = commands.begin_list(keys, name)
        assert late is not None
        assert not commands.store_list(keys, name, early, [1], floor=0, expires_ms=in_an_hour())
        assert not read(keys, name).usable
        assert commands.store_list(keys, name, late, [2], floor=0, expires_ms=in_an_hour())
        assert read(keys, name) == StoredList(0, [2], False)

    def test_it_stores_once(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        token = commands.begin_list(keys, name)
        assert token is not None
        assert commands.store_list(keys, name, token, [2], floor=0, expires_ms=in_an_hour())
        assert not commands.store_list(keys, name, token, [1], floor=0, expires_ms=in_an_hour())


class TestFence:
    @pytest.mark.parametrize("floor", [0, 41, LONG_ID - 1])
    def test_it_stands_where_the_build_puts_it(self, keys: Keys, floor: int) -> None:
        build(keys, keys.feed(VIEWER), [LONG_ID], floor)
        assert read(keys, keys.feed(VIEWER)) == StoredList(floor, [LONG_ID], False)

    def test_a_list_without_it_proves_nothing(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        commands.begin_list(keys, name)
        push(keys, name, 7)
        assert read(keys, name) == StoredList(None, [], False)

    def test_a_trim_raises_it_to_just_below_the_lowest_id_kept(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, list(range(101, 111)))
        push(keys, name, *range(111, 116), trim=True)
        assert read(keys, name) == StoredList(105, list(range(115, 105, -1)), False)

    def test_a_trim_of_long_ids_is_exact(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        ids = [LONG_ID + n for n in range(20)]
        build(keys, name, ids[:10])
        push(keys, name, *ids[10:], trim=True)
        assert read(keys, name) == StoredList(ids[10] - 1, ids[:9:-1], False)

    def test_a_trim_never_lowers_it(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [200, 201], floor=150)
        push(keys, name, *range(1, 6))
        push(keys, name, *range(6, 14), trim=True)  # 16 members with the fence; ten stay
        assert read(keys, name).floor == 150

    def test_a_trim_makes_none(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        commands.begin_list(keys, name)
        for post_id in range(1, 30):
            push(keys, name, post_id, trim=True)
            assert not read(keys, name).usable

    def test_a_build_during_which_a_trim_fell_lacks_nothing(self, keys: Keys) -> None:
        """Ids that were committed after the build read PostgreSQL, pushed, and trimmed away again."""
        name = keys.feed(VIEWER)
        token = commands.begin_list(keys, name)
        assert token is not None
        pushed = list(range(101, 131))
        for post_id in pushed:
            push(keys, name, post_id, trim=True)
        commands.store_list(keys, name, token, [100, 99], floor=0, expires_ms=in_an_hour())
        stored = read(keys, name)
        if stored.floor is not None:
            assert stored.ids == [i for i in [*pushed[::-1], 100, 99] if i > stored.floor]

    def test_a_late_push_of_an_old_post_does_not_fake_completeness(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [200, 201], floor=199)
        push(keys, name, 3)
        assert read(keys, name).floor == 199

    def test_without_a_trim_asked_for_nothing_is_cut(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [1])
        push(keys, name, *range(2, 100))
        assert read(keys, name) == StoredList(0, list(range(99, 0, -1)), False)

    def test_within_the_slack_nothing_is_cut(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, list(range(1, 10)))
        push(keys, name, 10, length=10, trim=True)  # eleven members: ten and an eighth
        assert read(keys, name).floor == 0


class TestPush:
    def test_it_never_makes_a_key(self, keys: Keys, feed_redis: redis.Redis) -> None:
        assert push(keys, keys.feed(VIEWER), 7, trim=True) == 0
        assert not feed_redis.exists(keys.feed(VIEWER))

    def test_it_never_gives_a_longer_life(self, keys: Keys, feed_redis: redis.Redis) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [1])
        before = feed_redis.pexpiretime(name)
        push(keys, name, 2, trim=True)
        assert feed_redis.pexpiretime(name) == before

    def test_an_id_twice_is_one_id(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [5])
        push(keys, name, 5, 6)
        push(keys, name, 6, 5)
        assert read(keys, name).ids == [6, 5]

    def test_one_command_serves_many_lists_and_says_how_many_took_it(self, keys: Keys) -> None:
        names = keys.feeds([1, 2, 3])
        build(keys, names[0], [1])
        build(keys, names[2], [1])
        taken = execute_one(keys, commands.push_command(names, [8, 9], length=10, trim=False))
        assert taken == 2
        assert [read(keys, name).ids for name in names] == [[9, 8, 1], [], [9, 8, 1]]

    def test_an_id_of_53_bits_survives(self, keys: Keys) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [LONG_ID - 2], floor=LONG_ID - 3)
        push(keys, name, LONG_ID)
        assert read(keys, name) == StoredList(LONG_ID - 3, [LONG_ID, LONG_ID - 2], False)
        opened = open_feed(keys, below=LONG_ID)
        assert opened.feed.ids == [LONG_ID - 2]


def open_feed(keys: Keys, *, below: int = MAX_ID, limit: int = 10) -> commands.Opened:
    return commands.open_feed(keys, VIEWER, overlay_position=0, below=below, limit=limit)


class TestOpening:
    def test_an_empty_server_answers_with_nothing(self, keys: Keys) -> None:
        opened = open_feed(keys)
        assert (opened.feed.usable, opened.timeline.usable) == (False, False)
        assert (opened.overlay, opened.follows, opened.account) == ([], None, None)
        assert abs(opened.time_us / 1e6 - time.time()) < 5

    def test_a_list_is_cut_by_the_limit_and_says_so(self, keys: Keys) -> None:
        build(keys, keys.feed(VIEWER), list(range(1, 21)))
        assert open_feed(keys, limit=5).feed == StoredList(0, [20, 19, 18, 17, 16], True)
        assert open_feed(keys, below=4, limit=5).feed == StoredList(0, [3, 2, 1], False)

    def test_a_value_under_construction_is_none(self, keys: Keys) -> None:
        commands.begin_values(keys, [keys.follows(VIEWER), keys.account(VIEWER)])
        opened = open_feed(keys)
        assert (opened.follows, opened.account) == (None, None)


class TestValues:
    def test_a_value_is_stored_under_its_token(self, keys: Keys, feed_redis: redis.Redis) -> None:
        token, taken = commands.begin_values(keys, ["cy:a", "cy:b"])
        assert taken == {"cy:a", "cy:b"}
        commands.store_values(keys, token, {"cy:a": (b"1", 60), "cy:b": (b"2", 60)})
        assert commands.get_values(keys, ["cy:a", "cy:b", "cy:c"]) == [b"1", b"2", None]
        assert 0 < feed_redis.ttl("cy:a") <= 60

    def test_a_deletion_meanwhile_wins(self, keys: Keys) -> None:
        token, _ = commands.begin_values(keys, ["cy:a"])
        execute_one(keys, commands.delete_command("cy:a"))
        commands.store_values(keys, token, {"cy:a": (b"old", 60)})
        assert commands.get_values(keys, ["cy:a"]) == [None]

    def test_one_builder_at_a_time(self, keys: Keys) -> None:
        commands.begin_values(keys, ["cy:a"])
        assert commands.begin_values(keys, ["cy:a", "cy:b"])[1] == {"cy:b"}


class TestProlonging:
    def test_a_complete_list_lives_longer(self, keys: Keys, feed_redis: redis.Redis) -> None:
        name = keys.feed(VIEWER)
        build(keys, name, [1])
        execute_one(keys, commands.prolong_list_command(name, in_an_hour() + 3_600_000))
        assert feed_redis.ttl(name) > 7000

    def test_a_list_without_its_fence_does_not(self, keys: Keys, feed_redis: redis.Redis) -> None:
        name = keys.feed(VIEWER)
        commands.begin_list(keys, name)
        execute_one(keys, commands.prolong_list_command(name, in_an_hour()))
        assert feed_redis.ttl(name) <= 20


WRONG: dict[str, Any] = {
    "string": lambda client, name: client.set(name, "garbage"),
    "list": lambda client, name: client.rpush(name, "garbage"),
    "sorted set": lambda client, name: client.zadd(name, {"garbage": 1}),
}


@pytest.mark.parametrize("kind", ["string", "list"])
class TestWrongType:
    def test_a_list_of_the_wrong_type_is_built_anew(
        self, keys: Keys, feed_redis: redis.Redis, kind: str
    ) -> None:
        name = keys.feed(VIEWER)
        WRONG[kind](feed_redis, name)
        build(keys, name, [4, 3])
        assert read(keys, name).ids == [4, 3]

    def test_a_push_removes_it(self, keys: Keys, feed_redis: redis.Redis, kind: str) -> None:
        name = keys.feed(VIEWER)
        WRONG[kind](feed_redis, name)
        assert push(keys, name, 7, trim=True) == 0
        assert not feed_redis.exists(name)

    def test_a_read_removes_it(self, keys: Keys, feed_redis: redis.Redis, kind: str) -> None:
        for name in (keys.feed(VIEWER), keys.timeline(VIEWER), keys.overlay):
            WRONG[kind](feed_redis, name)
        opened = open_feed(keys)
        assert not opened.feed.usable
        assert not opened.timeline.usable
        assert opened.overlay == []
        assert not feed_redis.exists(keys.feed(VIEWER), keys.timeline(VIEWER), keys.overlay)

    def test_store_and_prolong_leave_it_alone(self, keys: Keys, feed_redis: redis.Redis, kind: str) -> None:
        name = keys.feed(VIEWER)
        WRONG[kind](feed_redis, name)
        assert not commands.store_list(keys, name, b"building:a:1", [1], floor=0, expires_ms=in_an_hour())
        execute_one(keys, commands.prolong_list_command(name, in_an_hour()))
        assert read(keys, name) == StoredList(None, [], False)


class TestServer:
    def test_every_reply_must_be_good(self, keys: Keys, feed_redis: redis.Redis) -> None:
        feed_redis.rpush("cy:list", "x")
        with pytest.raises(ListsUnavailable):
            execute(keys, [("PING",), ("GET", "cy:list"), ("PING",)])
        assert execute_one(keys, ("PING",)) == b"PONG"

    def test_a_server_that_forgot_its_scripts_learns_them_again(
        self, keys: Keys, feed_redis: redis.Redis
    ) -> None:
        build(keys, keys.feed(VIEWER), [1])
        feed_redis.script_flush()
        assert read(keys, keys.feed(VIEWER)).ids == [1]

    def test_keys_of_another_run_are_not_used(self, keys: Keys) -> None:
        with pytest.raises(ListsUnavailable):
            execute_one(Keys.of("f" * 40, 1), ("PING",))
        assert execute_one(keys, ("PING",)) == b"PONG"

    def test_a_dead_server_costs_no_time(self, keys: Keys) -> None:
        started = time.monotonic()
        with redis_down(), pytest.raises(ListsUnavailable):
            execute_one(keys, ("PING",))
        assert time.monotonic() - started < 0.5
