"""Publishing past and through the service: what the database itself refuses."""

import pytest
from django.db import IntegrityError

from posts.models import Dish, Post
from tests.factories import Cast, PostFactory


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
