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
from io import BytesIO
from typing import Any

import factory
from django.contrib.auth.hashers import make_password
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils import timezone
from factory.django import DjangoModelFactory
from PIL import Image

from feeds.threshold import set_threshold
from posts.media.processing import process_photo
from posts.media.uploading import upload_photo
from posts.models import Photo, Post
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


def picture(width: int = 64, height: int = 48, form: str = "JPEG", **options: Any) -> bytes:
    """A file as a camera makes it: a gradient, so that what is left, right, up and down can be told."""
    sides = [Image.linear_gradient("L").resize((width, height)) for _ in range(3)]
    drawn = Image.merge("RGB", [sides[0], sides[1].transpose(Image.Transpose.ROTATE_180), sides[2]])
    made = BytesIO()
    drawn.save(made, form, **options)
    return made.getvalue()


def uploaded(content: bytes | None = None, name: str = "soup.jpg") -> SimpleUploadedFile:
    """A file as a form sends it."""
    return SimpleUploadedFile(name, picture() if content is None else content)


def make_photo(owner: Account, *, ready: bool = True) -> Photo:
    """An uploaded photo, by the services and as by a worker."""
    photo = upload_photo(owner=owner, file=uploaded(), alt="A bowl of soup")
    if ready:
        process_photo(photo.pk)
    return Photo.objects.get(pk=photo.pk)


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
    ana = AccountFactory.build(username="ana", cook=True, follower_count=1)
    maria = AccountFactory.build(username="maria", cook=True, follower_count=THRESHOLD)
    carla, sam = AccountFactory.build(username="carla"), AccountFactory.build(username="sam")
    stef = AccountFactory.build(username="stef", staff=True)
    others = AccountFactory.build_batch(THRESHOLD - 1)
    with transaction.atomic():  # one statement for all accounts, one delivery for all follows
        Account.objects.bulk_create([ana, maria, carla, sam, stef, *others])
        FollowFactory(follower=carla, followee=ana)
        for follower in (carla, *others):
            FollowFactory(follower=follower, followee=maria)
    set_threshold(THRESHOLD)
    return Cast(ana=ana, carla=carla, sam=sam, maria=maria, stef=stef)
