"""Test data. The cast has one fixed name each, in all tests:

    ana     a cook who posts           carla   a customer who follows her
    maria   a cook above the threshold, whom carla follows too
    sam     a stranger, who follows nobody
    stef    a staff member

`make_cast()` makes them; the factories make whoever else is needed. Everybody's password is PASSWORD.
"""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import factory
from django.contrib.auth.hashers import make_password
from django.utils import timezone
from factory.django import DjangoModelFactory

from feeds.threshold import set_threshold
from posts.models import Post
from posts.services import publish_post
from social.models import Account, Follow

PASSWORD = "stew-for-seven"
THRESHOLD = 2  # with make_cast(): maria has that many followers, ana one fewer


@cache
def password_hash() -> str:
    """Hashing is slow on purpose; once is enough."""
    return make_password(PASSWORD)


class AccountFactory(DjangoModelFactory):
    """A customer who was seen just now; `cook`, `staff`, `private` and `away` (never seen) are traits."""

    class Meta:
        model = Account

    class Params:
        cook = factory.Trait(is_cook=True, city="Porto", cuisine="Portuguese")
        staff = factory.Trait(is_staff=True, is_superuser=True)
        private = factory.Trait(is_private=True)
        away = factory.Trait(last_seen=None)

    username = factory.Sequence(lambda n: f"guest{n}")
    display_name = factory.LazyAttribute(lambda account: account.username.capitalize())
    password = factory.LazyFunction(password_hash)
    last_seen = factory.LazyFunction(timezone.now)


class FollowFactory(DjangoModelFactory):
    """`follower` follows `followee`, as by the service: triggers and signals announce it."""

    class Meta:
        model = Follow

    follower = factory.SubFactory(AccountFactory)
    followee = factory.SubFactory(AccountFactory, cook=True)


class DishFactory(factory.DictFactory):
    """Fields of a dish, for publish_post."""

    name = factory.Iterator(["Caldo verde", "Arroz de pato", "Broa de milho", "Pastel de nata"])
    price = factory.Iterator([Decimal("6.50"), Decimal("12.00"), Decimal("2.20"), Decimal("1.60")])
    currency = "EUR"


class PhotoFactory(factory.DictFactory):
    """Fields of a photo, for publish_post."""

    url = factory.Sequence(lambda n: f"/static/demo/soup.svg?{n}")
    alt = "A bowl of soup"


class PostFactory(DjangoModelFactory):
    """A menu of two dishes, published by the service. `dishes=[]` and `photos=[...]` change what is on it."""

    class Meta:
        model = Post

    author = factory.SubFactory(AccountFactory, cook=True)
    text = factory.Sequence(lambda n: f"Ready from twelve, table {n}.")
    dishes = factory.LazyFunction(lambda: DishFactory.build_batch(2))
    photos = factory.LazyFunction(list)

    @classmethod
    def _create(cls, model_class: type[Post], *args: Any, **kwargs: Any) -> Post:
        return publish_post(**kwargs)


@dataclass(frozen=True, slots=True)
class Cast:
    ana: Account
    carla: Account
    sam: Account
    maria: Account
    stef: Account


def make_cast() -> Cast:
    """The cast, their follows, and a threshold that maria has reached and ana has not."""
    ana = AccountFactory(username="ana", cook=True, follower_count=1)
    maria = AccountFactory(username="maria", cook=True, follower_count=THRESHOLD)
    carla, sam = AccountFactory(username="carla"), AccountFactory(username="sam")
    stef = AccountFactory(username="stef", staff=True)
    FollowFactory(follower=carla, followee=ana)
    FollowFactory(follower=carla, followee=maria)
    FollowFactory.create_batch(THRESHOLD - 1, followee=maria)
    set_threshold(THRESHOLD)
    return Cast(ana=ana, carla=carla, sam=sam, maria=maria, stef=stef)
