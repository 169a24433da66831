"""Publishing past and through the service: what the database itself refuses."""

from datetime import date

import pytest
from django.db import IntegrityError, connection

from posts.models import Dish, Post
from posts.rendering import post_dict
from posts.services import delete_post, publish_post
from social.errors import InvalidInput, NotFound
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import in_threads, query_count


def test_a_post_keeps_its_author(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    with pytest.raises(IntegrityError, match="keeps its author"):
        Post.objects.filter(pk=post.pk).update(author=cast.maria)


def test_a_price_is_above_nothing(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    with pytest.raises(IntegrityError, match="dish_price_positive"):
        Dish.objects.filter(post=post).update(price=0)


def test_a_menu_that_breaks_a_rule_of_the_database_leaves_nothing(cast: Cast) -> None:
    with pytest.raises(IntegrityError):
        PostFactory(author=cast.ana, dishes=[{"name": "Soup", "price": -1}])
    assert not Post.objects.exists()


def test_ids_that_no_score_can_hold_are_refused(cast: Cast) -> None:
    for post_id in (0, -5, 2**53):
        with pytest.raises(IntegrityError, match="post_id_fits_a_score"):
            Post.objects.create(pk=post_id, author=cast.ana, text="soup")


@pytest.mark.parametrize("day", ["1999-12-31", "3000-01-01", "infinity"])
def test_a_day_that_no_page_can_show_is_refused(cast: Cast, day: str) -> None:
    post = PostFactory(author=cast.ana)
    with pytest.raises(IntegrityError, match="post_day_is_a_day"), connection.cursor() as cursor:
        cursor.execute("UPDATE posts_post SET day = %s WHERE id = %s", [day, post.pk])


def test_no_number_is_no_price(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    with pytest.raises(IntegrityError, match="dish_price_positive"), connection.cursor() as cursor:
        cursor.execute("UPDATE posts_dish SET price = 'NaN' WHERE post_id = %s", [post.pk])


def test_a_day_of_another_millennium_is_a_wrong_field(cast: Cast) -> None:
    with pytest.raises(InvalidInput) as refused:
        publish_post(author=cast.ana, text="soup", day=date(1999, 12, 31))
    assert "day" in refused.value.errors


def test_a_cook_in_a_zone_that_is_no_more_still_publishes(cast: Cast) -> None:
    cast.ana.time_zone = "Mars/Olympus"
    assert publish_post(author=cast.ana, text="soup").pk


def test_a_post_is_deleted_once_however_many_try(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)

    def delete() -> str:
        try:
            delete_post(actor=cast.ana, post_id=post.pk)
        except NotFound:
            return "gone"
        return "deleted"

    assert sorted(in_threads([delete] * 8)) == ["deleted", *["gone"] * 7]


def test_what_is_published_comes_with_its_parts_and_needs_no_query_more(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    assert query_count(lambda: post_dict(post)) == 0
    assert len(post_dict(post)["dishes"]) == 2
