"""Limits: whom they count, how long, and what they do without Redis."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.core.cache import caches
from django.test import Client, RequestFactory
from rest_framework.test import APIClient

from social import counters, limits
from social.addresses import address_of
from social.checks import check_limits
from social.errors import TooManyRequests
from social.limits import count, count_guess, take_back_guess
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import PASSWORD, Cast
from tests.feeds.helpers import in_threads

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
HERE, THERE = "203.0.113.7", "198.51.100.9"


@pytest.fixture
def limited(stores: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Limits are on, and it is two seconds after a window began."""
    settings.RATE_LIMITS = True
    settings.LIMIT_GUESSES, settings.LIMIT_GUESSES_ACCOUNT, settings.LIMIT_GUESSES_ADDRESS = (
        (3, 900), (6, 900), (9, 900),
    )  # fmt: skip
    stand_still(monkeypatch, 1_800_000_002.0)
    counters.in_process.clear()
    counters.forget_outage()
    yield settings
    counters.in_process.clear()
    counters.forget_outage()


def stand_still(monkeypatch: pytest.MonkeyPatch, at: float) -> None:
    monkeypatch.setattr(limits.time, "time", lambda: at)


def request_from(address: str, **headers: str) -> Any:
    return RequestFactory().post("/sign-in", REMOTE_ADDR=address, headers=headers)


class TestAddress:
    @pytest.mark.parametrize(
        ("proxies", "forwarded", "address"),
        [
            (0, None, HERE),
            (0, "1.2.3.4", HERE),
            (1, None, HERE),
            (1, "1.2.3.4", "1.2.3.4"),
            (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
            (1, "6.6.6.6,6.6.6.7,,1.2.3.4:5678", "1.2.3.4"),
            (2, "6.6.6.6, 1.2.3.4, 10.0.0.1", "1.2.3.4"),
            (2, "1.2.3.4", "1.2.3.4"),
            (1, "1.2.3.4, nonsense", HERE),
            (1, "1.2.3.4,", HERE),
            (1, "[2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"),
        ],
    )
    def test_behind_proxies_is_what_the_outermost_of_them_saw(
        self, settings: Any, proxies: int, forwarded: str | None, address: str
    ) -> None:
        settings.TRUSTED_PROXIES = proxies
        headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
        assert address_of(request_from(HERE, **headers)) == address

    @pytest.mark.parametrize(
        ("given", "address"),
        [
            ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:bbbb::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
            ("::ffff:203.0.113.7", HERE),
            ("", "unknown"),
        ],
    )
    def test_of_one_household_is_one(self, given: str, address: str) -> None:
        assert address_of(request_from(given)) == address


class TestCounting:
    def test_a_window_ends_and_the_next_begins_anew(
        self, limited: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        limited.LIMIT_WRITES = (2, 60)
        standings = [count("writes", 1) for _ in range(3)]
        assert [(s.used, s.remaining, s.exceeded) for s in standings] == [
            (1, 1, False), (2, 0, False), (3, 0, True),
        ]  # fmt: skip
        window_end = 1_800_000_002 + standings[0].resets_in
        assert window_end % 60 == 0
        stand_still(monkeypatch, window_end - 0.01)
        assert count("writes", 1).resets_in == 1
        assert count("writes", 2).used == 1
        stand_still(monkeypatch, window_end)
        assert count("writes", 1).used == 1

    def test_each_counter_ends_with_its_window(self, limited: Any, feed_redis: redis.Redis) -> None:
        standing = count("writes", 1)
        count("writes", 1)
        (key,) = feed_redis.scan_iter("cy:limit:*")
        assert 0 < feed_redis.ttl(key) <= standing.resets_in + 1

    def test_many_at_once_are_all_counted(self, limited: Any) -> None:
        used = in_threads([lambda: count("writes", 1).used] * 12)
        assert sorted(used) == list(range(1, 13))

    @pytest.mark.parametrize("damage", ["nonsense", "9" * 40, "", b"\x80\x04."])
    def test_a_damaged_counter_lets_the_process_count(
        self, limited: Any, feed_redis: redis.Redis, damage: Any
    ) -> None:
        count("writes", 1)
        (key,) = feed_redis.scan_iter("cy:limit:*")
        feed_redis.set(key, damage)
        limited.LIMIT_WRITES = (2, 60)
        assert [count("writes", 1).exceeded for _ in range(3)][-1]
        feed_redis.delete(key)
        feed_redis.lpush(key, "x")
        assert [count("writes", 1).exceeded for _ in range(3)][-1]


class TestWithoutRedis:
    @pytest.fixture
    def away(self, limited: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
        gone = limited.CACHES["limits"] | {"LOCATION": "unix:///nonexistent/feed.sock?db=0"}
        limited.CACHES = limited.CACHES | {"limits": gone}
        return limited

    def test_the_process_counts(self, away: Any) -> None:
        away.LIMIT_WRITES = (2, 60)
        assert [count("writes", 1).exceeded for _ in range(3)] == [False, False, True]
        assert counters.is_marked("known:x") is False
        counters.mark("known:x", seconds=5)
        take_back_guess(request_from(HERE), "ana")

    def test_redis_is_asked_once_and_then_left_alone_for_a_while(
        self, away: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []
        cache = type(caches["limits"])

        def fail(self: Any, key: str, *args: Any) -> int:
            asked.append(key)
            raise OSError("no answer")

        monkeypatch.setattr(cache, "incr", fail)
        for _ in range(5):
            count("writes", 1)
        assert len(asked) == 1
        counters.forget_outage()  # as after AWAY_SECONDS
        count("writes", 1)
        assert len(asked) == 2

    def test_memory_is_bounded_and_keeps_who_is_counted_now(self) -> None:
        memory = counters.ProcessCounters(most=3)
        assert memory.add("busy", 1, 60) == 1
        for n in range(50):
            memory.add(f"other{n}", 1, 60)
            assert memory.add("busy", 1, 60) == n + 2
        assert len(memory) == 3

    def test_a_counter_of_the_process_ends_too(self) -> None:
        memory = counters.ProcessCounters()
        memory.add("key", 5, -1)
        assert memory.add("key", 1, 60) == 1


def guess(username: str, address: str) -> bool:
    """A wrong one; whether it was let through."""
    try:
        count_guess(request_from(address), username)
    except TooManyRequests:
        return False
    return True


def sign_in(username: str, address: str) -> bool:
    """With the right password; whether it was let through."""
    request = request_from(address)
    try:
        count_guess(request, username)
    except TooManyRequests:
        return False
    take_back_guess(request, username)
    return True


class TestGuesses:
    def test_of_one_username_from_one_address(self, limited: Any) -> None:
        assert [guess("ana", HERE) for _ in range(4)] == [True, True, True, False]
        assert not guess("ANA", HERE)
        assert guess("maria", HERE)
        assert guess("ana", THERE)

    def test_right_ones_do_not_count(self, limited: Any) -> None:
        assert all(sign_in("ana", HERE) for _ in range(20))

    def test_many_addresses_cannot_share_the_work_and_the_owner_gets_in_where_she_is_known(
        self, limited: Any
    ) -> None:
        assert sign_in("ana", HERE)
        let_through = sum(guess("ana", f"192.0.2.{n}") for n in range(20))
        assert let_through == 6
        assert not sign_in("ana", THERE)
        assert sign_in("ana", HERE)
        limits.forget_guesses(request_from(THERE), "ana")  # she has set a new password by e-mail
        assert sign_in("ana", THERE)

    def test_one_address_cannot_try_all_usernames(self, limited: Any) -> None:
        assert sign_in("sam", HERE)
        assert sum(guess(f"guest{n}", HERE) for n in range(20)) == 9
        assert not sign_in("ana", HERE)
        assert sign_in("sam", HERE)
        assert sign_in("ana", THERE)

    def test_one_address_alone_does_not_lock_an_account(self, limited: Any) -> None:
        for _ in range(50):
            guess("ana", HERE)
        assert sign_in("ana", THERE)

    def test_many_at_once_do_not_all_pass(self, limited: Any) -> None:
        assert sum(in_threads([lambda: guess("ana", HERE)] * 10)) == 3

    @pytest.mark.parametrize("username", ["x" * 100_000, "\ud800", "a\x00", "ａｎａ", ""])
    def test_whatever_is_typed(self, limited: Any, username: str) -> None:
        assert guess(username, HERE)


class TestSigningIn:
    """By API, by page and in admin: one counter."""

    def wrong_by_api(self, api: Api) -> Any:
        return api(None).post("/api/v1/auth/token", {"username": "stef", "password": "x"}, format="json")

    def wrong_in_admin(self) -> Any:
        return Client().post("/admin/login/", {"username": "stef", "password": "x"})

    def wrong_on_the_page(self, password: str = "x") -> Any:
        return Client().post("/sign-in", {"username": "stef", "password": password, "next": "/cooks/"})

    def test_all_doors_count_together(self, cast: Cast, limited: Any, api: Api) -> None:
        assert self.wrong_by_api(api).status_code == 401
        assert self.wrong_in_admin().status_code == 200
        assert self.wrong_on_the_page().status_code == 400
        answer = problem(self.wrong_by_api(api), 429, "too_many_requests")
        assert "Try again in" in answer["detail"]
        for response in (self.wrong_by_api(api), self.wrong_in_admin(), self.wrong_on_the_page(PASSWORD)):
            assert response.status_code == 429
            assert 1 <= int(response["Retry-After"]) <= 900
        assert "Try again in" in self.wrong_in_admin().content.decode()

    def test_the_page_keeps_what_was_typed_but_the_password(self, cast: Cast, limited: Any) -> None:
        for _ in range(3):
            self.wrong_on_the_page()
        html = self.wrong_on_the_page("sesame-open-1").content.decode()
        assert 'value="stef"' in html
        assert 'name="next" value="/cooks/"' in html
        assert "minutes" in html
        assert "sesame-open-1" not in html

    def test_deleting_an_account_is_a_guess_too(self, cast: Cast, limited: Any, browse: Browse) -> None:
        client = browse(cast.ana)
        for _ in range(3):
            assert client.post("/settings/delete", {"password": "x"}).status_code == 400
        response = client.post("/settings/delete", {"password": PASSWORD})
        assert response.status_code == 429
        assert "Try again in" in response.content.decode()
        assert Account.objects.get(pk=cast.ana.pk).is_active

    def test_who_comes_back_after_deactivating_has_not_guessed(self, cast: Cast, limited: Any) -> None:
        Account.objects.filter(username="stef").update(is_active=False, inactive_because="deactivated")
        for _ in range(6):
            assert "Reactivate" in self.wrong_on_the_page(PASSWORD).content.decode()

    def test_sign_ups(self, cast: Cast, limited: Any, api: Api) -> None:
        limited.LIMIT_SIGN_UPS_ADDRESS = (2, 3600)
        new = {"display_name": "Rita", "username": "rita", "password": "stew-for-seven", "city": "Braga"}
        assert (
            api(None).post("/api/v1/accounts", {**new, "username": "rita1"}, format="json").status_code == 201
        )
        assert Client().post("/sign-up", {**new, "password": "x"}).status_code == 400  # nothing was made
        assert Client().post("/sign-up", {**new, "username": "rita2"}).status_code == 302
        page = Client().post("/sign-up", new)
        assert page.status_code == 429
        assert 1 <= int(page["Retry-After"]) <= 3600
        html = page.content.decode()
        assert 'value="Braga"' in html
        assert "stew-for-seven" not in html
        problem(api(None).post("/api/v1/accounts", new, format="json"), 429, "too_many_requests")
        assert not Account.objects.filter(username="rita").exists()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (120, "120 seconds"),
        (121, "3 minutes"),
        (900, "15 minutes"),
        (7200, "120 minutes"),
        (7201, "3 hours"),
        (86400, "24 hours"),
    ],
)
def test_a_wait_in_words(seconds: int, words: str) -> None:
    assert limits.wait_in_words(seconds) == words


class TestChecks:
    def test_the_defaults_make_sense(self) -> None:
        assert check_limits(None) == []

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("LIMIT_WRITES", (0, 60), "LIMIT_WRITES is 0/60"),
            ("LIMIT_GUESSES", (10, 86401), "LIMIT_GUESSES is 10/86401"),
            ("LIMIT_WRITES_ADDRESS", (119, 60), "LIMIT_WRITES_ADDRESS is stricter than LIMIT_WRITES"),
            ("TRUSTED_PROXIES", -1, "TRUSTED_PROXIES is -1"),
            ("TRUSTED_PROXIES", 11, "TRUSTED_PROXIES is 11"),
        ],
    )
    def test_nonsense_is_refused(self, settings: Any, name: str, value: Any, message: str) -> None:
        setattr(settings, name, value)
        assert [error.msg for error in check_limits(None) if error.msg.startswith(message)]
