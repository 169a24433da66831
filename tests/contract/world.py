"""A small world in which every call can succeed, and which is the same again before each call."""

from dataclasses import dataclass, field
from typing import Any

import redis
from django.conf import settings
from django.db import connection

from posts.models import Photo, Post
from posts.services import like_post
from social.authentication import access_token
from social.models import Account, Block, FollowRequest, Mute
from tests.conftest import forget_process_memory
from tests.factories import AccountFactory, FollowFactory, PostFactory, make_photo

KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


@dataclass
class World:
    """ana is who asks: a private cook with followers, requests, a block, a mute, and menus of her own."""

    ana: Account
    public: Account
    followed: Account
    follower: Account
    asking: Account
    blocked: Account
    muted: Account
    own: Post
    liked: Post
    other: Post
    photo: Photo
    changed: bool = False
    _tables: dict[str, bytes] = field(default_factory=dict)

    def token(self) -> str:
        return access_token(self.ana)

    def restore(self) -> None:
        """As it was made; nothing to do when nothing has changed it."""
        if not self.changed:
            return
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")  # no triggers, no foreign keys
            for table in _all_tables():
                cursor.execute(f"DELETE FROM {table}")
            for table, rows in self._tables.items():
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(rows)
            cursor.execute("RESET session_replication_role")
        forget_stores()
        self.changed = False

    def remember(self) -> None:
        """This is how it was made."""
        with connection.cursor() as cursor:
            for table in _all_tables():
                with cursor.copy(f"COPY {table} TO STDOUT") as copy:
                    if rows := b"".join(copy):
                        self._tables[table] = rows


def _all_tables() -> list[str]:
    return sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)


def forget_stores() -> None:
    """Redis and process memory know nothing any more."""
    with redis.Redis.from_url(settings.FEED_REDIS_URL) as client:
        client.flushall()
    forget_process_memory()


def make_world() -> World:
    """In empty stores."""
    ana = AccountFactory(username="ana", cook=True, private=True)
    others: dict[str, Any] = {
        name: AccountFactory(username=name, cook=True)
        for name in ("public", "followed", "follower", "asking", "blocked", "muted")
    }
    AccountFactory(private=True)
    FollowFactory(follower=ana, followee=others["followed"])
    FollowFactory(follower=ana, followee=others["muted"])
    FollowFactory(follower=others["follower"], followee=ana)
    FollowFactory(follower=others["follower"], followee=others["public"])
    FollowFactory(follower=others["asking"], followee=others["public"])
    FollowRequest.objects.create(follower=others["asking"], followee=ana)
    Block.objects.create(blocker=ana, blocked=others["blocked"])
    Mute.objects.create(muter=ana, muted=others["muted"])
    own, *_ = [PostFactory(author=ana) for _ in range(3)]
    liked, other = PostFactory(author=others["followed"]), PostFactory(author=others["public"])
    like_post(account=ana, post_id=liked.pk)
    photo = make_photo(ana)
    world = World(ana=ana, own=own, liked=liked, other=other, photo=photo, **others)
    world.remember()
    return world
