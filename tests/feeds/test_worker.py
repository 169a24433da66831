"""A real worker process, killed in the middle of a fan-out."""

import time
from collections.abc import Callable

import pytest

from feeds.delivery import relay
from feeds.lists import commands
from feeds.models import Outbox
from feeds.reading import read_feed
from posts.services import publish_post
from social.models import Account, Follow
from tests.conftest import Worker, wait_for
from tests.factories import AccountFactory, Cast
from tests.feeds.helpers import keys_now, raw_sql

FOLLOWERS = 300
SETTINGS = {
    "FANOUT_BATCH_SIZE": "5",
    "CELERY_VISIBILITY_TIMEOUT": "3",
    "FANOUT_HANDOVER_SECONDS": "2",
    "LOG_LEVEL": "INFO",
}


@pytest.mark.worker
def test_every_follower_gets_a_post_whose_fan_out_was_killed_and_restarted(
    cast: Cast, settle: Callable[[], None], start_worker: Callable[..., Worker]
) -> None:
    guests = AccountFactory.create_batch(FOLLOWERS)
    Follow.objects.bulk_create(Follow(follower=guest, followee=cast.ana) for guest in guests)
    settle()
    for guest in guests:
        read_feed(guest.pk)
    settle()
    # The database is slow to take a checkpoint, so that there is a middle to be killed in.
    raw_sql(
        "CREATE OR REPLACE FUNCTION slow_checkpoint() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$"
    )
    raw_sql(
        "CREATE TRIGGER slow_checkpoint BEFORE UPDATE ON feeds_outbox FOR EACH ROW"
        " WHEN (NEW.checkpoint > OLD.checkpoint) EXECUTE FUNCTION slow_checkpoint()"
    )
    try:
        worker = start_worker(**SETTINGS)
        post = publish_post(author=cast.ana, text="soup")
        row = Outbox.objects.filter(kind="published", subject_id=post.pk)
        wait_for(lambda: row.get().checkpoint > 0)
        worker.kill()
        killed_at = row.get().checkpoint
        assert row.get().done_at is None
        assert 0 < holders(guests, post.pk) < FOLLOWERS

        start_worker(**SETTINGS)
        raw_sql("UPDATE feeds_outbox SET created_at = created_at - interval '1 minute'")
        deadline = time.monotonic() + 40
        while row.get().done_at is None:
            assert time.monotonic() < deadline, row.values()
            relay()  # as beat does every second
            time.sleep(0.2)
    finally:
        raw_sql("DROP TRIGGER slow_checkpoint ON feeds_outbox")
    assert row.get().checkpoint > killed_at
    assert holders(guests, post.pk) == FOLLOWERS


def holders(viewers: list[Account], post_id: int) -> int:
    """How many stored feeds hold a post."""
    keys = keys_now()
    lists = commands.read_lists(keys, keys.feeds([viewer.pk for viewer in viewers]), limit=10)
    return sum(post_id in stored.ids for stored in lists)
