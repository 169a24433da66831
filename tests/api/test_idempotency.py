"""The header Idempotency-Key of POST /posts."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import transaction
from django.utils import timezone
from rest_framework.test import APIClient

from posts.idempotency import Answer, Call, StillRunning, answer_once, prune_keys
from posts.models import IdempotencyKey, Post
from social.erasing import erase_marked_accounts
from social.models import Account
from social.services import erase_account
from tests.api.test_feed import problem
from tests.conftest import CHECKOUT, database_url, wait_for
from tests.factories import Cast
from tests.feeds.helpers import in_threads, raw_sql
from tests.posts.test_late_commit import slow_saves

Api = Callable[[Account | None], APIClient]
POSTS = "/api/v1/posts"
SOUP = {"text": "Soup", "dishes": [{"name": "Caldo verde", "price": "6.50"}]}


@pytest.fixture
def ana(cast: Cast, api: Api) -> APIClient:
    return api(cast.ana)


def send(client: APIClient, key: str, body: Any = SOUP) -> Any:
    text = body if isinstance(body, bytes) else json.dumps(body)
    return client.post(POSTS, text, content_type="application/json", HTTP_IDEMPOTENCY_KEY=key)


def same(first: Any, second: Any) -> None:
    """Byte for byte."""
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert second["Content-Type"] == first["Content-Type"] == "application/json"
    assert second["Cache-Control"] == "private, no-store"


class TestRepeating:
    def test_it_publishes_once_and_answers_the_same(self, ana: APIClient) -> None:
        first, second = send(ana, "one"), send(ana, "one")
        assert first.status_code == 201
        same(first, second)
        assert Post.objects.count() == 1

    def test_the_order_of_keys_and_spaces_do_not_matter(self, ana: APIClient) -> None:
        first = send(ana, "one", b'{"text": "Soup", "day": "2030-01-02"}')
        same(first, send(ana, "one", b' {"day":"2030-01-02",\n"text":"\\u0053oup"}'))
        assert Post.objects.count() == 1

    def test_the_first_answer_stays_when_the_menu_is_edited_or_deleted(self, ana: APIClient) -> None:
        first = send(ana, "one")
        post = f"{POSTS}/{first.json()['id']}"
        ana.patch(post, {"text": "Stew"}, format="json")
        same(first, send(ana, "one"))
        ana.delete(post)
        same(first, send(ana, "one"))
        assert not Post.objects.exists()

    def test_redis_has_no_part_in_it(self, ana: APIClient, feed_redis: redis.Redis) -> None:
        first = send(ana, "one")
        feed_redis.flushall()
        same(first, send(ana, "one"))

    def test_each_account_has_its_own_keys(self, cast: Cast, ana: APIClient, api: Api) -> None:
        first, other = send(ana, "one"), send(api(cast.maria), "one")
        assert other.status_code == 201
        assert other.json()["id"] != first.json()["id"]
        assert other.json()["author"]["username"] == "maria"

    def test_without_a_key_each_is_a_menu(self, ana: APIClient) -> None:
        for _ in range(2):
            assert ana.post(POSTS, SOUP, format="json").status_code == 201
        assert Post.objects.count() == 2
        assert not IdempotencyKey.objects.exists()

    @pytest.mark.parametrize(
        "other", [{"text": "Stew"}, SOUP | {"day": "2030-01-02"}, {}, [], SOUP | {"x": 1}]
    )
    def test_another_body_is_refused(self, ana: APIClient, other: Any) -> None:
        send(ana, "one")
        problem(send(ana, "one", other), 422, "idempotency_mismatch")
        assert Post.objects.count() == 1

    def test_a_menu_that_was_refused_leaves_the_key_free(self, ana: APIClient) -> None:
        problem(send(ana, "one", {"text": ""}), 400, "invalid")
        problem(send(ana, "one", b"{"), 400, "invalid")
        assert not IdempotencyKey.objects.exists()
        assert send(ana, "one").status_code == 201

    def test_a_customers_too(self, cast: Cast, api: Api) -> None:
        problem(send(api(cast.carla), "one"), 403, "not_a_cook")
        Account.objects.filter(pk=cast.carla.pk).update(is_cook=True)
        assert send(api(cast.carla), "one").status_code == 201


class TestKeys:
    @pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "é", "soup\x7f", "\u2028"])
    def test_what_is_no_key(self, ana: APIClient, key: str) -> None:
        answer = problem(send(ana, key), 400, "invalid")
        assert list(answer["errors"]) == ["Idempotency-Key"]
        assert not Post.objects.exists()

    @pytest.mark.parametrize(
        "key", ["x", "x" * 255, 'soup, "for" ~seven!', "0e5b2a90-8f5f-4cf1-9d8c-2ab2a0a3f4f1"]
    )
    def test_what_is_one(self, ana: APIClient, key: str) -> None:
        same(send(ana, key), send(ana, key))

    def test_it_is_not_read_where_nothing_is_made(self, ana: APIClient) -> None:
        post = send(ana, "one").json()["id"]
        assert ana.get(f"{POSTS}/{post}", HTTP_IDEMPOTENCY_KEY="one").status_code == 200
        assert ana.delete(f"{POSTS}/{post}", HTTP_IDEMPOTENCY_KEY="one").status_code == 204


class TestAtOnce:
    def test_of_twenty_at_once_one_publishes(self, cast: Cast, api: Api) -> None:
        together = threading.Barrier(20)

        def publish() -> Any:
            client = api(cast.ana)
            together.wait(timeout=20)
            return send(client, "one")

        answers = in_threads([publish] * 20)
        assert Post.objects.count() == 1
        done = [answer for answer in answers if answer.status_code == 201]
        assert {answer.content for answer in done} == {send(api(cast.ana), "one").content}
        for answer in answers:
            if answer not in done:
                problem(answer, 409, "idempotency_running")
                assert answer["Retry-After"] == "1"

    def test_while_the_first_is_running_the_second_is_told_so(self, cast: Cast, api: Api) -> None:
        [answer] = [None]
        with transaction.atomic():
            call = Call(cast.ana.pk, "one", "f" * 64)
            answer_once(call, lambda: Answer(201, "{}"))
            [answer] = in_threads([lambda: send(api(cast.ana), "one")])
        assert problem(answer, 409, "idempotency_running")
        assert answer["Retry-After"] == "1"
        assert not Post.objects.exists()

    def test_another_key_does_not_wait(self, cast: Cast, api: Api) -> None:
        with transaction.atomic():
            answer_once(Call(cast.ana.pk, "one", "f" * 64), lambda: Answer(201, "{}"))
            [answer] = in_threads([lambda: send(api(cast.ana), "two")])
        assert answer.status_code == 201


def test_a_menu_that_is_published_again_because_it_was_late_keeps_its_key(ana: APIClient) -> None:
    raw_sql("SELECT setval('post_id_clock', 1)")
    with slow_saves(1) as drawn:
        first = send(ana, "one")
    assert len(drawn) == 2
    assert first.json()["id"] == drawn[-1]
    same(first, send(ana, "one"))
    assert Post.objects.count() == 1


DIES = """
import django
django.setup()
import os
from posts.idempotency import Answer, Call, answer_once
from posts.services import publish_post
from social.models import Account

def make():
    publish_post(author=Account.objects.get(username="ana"), text="Soup")
    print("published", flush=True)
    os.read(0, 1)  # killed here
    return Answer(201, "{}")

answer_once(Call(Account.objects.get(username="ana").pk, "one", "f" * 64), make)
"""


def test_a_process_that_dies_before_the_commit_leaves_the_key_free(ana: APIClient) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", DIES],
        cwd=CHECKOUT,
        env=os.environ | {"DATABASE_URL": database_url()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"published\n"
        problem(send(ana, "one"), 409, "idempotency_running")
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=10)
    wait_for(lambda: send(ana, "one").status_code == 201)
    assert Post.objects.count() == 1


class TestForgetting:
    def test_after_a_day(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("posts.idempotency.PRUNED_AT_ONCE", 2)
        for n in range(5):
            answer_once(Call(cast.ana.pk, str(n), "f" * 64), lambda: Answer(201, "{}"))
        answer_once(Call(cast.ana.pk, "kept", "f" * 64), lambda: Answer(201, "{}"))
        old = IdempotencyKey.objects.exclude(key="kept")
        old.update(created_at=timezone.now() - timedelta(hours=23, minutes=59))
        assert prune_keys() == 0
        old.update(created_at=timezone.now() - timedelta(hours=24, minutes=1))
        assert prune_keys() == 5
        assert [row.key for row in IdempotencyKey.objects.all()] == ["kept"]

    def test_with_the_account(self, cast: Cast, ana: APIClient) -> None:
        send(ana, "one")
        erase_account(cast.ana.pk)
        assert erase_marked_accounts() == 1
        assert not IdempotencyKey.objects.exists()


def test_the_lock_ends_with_the_transaction(cast: Cast) -> None:
    def refused() -> Answer:
        raise ZeroDivisionError

    call = Call(cast.ana.pk, "one", "f" * 64)
    with pytest.raises(ZeroDivisionError):
        answer_once(call, refused)
    assert in_threads([lambda: answer_once(call, lambda: Answer(201, "{}"))]) == [Answer(201, "{}")]
    with transaction.atomic():
        answer_once(Call(cast.ana.pk, "two", "f" * 64), lambda: Answer(201, "{}"))
        with pytest.raises(StillRunning):
            in_threads([lambda: answer_once(Call(cast.ana.pk, "two", "f" * 64), refused)])
