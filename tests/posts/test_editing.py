"""Editing by the services: what is kept, what is announced, and what happens at once."""

import threading
from datetime import date
from decimal import Decimal

import pytest
from django.db import transaction

from feeds.models import Outbox
from feeds.reading import read_feed
from posts import selectors, services
from posts.models import Dish, Post
from posts.rendering import post_dict
from posts.services import delete_post, edit_post, hide_post, publish_post, set_sold_out
from social.errors import Forbidden, InvalidInput, NotFound
from social.models import Account
from tests.factories import Cast, DishFactory, PhotoFactory, PostFactory
from tests.feeds.helpers import Background, Gate, in_threads, query_count


@pytest.fixture
def post(cast: Cast) -> Post:
    return PostFactory(author=cast.ana, dishes=DishFactory.build_batch(4))


def dishes(post: Post) -> list[Dish]:
    return list(Dish.objects.filter(post=post))


def dish_ids(post: Post) -> list[int]:
    return [dish.pk for dish in dishes(post)]


class TestEditing:
    def test_it_answers_with_the_menu_as_it_is_now(self, cast: Cast, post: Post) -> None:
        first, second, *_ = dishes(post)
        edited = edit_post(
            actor=cast.ana,
            post_id=post.pk,
            text="  Stew. ",
            day=date(2030, 5, 1),
            dishes=[{"id": second.pk, "sold_out": True}, {"name": "Açorda", "price": Decimal("7.20")}],
        )
        assert (edited.text, edited.day) == ("Stew.", date(2030, 5, 1))
        assert query_count(lambda: post_dict(edited)) == 0
        assert [(dish.name, dish.sold_out) for dish in edited.dishes.all()] == [
            (second.name, True),
            ("Açorda", False),
        ]
        assert post_dict(edited) == post_dict(selectors.get_visible_post(viewer_id=None, post_id=post.pk))
        assert not Dish.objects.filter(pk=first.pk).exists()

    def test_photos_stay(self, cast: Cast) -> None:
        post = PostFactory(author=cast.ana, photos=PhotoFactory.build_batch(2))
        before = post_dict(post)["photos"]
        assert (
            post_dict(edit_post(actor=cast.ana, post_id=post.pk, text="Stew.", dishes=[]))["photos"] == before
        )

    def test_it_is_one_change(self, cast: Cast, post: Post) -> None:
        kept, *_ = dish_ids(post)
        edit_post(
            actor=cast.ana,
            post_id=post.pk,
            text="Stew.",
            dishes=[DishFactory.build(), {"id": kept, "sold_out": True}, DishFactory.build()],
        )
        assert Outbox.objects.filter(kind="edited").count() == 1
        assert not Outbox.objects.filter(kind="edited", done_at=None).exists()

    def test_one_that_changes_nothing_is_none(self, cast: Cast, post: Post) -> None:
        same = [{"id": dish.pk, "name": dish.name, "price": dish.price} for dish in dishes(post)]
        edited = edit_post(actor=cast.ana, post_id=post.pk, text=post.text, day=post.day, dishes=same)
        assert edited.edited_at is None
        assert not Outbox.objects.filter(kind="edited").exists()

    def test_another_order_is_a_change(self, cast: Cast, post: Post) -> None:
        backwards = dish_ids(post)[::-1]
        edit_post(actor=cast.ana, post_id=post.pk, dishes=[{"id": pk} for pk in backwards])
        assert dish_ids(post) == backwards

    def test_a_refused_one_leaves_all_as_it_was(self, cast: Cast, post: Post) -> None:
        before = dish_ids(post)
        for wrong in ([{"id": before[0]}, {"id": 1}], [{"id": before[0]}] * 2, DishFactory.build_batch(51)):
            with pytest.raises(InvalidInput):
                edit_post(actor=cast.ana, post_id=post.pk, text="Stew.", dishes=wrong)
        assert dish_ids(post) == before
        assert Post.objects.get().text == post.text

    def test_fifty_dishes_cost_what_four_cost(self, cast: Cast, post: Post) -> None:
        large = PostFactory(author=cast.ana, dishes=DishFactory.build_batch(50))

        def sell_all(of: Post) -> None:
            all_sold = [{"id": pk, "sold_out": True} for pk in dish_ids(of)]
            edit_post(actor=cast.ana, post_id=of.pk, dishes=all_sold)

        assert query_count(lambda: sell_all(large)) == query_count(lambda: sell_all(post)) < 25

    def test_not_what_is_hidden_or_gone(self, cast: Cast, post: Post) -> None:
        hide_post(post_id=post.pk)
        with pytest.raises(NotFound):
            edit_post(actor=cast.ana, post_id=post.pk, text="Stew.")
        with pytest.raises(NotFound):
            delete_post(actor=cast.ana, post_id=post.pk)


class TestSoldOut:
    def test_readers_see_it_in_their_next_read(self, cast: Cast, post: Post) -> None:
        read_feed(cast.carla.pk)
        _, second, *_ = dish_ids(post)
        for sold_out in (True, False):
            set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=second, sold_out=sold_out)
            shown = read_feed(cast.carla.pk).items[0].post
            assert [dish["sold_out"] for dish in shown["dishes"]] == [False, sold_out, False, False]
            assert shown["edited_at"]

    def test_repeats_are_harmless(self, cast: Cast, post: Post) -> None:
        for _ in range(3):
            set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=dish_ids(post)[0], sold_out=True)
        assert Outbox.objects.filter(kind="edited").count() == 1

    def test_only_a_dish_of_that_menu(self, cast: Cast, post: Post) -> None:
        [other] = dish_ids(PostFactory(author=cast.ana, dishes=[DishFactory.build()]))
        for dish_id in (other, 0, 2**70):
            with pytest.raises(NotFound):
                set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=dish_id, sold_out=True)
        assert not Dish.objects.filter(sold_out=True).exists()

    def test_only_by_its_cook(self, cast: Cast, post: Post) -> None:
        with pytest.raises(Forbidden):
            set_sold_out(actor=cast.maria, post_id=post.pk, dish_id=dish_ids(post)[0], sold_out=True)
        hide_post(post_id=post.pk)
        with pytest.raises(NotFound):
            set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=dish_ids(post)[0], sold_out=True)


class TestAtOnce:
    def test_each_dish_sold_out_by_a_tap_of_its_own(self, cast: Cast) -> None:
        post = PostFactory(author=cast.ana, dishes=DishFactory.build_batch(12))

        def tap(dish_id: int) -> None:
            set_sold_out(actor=cast.ana, post_id=post.pk, dish_id=dish_id, sold_out=True)

        in_threads([lambda pk=pk: tap(pk) for pk in dish_ids(post)])
        assert all(dish.sold_out for dish in dishes(post))

    def test_new_lists_of_dishes_never_mix(self, cast: Cast, post: Post) -> None:
        kept = [{"id": pk} for pk in dish_ids(post)]
        lists = [[*kept, *({"name": f"edit {n}, {i}", "price": 1} for i in range(3))] for n in range(8)]
        start = threading.Barrier(len(lists))

        def edit(wanted: list[dict[str, object]]) -> None:
            start.wait(10)
            edit_post(actor=cast.ana, post_id=post.pk, dishes=wanted)

        in_threads([lambda wanted=wanted: edit(wanted) for wanted in lists])
        names = [dish.name for dish in dishes(post)]
        assert dish_ids(post)[:4] == [dish["id"] for dish in kept]
        assert names[4:] in [[str(dish["name"]) for dish in wanted[4:]] for wanted in lists]

    def test_an_edit_waits_for_the_one_before_and_goes_on_from_it(self, cast: Cast, post: Post) -> None:
        kept = dish_ids(post)
        with transaction.atomic():
            edit_post(actor=cast.ana, post_id=post.pk, dishes=[{"id": pk} for pk in kept[:2]])
            second = Background(lambda: edit_post(actor=cast.ana, post_id=post.pk, text="Stew."))
            third = Background(lambda: refused_edit(cast.ana, post, [{"id": kept[3]}]))
            threading.Event().wait(0.3)
            assert second.running
            assert third.running
        second.result()
        assert third.result() == "InvalidInput"
        assert dish_ids(post) == kept[:2]
        assert Post.objects.get().text == "Stew."

    def test_a_menu_that_goes_between_the_look_and_the_lock_is_gone(
        self, cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate(monkeypatch, services, "get_author_id", after=True)
        edit = Background(lambda: refused_edit(cast.ana, post, []))
        gate.wait_until_reached()
        delete_post(actor=cast.ana, post_id=post.pk)
        gate.open()
        assert edit.result() == "NotFound"

    def test_edits_taps_and_a_deletion_all_end_well(self, cast: Cast) -> None:
        for _ in range(5):
            post = publish_post(author=cast.ana, text="soup", dishes=DishFactory.build_batch(3))
            first, *_ = dish_ids(post)
            answers = in_threads(
                [
                    lambda post=post: refused_edit(cast.ana, post, DishFactory.build_batch(2)),
                    lambda post=post: refused_edit(cast.ana, post, []),
                    lambda post=post, first=first: refused_tap(cast.ana, post, first),
                    lambda post=post: delete_post(actor=cast.ana, post_id=post.pk),
                ]
            )
            assert set(answers) <= {None, "edited", "NotFound"}
        assert not Post.objects.exists()
        assert not Dish.objects.exists()


def refused_edit(cook: Account, post: Post, wanted: list[dict[str, object]]) -> str:
    """How an edit was refused, or "edited"."""
    try:
        edit_post(actor=cook, post_id=post.pk, dishes=wanted)
    except (InvalidInput, NotFound) as refusal:
        return type(refusal).__name__
    return "edited"


def refused_tap(cook: Account, post: Post, dish_id: int) -> str:
    try:
        set_sold_out(actor=cook, post_id=post.pk, dish_id=dish_id, sold_out=True)
    except NotFound as refusal:
        return type(refusal).__name__
    return "edited"
