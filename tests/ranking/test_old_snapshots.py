"""Whatever happens after a list was ranked: each of its pages shows what the reference feed has at that moment, in
the order of the list, each menu once."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeds.ranking.serving import read_ranked
from feeds.reference import reference_feed_ids
from posts.models import Post
from posts.services import delete_post, hide_post, publish_post, restore_post
from social import services
from social.errors import Refusal
from tests.factories import make_cast
from tests.ranking.helpers import different_menus, ids_of

COOKS = ("ana", "maria")
ACTIONS = {
    "mute": lambda carla, cook, post: services.mute_account(muter=carla, muted_id=cook.pk),
    "unmute": lambda carla, cook, post: services.unmute_account(muter=carla, muted_id=cook.pk),
    "block": lambda carla, cook, post: services.block_account(blocker=carla, blocked_id=cook.pk),
    "be blocked": lambda carla, cook, post: services.block_account(blocker=cook, blocked_id=carla.pk),
    "unfollow": lambda carla, cook, post: services.unfollow_account(follower=carla, followee_id=cook.pk),
    "go private": lambda carla, cook, post: services.update_account(cook.pk, is_private=True),
    "be removed": lambda carla, cook, post: services.remove_follower(followee=cook, follower_id=carla.pk),
    "deactivate": lambda carla, cook, post: services.deactivate_account(cook.pk),
    "reactivate": lambda carla, cook, post: services.reactivate_account(cook.pk),
    "delete": lambda carla, cook, post: post and delete_post(actor=post.author, post_id=post.pk),
    "hide": lambda carla, cook, post: post and hide_post(post_id=post.pk),
    "restore": lambda carla, cook, post: post and restore_post(post_id=post.pk),
    "publish": lambda carla, cook, post: cook.is_active and publish_post(author=cook, text="Meanwhile."),
}
steps = st.lists(
    st.tuples(
        st.sampled_from(sorted(ACTIONS)), st.sampled_from(COOKS), st.integers(0, 11), st.integers(1, 5)
    ),
    max_size=8,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_old_snapshots_show_what_may_be_seen_now_and_nothing_twice(fresh_stores, steps):
    fresh_stores()
    cast = make_cast()
    cooks = {"ana": cast.ana, "maria": cast.maria}
    ids = different_menus([cast.ana.pk, cast.maria.pk] * 6)
    first = read_ranked(cast.carla.pk, limit=100)
    order, cursor, shown = ids_of(first), first.top_cursor, []
    assert sorted(order) == sorted(ids)
    for action, name, which, limit in [*steps, *[("publish", "ana", 0, 3)] * 5]:
        cooks[name].refresh_from_db()
        with suppress(Refusal):  # of who is out of sight already
            ACTIONS[action](cast.carla, cooks[name], Post.objects.filter(pk=ids[which]).first())
        if cursor is None:
            break
        page = read_ranked(cast.carla.pk, cursor=cursor, limit=limit)
        now = set(reference_feed_ids(cast.carla.pk))
        left = order[order.index(shown[-1]) + 1 :] if shown else order
        assert ids_of(page) == [i for i in left if i in now][:limit]
        assert (page.next_cursor is None) == (len([i for i in left if i in now]) <= limit)
        shown += ids_of(page)
        cursor = page.next_cursor
    assert len(shown) == len(set(shown))


@pytest.fixture
def fresh_stores(stores, feed_redis):
    from tests.conftest import empty_database, forget_process_memory

    def fresh():
        empty_database()
        feed_redis.flushall()
        forget_process_memory()

    return fresh
