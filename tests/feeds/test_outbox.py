"""The outbox: triggers write it, whoever makes the change."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from feeds import outbox
from feeds.models import Outbox
from posts.ids import draw_post_ids
from posts.models import Dish, Photo, Post
from posts.services import delete_post, publish_post
from social.models import Account, Follow
from social.services import follow_account, unfollow_account
from tests.factories import AccountFactory, Cast, DishFactory, PhotoFactory
from tests.feeds.helpers import raw_post, raw_sql


@pytest.fixture
def since(cast: Cast) -> Callable[[], Counter[str]]:
    """What was written since the test began."""
    before = Outbox.objects.order_by("-pk").first()
    assert before is not None
    return lambda: Counter(Outbox.objects.filter(pk__gt=before.pk).values_list("kind", flat=True))


Since = Callable[[], Counter[str]]


class TestPosts:
    def test_the_orm(self, cast: Cast, since: Since) -> None:
        post = Post.objects.create(author=cast.ana, text="soup")
        row = Outbox.objects.get(kind="published")
        assert (row.subject_id, row.author_id, row.done_at, row.checkpoint) == (post.pk, cast.ana.pk, None, 0)
        assert since() == {"published": 1}

    def test_a_publish_with_dishes_and_photos_is_one_change(self, cast: Cast, since: Since) -> None:
        publish_post(author=cast.ana, dishes=DishFactory.build_batch(3), photos=PhotoFactory.build_batch(2))
        assert since() == {"published": 1}

    def test_bulk_create(self, cast: Cast, since: Since) -> None:
        ids = draw_post_ids(3)
        Post.objects.bulk_create(Post(pk=i, author=cast.ana) for i in ids)
        assert since() == {"published": 3}
        assert set(Outbox.objects.filter(kind="published").values_list("subject_id", flat=True)) == set(ids)

    def test_raw_sql(self, cast: Cast, since: Since) -> None:
        raw_post(cast.ana)
        raw_sql("INSERT INTO posts_post (author_id) SELECT %s FROM generate_series(1, 5)", cast.ana.pk)
        raw_sql("UPDATE posts_post SET text = 'soup'")
        raw_sql("DELETE FROM posts_post")
        assert since() == {"published": 6, "edited": 6, "deleted": 6}

    def test_copy(self, cast: Cast, since: Since) -> None:
        with (
            connection.cursor() as cursor,
            cursor.copy("COPY posts_post (author_id, text) FROM STDIN") as rows,  # type: ignore[attr-defined]
        ):
            rows.write_row((cast.ana.pk, "soup"))
            rows.write_row((cast.ana.pk, "stew"))
        assert since() == {"published": 2}

    def test_an_upsert(self, cast: Cast, since: Since) -> None:
        post_id = raw_post(cast.ana)
        raw_sql(
            "INSERT INTO posts_post (id, author_id) VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET text = 'b'",
            post_id,
            cast.ana.pk,
        )
        assert since() == {"published": 1, "edited": 1}

    def test_editing_and_deleting_by_the_services(self, cast: Cast, since: Since) -> None:
        post = publish_post(author=cast.ana, text="soup")
        post.text = "stew"
        post.save()
        delete_post(actor=cast.ana, post_id=post.pk)
        assert since() == {"published": 1, "edited": 1, "deleted": 1}

    def test_a_dish_that_is_added_later_is_an_edit(self, cast: Cast, since: Since) -> None:
        post = publish_post(author=cast.ana, text="soup")
        Dish.objects.create(post=post, **DishFactory.build())
        Dish.objects.bulk_create(Dish(post=post, **fields) for fields in DishFactory.build_batch(3))
        Photo.objects.create(post=post, url="/soup.svg")
        assert since() == {"published": 1, "edited": 3}

    def test_a_dish_that_is_changed_or_removed_too(self, cast: Cast, since: Since) -> None:
        post = publish_post(author=cast.ana, dishes=DishFactory.build_batch(3))
        raw_sql("UPDATE posts_dish SET sold_out = true WHERE post_id = %s", post.pk)
        raw_sql("DELETE FROM posts_dish")
        assert since() == {"published": 1, "edited": 2}

    def test_a_dish_that_moves_is_an_edit_of_both_menus(self, cast: Cast) -> None:
        old = publish_post(author=cast.ana, dishes=DishFactory.build_batch(1))
        new = publish_post(author=cast.ana, text="soup")
        raw_sql("UPDATE posts_dish SET post_id = %s", new.pk)
        edited = Outbox.objects.filter(kind="edited").values_list("subject_id", flat=True)
        assert set(edited) == {old.pk, new.pk}

    def test_a_rolled_back_publish_leaves_no_row(self, cast: Cast, since: Since) -> None:
        with transaction.atomic():
            publish_post(author=cast.ana, text="soup")
            transaction.set_rollback(True)
        assert since() == {}
        assert not Post.objects.exists()

    def test_a_publish_that_fails_in_the_middle_leaves_nothing(self, cast: Cast, since: Since) -> None:
        with pytest.raises(Exception, match="dish_price_positive"):
            publish_post(author=cast.ana, text="soup", dishes=[DishFactory.build(price=-1)])
        assert since() == {}
        assert not Post.objects.exists()


class TestFollows:
    def test_by_the_services(self, cast: Cast, since: Since) -> None:
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        follow_account(follower=cast.sam, followee_id=cast.ana.pk)
        unfollow_account(follower=cast.sam, followee_id=cast.ana.pk)
        unfollow_account(follower=cast.sam, followee_id=cast.ana.pk)
        assert since() == {"followed": 1, "unfollowed": 1}
        row = Outbox.objects.filter(kind="unfollowed").get()
        assert (row.subject_id, row.author_id) == (cast.sam.pk, cast.ana.pk)
        assert row.done_at is not None

    def test_by_bulk_and_by_raw_sql(self, cast: Cast, since: Since) -> None:
        guests = AccountFactory.create_batch(3)
        Follow.objects.bulk_create(Follow(follower=guest, followee=cast.ana) for guest in guests)
        raw_sql("DELETE FROM social_follow WHERE followee_id = %s", cast.ana.pk)
        assert since() == {"followed": 3, "unfollowed": 4}


class TestAccounts:
    @pytest.mark.parametrize(
        "change",
        [
            {"display_name": "Dona Ana"},
            {"username": "anna"},
            {"city": "Lisbon"},
            {"avatar_url": "/a.svg"},
            {"is_cook": False},
            {"is_active": False},
            {"auth_version": 2},
            {"time_zone": "Europe/Lisbon"},
            {"language": "pt-br"},
            {"order_url": "https://example.org/ana"},
        ],
    )
    def test_what_a_feed_or_a_sign_in_shows_is_a_change(
        self, cast: Cast, since: Since, change: dict[str, object]
    ) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(**change)
        assert since() == {"account_changed": 1}

    @pytest.mark.parametrize(
        "change",
        [
            {"last_seen": "2026-01-01T00:00Z"},
            {"follower_count": 7},
            {"last_login": "2026-01-01T00:00Z"},
            {"bio": "cooks"},
            {"display_name": "Ana"},
        ],
    )
    def test_anything_else_is_none(self, cast: Cast, since: Since, change: dict[str, object]) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(**change)
        assert since() == {}

    def test_a_new_account_is_none(self, cast: Cast, since: Since) -> None:
        AccountFactory()
        assert since() == {}

    def test_an_account_that_is_erased_is_one(self, cast: Cast, since: Since) -> None:
        pk = cast.sam.pk
        cast.sam.delete()
        row = Outbox.objects.filter(kind="account_changed").get()
        assert row.subject_id == pk


def test_a_bulk_load_is_silent(cast: Cast, since: Since) -> None:
    guest = AccountFactory()
    with transaction.atomic():
        raw_sql("SET LOCAL courtyard.bulk_load = on")
        post_id = raw_post(cast.ana)
        raw_sql("INSERT INTO posts_dish (post_id, position, name, price, currency, tags, sold_out)"
                " VALUES (%s, 0, 'soup', 1, 'EUR', '{}', false)", post_id)  # fmt: skip
        raw_sql("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", guest.pk, cast.ana.pk)
        raw_sql("UPDATE social_account SET city = 'Braga'")
        raw_sql("UPDATE posts_post SET text = 'soup'")
        raw_sql("DELETE FROM posts_dish")
        raw_sql("DELETE FROM posts_post")
    assert since() == {}
    raw_post(cast.ana)
    assert since() == {"published": 1}


class TestPruning:
    def test_rows_go_a_day_after_they_were_done(self, cast: Cast) -> None:
        raw_post(cast.ana)
        Outbox.objects.exclude(kind="published").update(done_at="2026-01-01T00:00Z", counted=True)
        done = Outbox.objects.exclude(kind="published").count()
        assert outbox.prune_done(batch=2) == done
        assert Outbox.objects.get().kind == "published"

    def test_rows_that_no_count_includes_yet_stay(self, cast: Cast) -> None:
        Outbox.objects.update(done_at="2026-01-01T00:00Z", counted=False)
        follows = Outbox.objects.filter(kind__in=["followed", "unfollowed"]).count()
        outbox.prune_done()
        assert Outbox.objects.count() == follows > 0

    def test_rows_that_were_done_a_moment_ago_stay(self, cast: Cast) -> None:
        Outbox.objects.update(counted=True)
        assert outbox.prune_done() == 0
