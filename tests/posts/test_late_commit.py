"""A post must commit within 5 s of its id: readers who ask what is new look at the ids of the last seconds only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.db.models.signals import post_save
from rest_framework.test import APIClient

from feeds.models import Outbox
from feeds.reading import read_feed
from posts.ids import draw_post_ids, id_at, time_of
from posts.models import Post
from posts.services import MOST_PUBLISH_TRIES, edit_post, is_late_commit, publish_post
from social.errors import Unavailable
from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast, DishFactory
from tests.feeds.helpers import raw_post, raw_sql


@pytest.fixture(autouse=True)
def ids_of_now(stores: None) -> None:
    """Other tests have drawn ids ahead of the clock, and those are never late."""
    raw_sql("SELECT setval('post_id_clock', 1)")


def step_clock(seconds: float) -> None:
    """The database's clock runs ahead, until the end of the transaction."""
    raw_sql(
        "SELECT set_config('courtyard.clock',"
        " floor(extract(epoch FROM clock_timestamp()) * 1000 + %s)::bigint::text, true)",
        int(seconds * 1000),
    )


@contextmanager
def slow_saves(times: int, *, look: str = "SELECT 1") -> Iterator[list[int]]:
    """After each of the first `times` saves of a post the clock has gone on by 6 s, and then `look` is run.

    Gives the ids that were drawn.
    """
    drawn: list[int] = []

    def dawdle(instance: Post, **kwargs: Any) -> None:
        drawn.append(instance.pk)
        if len(drawn) <= times:
            step_clock(6)
            raw_sql(look)

    post_save.connect(dawdle, sender=Post)
    try:
        yield drawn
    finally:
        post_save.disconnect(dawdle, sender=Post)


@contextmanager
def refused_as_late() -> Iterator[None]:
    """The transaction within is refused at its commit, and nothing of it is saved."""
    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        yield
    assert is_late_commit(refused.value)
    assert not Post.objects.exists()


class TestPublishing:
    @pytest.mark.parametrize("times", range(1, MOST_PUBLISH_TRIES))
    def test_it_tries_again_with_a_new_id(self, cast: Cast, times: int) -> None:
        with slow_saves(times) as drawn:
            post = publish_post(author=cast.ana, dishes=DishFactory.build_batch(2))
        assert len(drawn) == times + 1
        assert post.pk == drawn[-1] > drawn[0]
        assert [item.post_id for item in read_feed(cast.carla.pk).items] == [post.pk]
        assert Post.objects.get().dishes.count() == 2
        assert Outbox.objects.filter(kind="published").count() == 1

    def test_after_three_tries_it_gives_up_and_nothing_is_saved(self, cast: Cast) -> None:
        with slow_saves(99) as drawn, pytest.raises(Unavailable):
            publish_post(author=cast.ana, dishes=DishFactory.build_batch(2))
        assert len(drawn) == MOST_PUBLISH_TRIES == 3
        assert not Post.objects.exists()
        assert not Outbox.objects.filter(kind="published").exists()
        assert read_feed(cast.carla.pk).items == []

    def test_a_program_is_told_to_come_back(self, cast: Cast, api: Callable[[Account], APIClient]) -> None:
        client = api(cast.ana)
        with slow_saves(99):
            response = client.post("/api/v1/posts", {"text": "soup"}, format="json")
        problem(response, 503, "unavailable")
        assert int(response["Retry-After"]) >= 1
        assert not Post.objects.exists()

    def test_another_refusal_is_not_tried_again(self, cast: Cast) -> None:
        with slow_saves(0) as drawn, pytest.raises(DatabaseError, match="dish_price_positive"):
            publish_post(author=cast.ana, dishes=[DishFactory.build(price=-1)])
        assert len(drawn) == 1


class TestWithinAnotherTransaction:
    def test_the_outer_commit_is_refused(self, cast: Cast) -> None:
        with slow_saves(1), refused_as_late():
            publish_post(author=cast.ana, text="soup")

    def test_a_refusal_before_the_commit_is_let_through(self, cast: Cast) -> None:
        with slow_saves(99, look="SET CONSTRAINTS ALL IMMEDIATE") as drawn, transaction.atomic():
            with pytest.raises(DatabaseError) as refused:
                publish_post(author=cast.ana, text="soup")
            transaction.set_rollback(True)
        assert is_late_commit(refused.value)
        assert len(drawn) == 1


class TestPastTheService:
    def test_by_raw_sql(self, cast: Cast) -> None:
        with refused_as_late():
            raw_post(cast.ana)
            step_clock(5.1)

    def test_by_the_real_clock(self, cast: Cast) -> None:
        with refused_as_late():
            raw_post(cast.ana)
            raw_sql("SELECT pg_sleep(5.1)")

    def test_one_of_many_is_enough(self, cast: Cast) -> None:
        [early] = draw_post_ids(1)
        with refused_as_late():
            step_clock(6)
            Post.objects.bulk_create(Post(pk=i, author=cast.ana) for i in (early, *draw_post_ids(3)))

    def test_in_time_is_in_time(self, cast: Cast) -> None:
        with transaction.atomic():
            raw_post(cast.ana)
            step_clock(4.5)
        assert Post.objects.count() == 1

    def test_an_id_ahead_of_the_clock_is_not_late(self, cast: Cast) -> None:
        with transaction.atomic():
            step_clock(3600)
            [ahead] = draw_post_ids(1)
            step_clock(0)
            Post.objects.create(pk=ahead, author=cast.ana, text="soup")
        assert Post.objects.get().pk == ahead

    def test_an_import_with_ids_of_the_posts_own_times_is_let_in(self, cast: Cast) -> None:
        [drawn] = draw_post_ids(1)
        old = id_at(time_of(drawn) - timedelta(days=30))
        with transaction.atomic():
            raw_sql("SET LOCAL courtyard.bulk_load = on")
            Post.objects.create(pk=old, author=cast.ana, text="a month ago")
        assert Post.objects.get().created_at == time_of(old)

    def test_an_edit_may_take_its_time(self, cast: Cast) -> None:
        post = publish_post(author=cast.ana, text="soup")
        with transaction.atomic():
            edit_post(actor=cast.ana, post_id=post.pk, text="stew")
            step_clock(3600)
        assert Post.objects.get().text == "stew"
