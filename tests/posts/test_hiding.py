"""Staff hide menus and bring them back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from feeds.counts import recount_likes
from feeds.models import Outbox
from feeds.reading import read_feed
from posts.models import Post
from posts.services import hide_post, like_post, restore_post
from social.errors import NotFound
from social.models import Account
from tests.admin.test_admin import fields_of
from tests.factories import AccountFactory, Cast, PostFactory

Browse = Callable[[Account | None], Client]
LIST = "/admin/posts/post/"


def press(client: Client, action: str, *posts: Post) -> Any:
    chosen = {"action": action, "_selected_action": [p.pk for p in posts]}
    return client.post(LIST, chosen | {"answered": "yes", "reason": "A hair in it."}, follow=True)


def test_repeats_are_harmless_and_write_nothing(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    for change, hidden in ((hide_post, True), (restore_post, False)):
        change(post_id=post.pk)
        [first] = Post.objects.values_list("hidden_at", flat=True)
        written = Outbox.objects.count()
        change(post_id=post.pk)
        assert list(Post.objects.values_list("hidden_at", flat=True)) == [first]
        assert (first is not None) is hidden
        assert Outbox.objects.count() == written


def test_no_such_menu(cast: Cast) -> None:
    for change in (hide_post, restore_post):
        for post_id in (0, 1, 2**53, 2**70):
            with pytest.raises(NotFound):
                change(post_id=post_id)


def test_hiding_is_no_edit_by_the_cook(cast: Cast) -> None:
    post = PostFactory(author=cast.ana)
    hide_post(post_id=post.pk)
    restore_post(post_id=post.pk)
    assert Post.objects.get().edited_at is None


class TestAdmin:
    def test_staff_hide_and_restore_several_at_once(self, cast: Cast, browse: Browse) -> None:
        first, second, third = (PostFactory(author=cast.ana) for _ in range(3))
        staff = browse(cast.stef)
        assert "Menus hidden: 2." in press(staff, "hide_menus", first, third).content.decode()
        assert [item.post_id for item in read_feed(cast.carla.pk).items] == [second.pk]
        html = press(staff, "restore_menus", first, second, third).content.decode()
        assert "Menus restored: 2." in html
        assert "Menus that were not hidden: 1." in html
        assert len(read_feed(cast.carla.pk).items) == 3
        log = LogEntry.objects.filter(object_id=str(first.pk), user=cast.stef)
        assert {entry.change_message for entry in log} == {"Hidden: A hair in it.", "Restored."}

    def test_hiding_what_is_hidden_already_is_no_success_and_leaves_no_entry(
        self, cast: Cast, browse: Browse
    ) -> None:
        post, staff = PostFactory(author=cast.ana), browse(cast.stef)
        hide_post(post_id=post.pk)
        html = press(staff, "hide_menus", post).content.decode()
        assert '<li class="warning">Menus that were hidden already: 1.</li>' in html
        assert 'class="success"' not in html
        assert not LogEntry.objects.exists()

    def test_only_who_may_change_menus_may_hide_them(self, cast: Cast, browse: Browse) -> None:
        post, clerk = PostFactory(author=cast.ana), AccountFactory(is_staff=True)
        clerk.user_permissions.add(Permission.objects.get(codename="view_post"))
        assert press(browse(clerk), "hide_menus", post).status_code == 403
        assert Post.objects.get().hidden_at is None
        clerk.user_permissions.add(Permission.objects.get(codename="change_post"))
        press(browse(clerk), "hide_menus", post)
        assert Post.objects.get().hidden_at is not None

    def test_an_edit_by_staff_leaves_the_count_of_likes(self, cast: Cast, browse: Browse) -> None:
        post, staff = PostFactory(author=cast.ana), browse(cast.stef)
        address = f"{LIST}{post.pk}/change/"
        fields = fields_of(staff.get(address)) | {"text": "By staff."}
        like_post(account=cast.carla, post_id=post.pk)
        recount_likes()
        assert staff.post(address, fields).status_code == 302
        kept = Post.objects.get()
        assert (kept.text, kept.like_count) == ("By staff.", 1)
        assert kept.edited_at is not None
