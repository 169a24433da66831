"""The proof's own truth and the product's reference query, written apart, agree over random tables."""

import random
from collections.abc import Sequence

import pytest
from django.db import connection

from feeds.reference import reference_feed_ids
from tests.factories import AccountFactory
from tests.stateful.truth import read_feeds

PEOPLE = 7


def scatter(dice: random.Random, ids: Sequence[int]) -> None:
    """Every relation between every two, or not; mutes past, future and without an end."""
    with connection.cursor() as cursor:
        for one in ids:
            cursor.execute(
                "UPDATE social_account SET is_private = %s, is_active = %s WHERE id = %s",
                [dice.random() < 0.4, dice.random() < 0.8, one],
            )
            for _ in range(dice.randrange(5)):
                cursor.execute(
                    "INSERT INTO posts_post (author_id, hidden_at) VALUES (%s, CASE WHEN %s THEN now() END)",
                    [one, dice.random() < 0.2],
                )
            for other in ids:
                if one != other:
                    relate(dice, one, other)


def relate(dice: random.Random, one: int, other: int) -> None:
    with connection.cursor() as cursor:
        if dice.random() < 0.6:
            cursor.execute(
                "INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", [one, other]
            )
        if dice.random() < 0.3:
            ends = dice.choice(["'-1 hour'", "'-1 second'", "'1 hour'", "NULL"])
            cursor.execute(
                "INSERT INTO social_mute (muter_id, muted_id, expires_at)"
                f" VALUES (%s, %s, clock_timestamp() + {ends}::interval)",
                [one, other],
            )
        if dice.random() < 0.15:
            cursor.execute("INSERT INTO social_block (blocker_id, blocked_id) VALUES (%s, %s)", [one, other])


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("seed", range(8))
def test_they_agree_for_every_viewer(seed: int) -> None:
    dice = random.Random(seed)
    ids = [AccountFactory(cook=True).pk for _ in range(PEOPLE)]
    with connection.cursor() as cursor:
        # Follows beside blocks too: the database refuses them, and the two must agree all the same.
        cursor.execute("SET session_replication_role = replica")
        scatter(dice, ids)
        cursor.execute("RESET session_replication_role")
    feeds, _ = read_feeds()
    assert set(feeds) == set(ids)
    for viewer in ids:
        assert list(feeds[viewer]) == reference_feed_ids(viewer), f"viewer {viewer}"
