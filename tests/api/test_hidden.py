"""What may not be seen is on no surface, from the next request on; and back on each when the cause ends.

Rows are the causes for which carla does not see what ana wrote (CAUSES), columns the addresses of the API and of the
pages (SURFACES), grouped by what they show. Whoever adds an address puts it into the columns, or says in ELSEWHERE
why it shows nobody else's menu and no account.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from feeds.ranking import snapshot
from feeds.ranking.serving import read_ranked
from posts.models import Post
from posts.services import delete_post, hide_post, restore_post
from social import services
from social.erasing import erase_marked_accounts
from social.models import Account, Block, Follow, FollowRequest, Mute
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
TEXT = "Only for those who may."
HTMX = {"HTTP_HX_REQUEST": "true"}


@dataclass(frozen=True)
class World:
    """carla (or whoever is `viewer`) and her ways to ana's menu, above which is one of maria's."""

    cast: Cast
    viewer: Account
    api: APIClient
    pages: Client
    visitor: Client
    post: Post
    guest: Account  # follows ana
    since: str  # a refresh cursor of before the menu
    below: str  # a cursor of the page that begins with the menu
    ranked: str  # a cursor of the first page of a ranked list with the menu

    def fill(self, route: str, **others: object) -> str:
        """The address of a route, about ana and her menu."""
        ana, dish = self.cast.ana, self.post.dishes.first()
        names = {"account_id": ana.pk, "username": ana.username, "post_id": self.post.pk}
        names |= {"dish_id": dish.pk if dish else 1} | others
        return "/" + re.sub(r"<\w+:(\w+)>", lambda part: str(names[part[1]]), route.lstrip("/"))


@contextmanager
def nothing_stays() -> Iterator[None]:
    """Asks what a write would be answered; it is rolled back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# --- Columns: what may show ana's menu, or ana -----------------------------------------------------------------

Seen = Callable[[World], bool]
SURFACES: dict[str, dict[str, Seen]] = {}  # group -> "METHOD route (variant)" -> is it seen there?


def surface(group: str, name: str) -> Callable[[Seen], Seen]:
    def register(seen: Seen) -> Seen:
        assert name not in SURFACES.setdefault(group, {})
        SURFACES[group][name] = seen
        return seen

    return register


def answers(
    group: str,
    name: str,
    *statuses: int,
    body: dict[str, Any] | None = None,
    alone: bool = False,
    **headers: str,
) -> None:
    """A column that is one of `statuses` when it is seen, and 404 when not. `alone`: of what there is to undo between
    the two nothing is left, since undoing is allowed out of sight too."""
    method, route = name.split(" ")[:2]
    in_api = route.startswith("api/")

    @surface(group, name)
    def seen(world: World) -> bool:
        call = getattr(world.api if in_api else world.pages, method.lower())
        with nothing_stays():
            if alone:
                leave_nothing_between(world.viewer, world.cast.ana)
            response = call(world.fill(route), body, **({"format": "json"} if in_api else headers))
        assert response.status_code in (*statuses, 404), f"{name}: {response.status_code}"
        return bool(response.status_code != 404)


def leave_nothing_between(viewer: Account, ana: Account) -> None:
    pair = [viewer.pk, ana.pk]
    for rows in (Follow, FollowRequest):
        rows.objects.filter(follower__in=pair, followee__in=pair).delete()
    Mute.objects.filter(muter=viewer).delete()


def holds(
    group: str,
    name: str,
    words: str,
    *,
    query: dict[str, str] | None = None,
    htmx: bool = False,
    visitor: bool = False,
    **names: str,
) -> None:
    """A page that has `words` in it when it is seen. `visitor`: by somebody signed out. `names`: others than ana's in
    its address."""
    route = name.split(" ")[1]

    @surface(group, name)
    def seen(world: World) -> bool:
        client = world.visitor if visitor else world.pages
        page = client.get(world.fill(route, **names), query, **(HTMX if htmx else {}))
        assert page.status_code in (200, 404), f"{name}: {page.status_code}"
        return words in page.content.decode()


def lists(group: str, name: str, of: str, *, about: Callable[[World], Account] | None = None) -> None:
    """A list of the API that has ana in it when it is seen; `about` says whose it is, where it is somebody's."""
    route = name.split(" ")[1]

    @surface(group, name)
    def seen(world: World) -> bool:
        address = world.fill(route, **({"account_id": about(world).pk} if about else {}))
        body = world.api.get(address).json()
        lines = [line.get("account", line)["id"] for line in body.get(of, [])]
        return world.cast.ana.pk in lines


def in_posts(response: Any, world: World) -> bool:
    return world.post.pk in [post["id"] for post in response.json().get("posts", [])]


# The menu, by its address and among hers.
MENU = "menu"
answers(MENU, "GET api/v1/posts/<id:post_id>", 200)
answers(MENU, "PATCH api/v1/posts/<id:post_id>", 403, 200, body={"text": "Mine."})
answers(MENU, "DELETE api/v1/posts/<id:post_id>", 403, 204)
answers(MENU, "PUT api/v1/posts/<id:post_id>/like", 204)
answers(MENU, "DELETE api/v1/posts/<id:post_id>/like", 204)
answers(MENU, "POST api/v1/posts/<id:post_id>/report", 204, 403, body={"reason": "Cold."})
answers(MENU, "GET menus/<int:post_id>/edit", 403, 200)
answers(MENU, "POST menus/<int:post_id>/edit", 403, 302, body={"text": "Mine."})
answers(MENU, "POST menus/<int:post_id>/delete", 403, 302)
answers(MENU, "GET menus/<int:post_id>/photos", 403, 302)
answers(MENU, "POST menus/<int:post_id>/like", 302)
answers(MENU, "POST menus/<int:post_id>/like (htmx)", 200, **HTMX)
answers(MENU, "POST menus/<int:post_id>/unlike", 302)
answers(MENU, "POST menus/<int:post_id>/report", 302, 403, body={"reason": "Cold."})
answers(MENU, "POST menus/<int:post_id>/dishes/<int:dish_id>/sold-out", 403, 302)
holds(MENU, "GET menus/<int:post_id>", TEXT)
holds(MENU, "GET @<str:username>", TEXT)
holds(MENU, "GET @<str:username> (htmx)", TEXT, query={"before": "9" * 15}, htmx=True)


@surface(MENU, "GET api/v1/accounts/<id:account_id>/posts")
def _(world: World) -> bool:
    return in_posts(world.api.get(world.fill("api/v1/accounts/<id:account_id>/posts")), world)


# The viewer's feed.
FEED = "feed"


@surface(FEED, "GET api/v1/feed")
def _(world: World) -> bool:
    return in_posts(world.api.get("/api/v1/feed"), world)


@surface(FEED, "GET api/v1/feed (an older page)")
def _(world: World) -> bool:
    return in_posts(world.api.get("/api/v1/feed", {"cursor": world.below}), world)


@surface(FEED, "GET api/v1/feed (since)")
def _(world: World) -> bool:
    return in_posts(world.api.get("/api/v1/feed", {"since": world.since}), world)


@surface(FEED, "GET api/v1/feed (ranked)")
def _(world: World) -> bool:
    return in_posts(world.api.get("/api/v1/feed", {"order": "ranked"}), world)


@surface(FEED, "GET api/v1/feed (ranked before)")
def _(world: World) -> bool:
    return in_posts(world.api.get("/api/v1/feed", {"order": "ranked", "cursor": world.ranked}), world)


@surface(FEED, "GET api/v1/feed/updates")
def _(world: World) -> bool:
    count = world.api.get("/api/v1/feed/updates", {"since": world.since}).json()["count"]
    assert count in (1, 2)  # maria's is always new
    return bool(count == 2)


@surface(FEED, "GET / (home)")
def _(world: World) -> bool:
    return TEXT in world.pages.get("/").content.decode()


@surface(FEED, "GET / (home, htmx)")
def _(world: World) -> bool:
    return TEXT in world.pages.get("/", {"cursor": world.below}, **HTMX).content.decode()


@surface(FEED, "GET / (home, ranked)")
def _(world: World) -> bool:
    return TEXT in world.pages.get("/", {"order": "ranked"}).content.decode()


@surface(FEED, "GET / (home, ranked before)")
def _(world: World) -> bool:
    query = {"order": "ranked", "cursor": world.ranked}
    return TEXT in world.pages.get("/", query, **HTMX).content.decode()


# The account itself, and what one does to it.
ACCOUNT = "account"
answers(ACCOUNT, "GET api/v1/accounts/<id:account_id>", 200)
lists(ACCOUNT, "GET api/v1/accounts", "accounts")
answers(ACCOUNT, "PUT api/v1/follows/<id:account_id>", 204, 202, 403)
answers(ACCOUNT, "DELETE api/v1/follows/<id:account_id>", 204, alone=True)
answers(ACCOUNT, "DELETE api/v1/followers/<id:account_id>", 204, alone=True)
answers(ACCOUNT, "DELETE api/v1/follow-requests/<id:account_id>", 204, alone=True)
answers(ACCOUNT, "PUT api/v1/mutes/<id:account_id>", 204)
answers(ACCOUNT, "DELETE api/v1/mutes/<id:account_id>", 204, alone=True)
answers(ACCOUNT, "PUT api/v1/blocks/<id:account_id>", 204)
answers(ACCOUNT, "DELETE api/v1/blocks/<id:account_id>", 204)
answers(ACCOUNT, "GET @<str:username>", 200)
answers(ACCOUNT, "POST @<str:username>/follow", 302, 403)
for press in ("unfollow", "mute", "unmute", "block", "unblock", "reject", "remove"):
    answers(ACCOUNT, f"POST @<str:username>/{press}", 302)


@surface(ACCOUNT, "GET api/v1/mutes")
def _(world: World) -> bool:
    with nothing_stays():
        Mute.objects.get_or_create(muter=world.viewer, muted=world.cast.ana)
        body = world.api.get("/api/v1/mutes").json()
    return world.cast.ana.pk in [account["id"] for account in body["accounts"]]


@surface(ACCOUNT, "GET api/v1/blocks")
def _(world: World) -> bool:
    with nothing_stays():
        Block.objects.get_or_create(blocker=world.viewer, blocked=world.cast.ana)
        body = world.api.get("/api/v1/blocks").json()
    return world.cast.ana.pk in [account["id"] for account in body["accounts"]]


# Whom she follows, and who follows her.
HER_LISTS = "her lists"
answers(HER_LISTS, "GET api/v1/accounts/<id:account_id>/followers", 200)
answers(HER_LISTS, "GET api/v1/accounts/<id:account_id>/following", 200)
answers(HER_LISTS, "GET @<str:username>/followers", 200)
answers(HER_LISTS, "GET @<str:username>/following", 200)

# Her in the lists of others.
LISTED = "listed"
lists(
    LISTED, "GET api/v1/accounts/<id:account_id>/followers", "accounts", about=lambda world: world.cast.maria
)
lists(LISTED, "GET api/v1/accounts/<id:account_id>/following", "accounts", about=lambda world: world.guest)
holds(LISTED, "GET @<str:username>/followers", 'href="/@ana"', username="maria")
holds(LISTED, "GET @<str:username>/following", 'href="/@ana"', username="guest")
holds(LISTED, "GET cooks/", 'href="/@ana"')
holds(LISTED, "GET cooks/ (pick)", 'href="/@ana"', query={"pick": "1"})
holds(LISTED, "GET cooks/ (city, htmx)", 'href="/@ana"', query={"city": "Porto"}, htmx=True)
holds(LISTED, "GET welcome/", "<bdi>Ana</bdi>")

# Her among those whom carla follows.
FOLLOWED = "followed"
lists(FOLLOWED, "GET api/v1/accounts/<id:account_id>/following", "accounts", about=lambda world: world.viewer)
holds(FOLLOWED, "GET @<str:username> (own)", 'href="/@ana"', username="carla")


@surface(FOLLOWED, "GET settings/data")
def _(world: World) -> bool:
    told = json.loads(b"".join(world.pages.get("/settings/data").streaming_content))
    return "ana" in [account["username"] for account in told["following"]]


# Her request to follow carla.
ASKING = "asking"
lists(ASKING, "GET api/v1/follow-requests", "requests")
answers(ASKING, "PUT api/v1/follow-requests/<id:account_id>", 204)
holds(ASKING, "GET requests/", 'href="/@ana"')
holds(ASKING, "GET requests/asking", "1 person asks")
answers(ASKING, "POST @<str:username>/accept", 302)

# Her menu, and her, for people who are not signed in.
VISITED = "visited menu"
holds(VISITED, "GET / (landing)", TEXT, visitor=True)
holds(VISITED, "GET menus/<int:post_id>", TEXT, visitor=True)
holds(VISITED, "GET @<str:username>", TEXT, visitor=True)
holds(VISITED, "GET @<str:username> (htmx)", TEXT, query={"before": "9" * 15}, htmx=True, visitor=True)
VISITED_COOK = "visited cook"
holds(VISITED_COOK, "GET / (landing)", 'href="/@ana"', visitor=True)
holds(VISITED_COOK, "GET @<str:username>", "<bdi>@ana</bdi>", visitor=True)
holds(VISITED_COOK, "GET cooks/", 'href="/@ana"', visitor=True)

ALL = set(SURFACES)

# Addresses that are no column, and why.
ELSEWHERE = {
    "makes something of one's own": {
        "POST api/v1/accounts", "POST api/v1/posts", "POST api/v1/media", "menus/new", "sign-up",
    },
    "about oneself": {
        "POST api/v1/feed/seen", "seen",
        "GET api/v1/me", "PATCH api/v1/me", "DELETE api/v1/me", "settings/", "settings/password",
        "settings/email", "settings/picture", "settings/picture/remove", "settings/sign-out-everywhere",
        "settings/deactivate", "settings/delete",
    },
    "signing in and out": {
        "POST api/v1/auth/token", "POST api/v1/auth/token/refresh", "POST api/v1/auth/sign-out", "sign-in",
        "sign-out", "reactivate", "password/", "password/asked", "password/<str:uidb64>/<str:token>",
    },
    "shows no data of anybody": {
        "GET api/schema", "GET api/docs", "livez", "readyz", "metrics", "favicon.ico", "theme", "language", "order",
    },
    "a picture, by a name that nobody can guess and that the menu alone tells": {"media/<path:name>"},
    "staff see everything": {"admin"},
}  # fmt: skip


# --- Rows: why carla does not see it, and how that ends --------------------------------------------------------


@dataclass(frozen=True)
class Cause:
    """`gone`: the groups of surfaces on which nothing is seen meanwhile; all others show it as before. `lost`: those
    that do not show it again when the cause has ended, since a follow or a request went with it."""

    begin: Callable[[Cast, Post], object]
    end: Callable[[Cast, Post], object] | None
    gone: set[str]
    lost: set[str] = field(default_factory=set)


def set_private(cast: Cast, value: bool) -> None:
    services.update_account(cast.ana.pk, is_private=value)


def go_private_and_be_left(cast: Cast, post: Post) -> None:
    set_private(cast, True)
    services.unfollow_account(follower=cast.carla, followee_id=cast.ana.pk)


def ask_and_be_accepted(cast: Cast, post: Post) -> None:
    services.follow_account(follower=cast.carla, followee_id=cast.ana.pk)
    services.accept_request(followee=cast.ana, follower_id=cast.carla.pk)


def go_private_and_remove(cast: Cast, post: Post) -> None:
    set_private(cast, True)
    services.remove_follower(followee=cast.ana, follower_id=cast.carla.pk)


def erase_to_the_end(cast: Cast, post: Post) -> None:
    assert erase_marked_accounts() == 1


CAUSES = {
    "hidden by staff": Cause(
        lambda cast, post: hide_post(post_id=post.pk),
        lambda cast, post: restore_post(post_id=post.pk),
        gone={MENU, FEED, VISITED},
    ),
    "deleted": Cause(
        lambda cast, post: delete_post(actor=cast.ana, post_id=post.pk), None, gone={MENU, FEED, VISITED}
    ),
    "blocked by the viewer": Cause(
        lambda cast, post: services.block_account(blocker=cast.carla, blocked_id=cast.ana.pk),
        lambda cast, post: services.unblock_account(blocker=cast.carla, blocked_id=cast.ana.pk),
        gone={MENU, FEED, HER_LISTS, LISTED, FOLLOWED, ASKING},  # not the account, which can be unblocked
        lost={FEED, FOLLOWED, ASKING},
    ),
    "blocking the viewer": Cause(
        lambda cast, post: services.block_account(blocker=cast.ana, blocked_id=cast.carla.pk),
        lambda cast, post: services.unblock_account(blocker=cast.ana, blocked_id=cast.carla.pk),
        gone={MENU, FEED, ACCOUNT, HER_LISTS, LISTED, FOLLOWED, ASKING},
        lost={FEED, FOLLOWED, ASKING},
    ),
    "private and not followed": Cause(
        go_private_and_be_left,
        ask_and_be_accepted,
        gone={MENU, FEED, HER_LISTS, FOLLOWED, VISITED},
        lost={VISITED},
    ),
    "private after removing the follower": Cause(
        go_private_and_remove,
        lambda cast, post: set_private(cast, False),
        gone={MENU, FEED, HER_LISTS, FOLLOWED, VISITED},
        lost={FEED, FOLLOWED},
    ),
    "private, and still followed": Cause(
        lambda cast, post: set_private(cast, True),
        lambda cast, post: set_private(cast, False),
        gone={VISITED},
    ),
    "its author deactivated": Cause(
        lambda cast, post: services.deactivate_account(cast.ana.pk),
        lambda cast, post: services.reactivate_account(cast.ana.pk),
        gone=ALL,
    ),
    "its author suspended": Cause(
        lambda cast, post: services.suspend_account(cast.ana.pk, by=cast.stef),
        lambda cast, post: services.restore_account(cast.ana.pk),
        gone=ALL,
    ),
    "its author erased": Cause(
        lambda cast, post: services.erase_account(cast.ana.pk), erase_to_the_end, gone=ALL, lost=ALL
    ),
    # These two empty the feed and hide nothing else.
    "unfollowed": Cause(
        lambda cast, post: services.unfollow_account(follower=cast.carla, followee_id=cast.ana.pk),
        lambda cast, post: services.follow_account(follower=cast.carla, followee_id=cast.ana.pk),
        gone={FEED, FOLLOWED},
    ),
    "muted": Cause(
        lambda cast, post: services.mute_account(muter=cast.carla, muted_id=cast.ana.pk),
        lambda cast, post: services.unmute_account(muter=cast.carla, muted_id=cast.ana.pk),
        gone={FEED},
    ),
}


@pytest.fixture(autouse=True)
def every_ranked_list_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table makes more of them than a viewer's last few."""
    monkeypatch.setattr(snapshot, "MOST_SNAPSHOTS", 100)


# --- The table -------------------------------------------------------------------------------------------------


def make_world(cast: Cast, api: Api, browse: Browse, viewer: Account) -> World:
    guest = AccountFactory(username="guest")
    FollowFactory(follower=guest, followee=cast.ana)
    FollowFactory(follower=cast.ana, followee=cast.maria)
    FollowRequest.objects.create(follower=cast.ana, followee=cast.carla)
    client = api(viewer)
    since = client.get("/api/v1/feed").json()["refresh_cursor"]
    post = PostFactory(author=cast.ana, text=TEXT)
    PostFactory(author=cast.maria)
    below = client.get("/api/v1/feed", {"limit": 1}).json()["next_cursor"]
    ranked = read_ranked(viewer.pk).top_cursor
    return World(cast, viewer, client, browse(viewer), browse(None), post, guest, since, below, ranked)


def assert_table(world: World, *, shown: Iterable[str] = (), hidden: Iterable[str] = ()) -> None:
    """On all surfaces of the groups `shown`, and on none of the groups `hidden`."""
    wanted = dict.fromkeys(shown, True) | dict.fromkeys(hidden, False)
    seen = {f"{group}: {name}": ask(world) for group in wanted for name, ask in SURFACES[group].items()}
    wrong = {name: there for name, there in seen.items() if there != wanted[name.partition(":")[0]]}
    assert wrong == {}


def assert_still_shown(world: World, groups: set[str]) -> None:
    """On the first surface of each: that little more than the right ones are hidden is soon seen."""
    assert [group for group in groups if not next(iter(SURFACES[group].values()))(world)] == []


def test_what_may_be_seen_is_on_every_surface(cast: Cast, api: Api, browse: Browse) -> None:
    assert_table(make_world(cast, api, browse, cast.carla), shown=ALL)


@pytest.mark.parametrize("name", CAUSES)
def test_what_is_out_of_sight_is_on_no_surface_until_it_is_on_all_again(
    cast: Cast, api: Api, browse: Browse, name: str
) -> None:
    world, cause = make_world(cast, api, browse, cast.carla), CAUSES[name]
    assert_table(world, shown={FEED})  # which is kept for the next reader; nothing else is
    cause.begin(cast, world.post)
    assert_table(world, hidden=cause.gone)
    assert_still_shown(world, ALL - cause.gone)
    if cause.end:
        cause.end(cast, world.post)
        assert_table(world, shown=cause.gone - cause.lost, hidden=cause.lost)


@pytest.mark.parametrize("name", CAUSES)
def test_the_same_of_feeds_that_were_stored_long_ago(
    cast: Cast, api: Api, browse: Browse, settle: Callable[[], None], name: str
) -> None:
    world, cause = make_world(cast, api, browse, cast.carla), CAUSES[name]
    settle()
    assert_feed(world, hidden=False)
    cause.begin(cast, world.post)
    assert_feed(world, hidden=FEED in cause.gone)
    settle()
    assert_feed(world, hidden=FEED in cause.gone)
    if cause.end:
        cause.end(cast, world.post)
        assert_feed(world, hidden=FEED in cause.lost)


def assert_feed(world: World, *, hidden: bool) -> None:
    assert_table(world, **{"hidden" if hidden else "shown": {FEED}})


def test_what_staff_have_hidden_its_cook_does_not_see_either(cast: Cast, api: Api, browse: Browse) -> None:
    world, hers = make_world(cast, api, browse, cast.ana), {MENU, FEED}
    assert_table(world, shown=hers)
    hide_post(post_id=world.post.pk)
    assert_table(world, hidden=hers)
    restore_post(post_id=world.post.pk)
    assert_table(world, shown=hers)


def addresses(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Of the whole site: "METHOD route" of the API, the route of a page, admin as one."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace == "admin":
                yield "admin"
            else:
                yield from addresses(pattern.url_patterns, before + str(pattern.pattern))
            continue
        assert isinstance(pattern, URLPattern)
        route = before + str(pattern.pattern) or "/"
        view = getattr(pattern.callback, "cls", None)
        methods = [m for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m)] if view else []
        yield from ([f"{method.upper()} {route}" for method in methods] if view else [route])


def test_every_address_is_in_the_table_or_says_why_not() -> None:
    there = set(addresses(get_resolver().url_patterns))
    columns = {name.partition(" (")[0] for group in SURFACES.values() for name in group}
    asked = {
        name if name.partition(" ")[2].startswith("api/") else name.partition(" ")[2] for name in columns
    }
    excepted = set().union(*ELSEWHERE.values())
    assert there - asked - excepted == set(), "put these into SURFACES or ELSEWHERE"
    assert (asked | excepted) - there == set(), "these are no addresses any more"
    assert asked & excepted == set()
