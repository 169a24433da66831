"""What may not be seen is on no surface, from the next request on; and back on each when the cause goes."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client
from rest_framework.test import APIClient

from posts.models import Post
from posts.services import delete_post, hide_post, restore_post
from social.models import Account, Block, Follow
from tests.factories import Cast, FollowFactory, PostFactory

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
TEXT = "Only for those who may."


@dataclass(frozen=True)
class Viewer:
    """One person's ways to a menu."""

    api: APIClient
    pages: Client
    post: Post

    def in_api(self) -> bool:
        return self.api.get(f"/api/v1/posts/{self.post.pk}").status_code == 200

    def on_its_page(self) -> bool:
        page = self.pages.get(f"/menus/{self.post.pk}")
        assert page.status_code == (200 if TEXT in page.content.decode() else 404)
        return page.status_code == 200

    def on_the_profile(self) -> bool:
        return TEXT in self.pages.get("/@ana").content.decode()

    def in_the_accounts_posts(self) -> bool:
        body = self.api.get(f"/api/v1/accounts/{self.post.author_id}/posts").json()
        return self.post.pk in [post["id"] for post in body.get("posts", [])]

    def may_like(self) -> bool:
        status = self.api.put(f"/api/v1/posts/{self.post.pk}/like").status_code
        assert status in (204, 404)
        return status == 204

    def in_the_feed(self) -> bool:
        return self.post.pk in [post["id"] for post in self.api.get("/api/v1/feed").json()["posts"]]

    def on_today(self) -> bool:
        return TEXT in self.pages.get("/").content.decode()

    def everywhere(self) -> dict[str, bool]:
        return self.by_its_address() | {"feed": self.in_the_feed(), "today": self.on_today()}

    def by_its_address(self) -> dict[str, bool]:
        return {
            "api": self.in_api(),
            "page": self.on_its_page(),
            "profile": self.on_the_profile(),
            "account's posts": self.in_the_accounts_posts(),
            "like": self.may_like(),
        }


@dataclass(frozen=True)
class Cause:
    """Why a menu is out of carla's sight, and how that ends. `feed_too`: it comes back in the feed as well."""

    begin: Callable[[Cast, Post], object]
    end: Callable[[Cast, Post], object] | None
    feed_too: bool = True


def change_ana(cast: Cast, **fields: bool) -> None:
    for name, value in fields.items():
        setattr(cast.ana, name, value)
    cast.ana.save(update_fields=list(fields))


def go_private(cast: Cast, post: Post) -> None:
    change_ana(cast, is_private=True)
    Follow.objects.get(follower=cast.carla, followee=cast.ana).delete()


def unblock(cast: Cast, post: Post) -> None:
    for block in Block.objects.all():
        block.delete()


CAUSES = {
    "hidden by staff": Cause(
        lambda cast, post: hide_post(post_id=post.pk), lambda cast, post: restore_post(post_id=post.pk)
    ),
    "its author deactivated": Cause(
        lambda cast, post: change_ana(cast, is_active=False),
        lambda cast, post: change_ana(cast, is_active=True),
    ),
    "private and not followed": Cause(
        go_private, lambda cast, post: FollowFactory(follower=cast.carla, followee=cast.ana)
    ),
    "private until public": Cause(
        go_private, lambda cast, post: change_ana(cast, is_private=False), feed_too=False
    ),
    "blocked by the viewer": Cause(
        lambda cast, post: Block.objects.create(blocker=cast.carla, blocked=cast.ana),
        unblock,
        feed_too=False,
    ),
    "blocking the viewer": Cause(
        lambda cast, post: Block.objects.create(blocker=cast.ana, blocked=cast.carla),
        unblock,
        feed_too=False,
    ),
    "deleted": Cause(lambda cast, post: delete_post(actor=cast.ana, post_id=post.pk), None),
}


@pytest.mark.parametrize("settled", [False, True], ids=["fresh", "settled"])
@pytest.mark.parametrize("name", CAUSES)
def test_a_menu_out_of_sight_is_on_no_surface_until_it_is_on_all_again(
    cast: Cast, api: Api, browse: Browse, settle: Callable[[], None], name: str, settled: bool
) -> None:
    post, cause = PostFactory(author=cast.ana, text=TEXT), CAUSES[name]
    carla = Viewer(api(cast.carla), browse(cast.carla), post)
    if settled:
        settle()
    assert set(carla.everywhere().values()) == {True}

    cause.begin(cast, post)
    assert not {where for where, there in carla.everywhere().items() if there}

    if settled:
        settle()
        assert not {where for where, there in carla.everywhere().items() if there}
    if cause.end:
        cause.end(cast, post)
        assert set(carla.by_its_address().values()) == {True}
        assert {carla.in_the_feed(), carla.on_today()} == {cause.feed_too}


def test_what_staff_have_hidden_its_cook_does_not_see_either(cast: Cast, api: Api, browse: Browse) -> None:
    post = PostFactory(author=cast.ana, text=TEXT)
    ana = Viewer(api(cast.ana), browse(cast.ana), post)
    assert set(ana.everywhere().values()) == {True}
    hide_post(post_id=post.pk)
    assert set(ana.everywhere().values()) == {False}
    restore_post(post_id=post.pk)
    assert set(ana.everywhere().values()) == {True}


def test_visitors_see_no_menu_of_a_private_or_hidden_kind(cast: Cast, browse: Browse) -> None:
    post, visitor = PostFactory(author=cast.ana, text=TEXT), browse(None)

    def seen() -> set[bool]:
        return {
            TEXT in visitor.get(address).content.decode() for address in (f"/menus/{post.pk}", "/@ana", "/")
        }

    assert seen() == {True}
    hide_post(post_id=post.pk)
    assert seen() == {False}
    restore_post(post_id=post.pk)
    change_ana(cast, is_private=True)
    assert seen() == {False}
    change_ana(cast, is_private=False)
    assert seen() == {True}
