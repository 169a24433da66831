"""Every kind of change, past the services: seen within a second, delivered by the relay, and right from stored lists
when the overlay has forgotten it. (At commit, by the services: tests/feeds/test_filters.py and others.)"""

from collections.abc import Callable

import pytest

from feeds import overlay
from feeds.delivery import HANDLERS, relay
from feeds.models import Outbox
from feeds.proof.contents import Contents
from feeds.proof.verify import walk_feed
from feeds.reference import reference_feed_ids
from posts.models import Post
from tests.factories import Cast, PostFactory
from tests.feeds.helpers import keys_now, raw_post, raw_sql, warm

Settle = Callable[[], None]


def of_ana(cast: Cast) -> int:
    return Post.objects.filter(author=cast.ana).latest("pk").pk


# What raw SQL does, and of which kind the database says that it is.
CHANGES: dict[str, tuple[str, Callable[[Cast], object]]] = {
    "published": ("published", lambda c: raw_post(c.ana)),
    "edited": ("edited", lambda c: raw_sql("UPDATE posts_post SET text = 'new' WHERE id = %s", of_ana(c))),
    "sold out": (
        "edited",
        lambda c: raw_sql("UPDATE posts_dish SET sold_out = true WHERE post_id = %s", of_ana(c)),
    ),
    "hidden": (
        "edited",
        lambda c: raw_sql("UPDATE posts_post SET hidden_at = now() WHERE id = %s", of_ana(c)),
    ),
    "liked by many": (
        "edited",
        lambda c: raw_sql("UPDATE posts_post SET like_count = 9 WHERE id = %s", of_ana(c)),
    ),
    "deleted": (
        "deleted",
        lambda c: raw_sql(
            "WITH d AS (DELETE FROM posts_dish WHERE post_id = %s) DELETE FROM posts_post WHERE id = %s",
            of_ana(c),
            of_ana(c),
        ),
    ),
    "followed": (
        "followed",
        lambda c: raw_sql(
            "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", c.sam.pk, c.ana.pk
        ),
    ),
    "unfollowed": (
        "unfollowed",
        lambda c: raw_sql("DELETE FROM social_follow WHERE follower_id = %s", c.carla.pk),
    ),
    "blocked": (
        "unfollowed",
        lambda c: raw_sql(
            "INSERT INTO social_block (blocker_id, blocked_id) VALUES (%s, %s)", c.ana.pk, c.carla.pk
        ),
    ),
    "muted": (
        "mutes_changed",
        lambda c: raw_sql(
            "INSERT INTO social_mute (muter_id, muted_id) VALUES (%s, %s)", c.carla.pk, c.ana.pk
        ),
    ),
    "liked": (
        "likes_changed",
        lambda c: raw_sql(
            "INSERT INTO posts_like (account_id, post_id) VALUES (%s, %s)", c.carla.pk, of_ana(c)
        ),
    ),
    "renamed": (
        "account_changed",
        lambda c: raw_sql("UPDATE social_account SET display_name = 'Ana B.' WHERE id = %s", c.ana.pk),
    ),
    "new avatar": (
        "account_changed",
        lambda c: raw_sql("UPDATE social_account SET avatar_url = '/a.png' WHERE id = %s", c.ana.pk),
    ),
    "deactivated": (
        "account_changed",
        lambda c: raw_sql("UPDATE social_account SET is_active = false WHERE id = %s", c.ana.pk),
    ),
}


@pytest.fixture
def fed(cast: Cast, settle: Settle) -> Cast:
    for author in (cast.ana, cast.maria, cast.ana):
        PostFactory(author=author)
    settle()
    for viewer in (cast.carla, cast.sam):
        warm(viewer)
    return cast


def assert_right(cast: Cast) -> None:
    for viewer in (cast.carla, cast.sam):
        walk = walk_feed(viewer.pk)
        assert walk.ids == reference_feed_ids(viewer.pk)
        assert Contents().stale(viewer.pk, walk.items) == []


@pytest.mark.parametrize("name", CHANGES)
def test_within_a_second_and_from_then_on(fed: Cast, settle: Settle, settings: object, name: str) -> None:
    kind, change = CHANGES[name]
    settings.OUTBOX_RELAY_SECONDS = 0  # type: ignore[attr-defined]
    before = {viewer.pk: shown_json(viewer.pk) for viewer in (fed.carla, fed.sam)}
    change(fed)
    assert set(Outbox.objects.filter(done_at=None).values_list("kind", flat=True)) == {kind}
    overlay.build_overlay(keys_now())  # as once a second
    assert_right(fed)
    assert {viewer.pk: shown_json(viewer.pk) for viewer in (fed.carla, fed.sam)} != before
    relay()
    assert not Outbox.objects.exclude(kind="published").filter(done_at=None).exists()
    assert_right(fed)
    settle()
    for viewer in (fed.carla, fed.sam):
        warm(viewer)
    assert_right(fed)


def shown_json(viewer_id: int) -> list[bytes]:
    return [item.json for item in walk_feed(viewer_id).items]


def test_every_kind_there_is_was_among_them() -> None:
    assert {kind for kind, _ in CHANGES.values()} == set(Outbox.Kind.values) == set(HANDLERS)
