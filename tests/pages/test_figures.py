"""What a cook sees beside her own menus: how far each has come, who opened it, and what she may press."""

import re
from datetime import date

import pytest
from django.db import connection

from feeds.models import Outbox
from feeds.ranking.recording import bring_notes
from posts.models import Opening, Post
from posts.openings import count_openings, note_opening
from posts.services import delete_post, like_post
from social.erasing import erase_marked_accounts
from social.models import Account
from social.services import erase_account
from tests.factories import AccountFactory, DishFactory, FollowFactory, PostFactory
from tests.feeds.helpers import query_count


def open_menus(browse, viewers, *posts):
    """Each opens the pages of all, and a worker remembers it."""
    for viewer in viewers:
        for post in posts:
            browse(viewer).get(f"/menus/{post.pk}")
    bring_notes()


def own_part(page):
    """The words of the part for the cook, of the first menu on the page."""
    found = re.search(r'<div class="own">(.*?)</article>', page.content.decode(), re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", found[1]).split()) if found else ""


class TestReach:
    def test_it_is_on_its_way_until_the_worker_is_done(self, cast, browse, step_workers):
        followers = AccountFactory.build_batch(3)
        for follower in followers:
            follower.save()
            FollowFactory(follower=follower, followee=cast.ana)
        Account.objects.filter(pk=cast.ana.pk).update(follower_count=4)
        post = PostFactory(author=cast.ana)
        ana = browse(cast.ana)
        assert "On its way: 0 of 4 followers have it." in own_part(ana.get("/@ana"))
        Outbox.objects.filter(kind="published", subject_id=post.pk).update(checkpoint=followers[1].pk)
        assert "On its way: 3 of 4 followers have it." in own_part(ana.get("/@ana"))
        Outbox.objects.filter(kind="published", subject_id=post.pk).update(checkpoint=0)
        step_workers()
        Outbox.objects.filter(kind="published").delete()
        assert "All 4 followers have it." in own_part(ana.get("/@ana"))

    def test_menus_of_a_cook_for_many_are_found_by_who_looks(self, cast, browse, step_workers):
        with connection.cursor() as cursor:
            cursor.execute("UPDATE feeds_pulledauthor SET opened_at = opened_at - interval '1 hour'")
        PostFactory(author=cast.maria)
        assert "Shown to all 2 followers when they look." in own_part(browse(cast.maria).get("/@maria"))

    def test_without_followers_it_says_so(self, cast, browse):
        cook = AccountFactory(cook=True, username="nina")
        PostFactory(author=cook)
        assert "nobody follows you yet" in own_part(browse(cook).get("/@nina"))


class TestOpened:
    def test_each_account_counts_once_and_the_cook_and_visitors_never(self, cast, browse):
        post = PostFactory(author=cast.ana)
        assert "Nobody has opened it yet." in own_part(browse(cast.ana).get("/@ana"))
        open_menus(browse, (cast.carla, cast.sam, cast.carla, cast.ana, None), post)
        browse(cast.stef).head(f"/menus/{post.pk}")
        like_post(account=cast.carla, post_id=post.pk)
        Post.objects.update(like_count=1)
        assert "2 people opened it. 1 likes it." in own_part(browse(cast.ana).get("/@ana"))

    def test_the_bars_of_menus_can_be_compared(self, cast, browse):
        posts = [PostFactory(author=cast.ana) for _ in range(3)]
        for number, post in enumerate(posts):
            open_menus(browse, (cast.carla, cast.sam)[:number], post)
        html = browse(cast.ana).get("/@ana").content.decode()
        assert re.findall(r'class="own-part" width="(\d+)%"', html) == ["100", "50"]
        assert html.count("Nobody has opened it yet.") == 1  # which needs no empty bar

    def test_nobody_else_sees_any_of_it(self, cast, browse):
        post = PostFactory(author=cast.ana)
        for viewer in (cast.carla, cast.stef, None):
            for address in ("/@ana", f"/menus/{post.pk}", "/"):
                assert 'class="own' not in browse(viewer).get(address).content.decode()

    def test_older_menus_have_theirs_too(self, cast, browse):
        PostFactory.create_batch(2, author=cast.ana)
        page = browse(cast.ana).get("/@ana", {"before": "9" * 15}, headers={"HX-Request": "true"})
        assert page.content.decode().count('class="own"') == 2

    def test_it_is_never_in_the_way(self, cast):
        post = PostFactory(author=cast.ana)
        delete_post(actor=cast.ana, post_id=post.pk)
        note_opening(post, cast.carla)
        bring_notes()
        assert not Opening.objects.exists()

    def test_openings_go_with_the_menu_and_with_the_account(self, cast, browse):
        first, second = PostFactory.create_batch(2, author=cast.ana)
        open_menus(browse, (cast.carla, cast.sam), first, second)
        delete_post(actor=cast.ana, post_id=first.pk)
        assert set(Opening.objects.values_list("post_id", flat=True)) == {second.pk}
        erase_account(cast.sam.pk)
        erase_marked_accounts()
        assert [opening.account_id for opening in Opening.objects.all()] == [cast.carla.pk]

    def test_counting_ends_somewhere(self, cast, browse, monkeypatch):
        monkeypatch.setattr("posts.openings.MOST_COUNTED", 1)
        monkeypatch.setattr("posts.figures.MOST_COUNTED", 1)
        post = PostFactory(author=cast.ana)
        open_menus(browse, (cast.carla, cast.sam), post)
        assert count_openings([post.pk]) == {post.pk: 1}
        assert "1 people or more opened it." in own_part(browse(cast.ana).get("/@ana"))


def test_ten_menus_cost_as_many_queries_as_two(cast, browse, step_workers):
    PostFactory.create_batch(2, author=cast.ana)
    step_workers()
    ana = browse(cast.ana)
    few = query_count(lambda: ana.get("/@ana"))
    PostFactory.create_batch(8, author=cast.ana)
    step_workers()
    assert query_count(lambda: ana.get("/@ana")) == few


class TestPresses:
    def test_a_dish_is_sold_out_from_her_own_page_and_she_stays_there(self, cast, browse):
        post = PostFactory(author=cast.ana)
        dish, _ = post.dishes.all()
        ana, address = browse(cast.ana), f"/menus/{post.pk}/dishes/{dish.pk}/sold-out"
        assert f'action="{address}"' in ana.get("/@ana").content.decode()
        page = ana.post(address, {"sold_out": "yes", "next": "/@ana"})
        assert page.headers["Location"] == f"/@ana#menu-{post.pk}"
        html = ana.get("/@ana").content.decode()
        assert 'value="no" aria-pressed="true"' in html
        assert "<s>" in html
        page = ana.post(address, {"sold_out": "no", "next": "https://evil.example/"})
        assert page.headers["Location"] == f"/menus/{post.pk}#dish-{dish.pk}"

    @pytest.mark.parametrize(("day", "offered"), [(date(2020, 1, 2), False), (date(2030, 1, 2), True)])
    def test_of_a_day_that_is_over_nothing_is_sold_out(self, cast, browse, day, offered):
        PostFactory(author=cast.ana, day=day)
        assert ("Sold out? Tap the dish." in own_part(browse(cast.ana).get("/@ana"))) is offered

    def test_she_cooks_it_again_edits_and_deletes_it_from_there(self, cast, browse):
        post = PostFactory(author=cast.ana, dishes=DishFactory.build_batch(1))
        html = browse(cast.ana).get("/@ana").content.decode()
        for address in (
            f'href="/menus/new?from={post.pk}"',
            f"/menus/{post.pk}/edit",
            f"/menus/{post.pk}/delete",
        ):
            assert address in html
