"""What no schema can say, put into requests that are right otherwise: ids of what is there, cursors that are ours.

Half of the ids stay as they were drawn, and are mostly not there. Wrong requests stay as they are.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from rest_framework.test import APIClient
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation
from schemathesis.transport.serialization import Binary

from posts.models import Post
from social.authentication import token_pair
from social.models import Account
from tests.contract.world import World
from tests.factories import PASSWORD, picture


def fill(world: World, case: Case) -> None:
    """Change a case before it is sent."""
    if _is_right(case, ParameterLocation.PATH):
        _fill_path(world, case)
    if _is_right(case, ParameterLocation.QUERY):
        _fill_query(world, case)
    if isinstance(case.body, dict) and _is_right(case, ParameterLocation.BODY):
        filled = BODIES.get(_name_of(case))
        if filled:
            case.body = filled(world, dict(case.body))


@contextmanager
def real_picture(case: Case) -> Iterator[None]:
    """An upload that is right otherwise has a picture in it while it is sent. Its bytes are no JSON, so that the case
    would be taken for a wrong one if they stayed."""
    if (
        _name_of(case) != "upload"
        or not isinstance(case.body, dict)
        or not _is_right(case, ParameterLocation.BODY)
    ):
        yield
        return
    before = case.body
    case.body = before | {"file": Binary(picture())}
    try:
        yield
    finally:
        case.body = before


def _name_of(case: Case) -> str:
    return str(case.operation.definition.raw["operationId"])


def _is_right(case: Case, place: ParameterLocation) -> bool:
    return case.meta is None or not case.meta.is_negative_at(place)


def _fill_path(world: World, case: Case) -> None:
    for name, drawn in (case.path_parameters or {}).items():
        if name == "account_id":
            choices, there = ids_for(world, _name_of(case)), Account.objects.filter(pk=drawn).exists()
        else:
            choices, there = posts_for(world, _name_of(case)), Post.objects.filter(pk=drawn).exists()
        if there or int(drawn) % 2:
            case.path_parameters[name] = choices[int(drawn) // 2 % len(choices)]


def ids_for(world: World, call: str) -> list[int]:
    """Accounts with which a call can succeed; never oneself, whom most refuse."""
    asking = {"accept_request": world.asking, "reject_request": world.asking}
    chosen = asking.get(call)
    return [chosen.pk] if chosen else [world.public.pk, world.followed.pk, world.follower.pk, world.muted.pk]


def posts_for(world: World, call: str) -> list[int]:
    if call in {"edit_post", "delete_post"}:
        return [world.own.pk]
    if call == "report":  # which one's own refuses
        return [world.liked.pk, world.other.pk]
    return [world.own.pk, world.liked.pk, world.other.pk]


def _fill_query(world: World, case: Case) -> None:
    query = case.query or {}
    if "since" in query:
        query["since"] = feed_page(world)["refresh_cursor"]
        query.pop("cursor", None)  # of the same walk only
    if "cursor" in query:
        found = page_for(world, case)
        if found is None:
            del query["cursor"]
        else:
            query["cursor"] = found


def page_for(world: World, case: Case) -> str | None:
    """The cursor of a second page of the same list, where there is one."""
    address = case.path.format(**(case.path_parameters or {}))
    cursor: str | None = _client(world).get(address, {"limit": 1}).json().get("next_cursor")
    return cursor


def feed_page(world: World) -> dict[str, Any]:
    page: dict[str, Any] = _client(world).get("/api/v1/feed").json()
    return page


def _client(world: World) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {world.token()}")
    return client


def _new_account(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Neither a name that is taken nor a password that is common or like the name."""
    known = ("username", "email", "display_name")
    account = Account(**{name: body[name] for name in known if name in body})
    if Account.objects.filter(username=body["username"].lower()).exists():
        body["username"] = f"{body['username'][:20]}9x"
    try:
        validate_password(body["password"], account)
    except ValidationError:
        body["password"] = PASSWORD
    return body


def _known_account(world: World, body: dict[str, Any]) -> dict[str, Any]:
    return body | {"username": world.ana.username, "password": PASSWORD}


def _own_refresh_token(world: World, body: dict[str, Any]) -> dict[str, Any]:
    world.changed = True
    return body | {"refresh": token_pair(world.ana)["refresh"]}


def _own_photos(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """The one there is, at most once."""
    return body | ({"media_ids": [world.photo.pk][: len(body["media_ids"])]} if "media_ids" in body else {})


def _own_avatar(world: World, body: dict[str, Any]) -> dict[str, Any]:
    return body | ({"avatar_media_id": world.photo.pk} if body.get("avatar_media_id") else {})


def _known_dishes(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Each dish of the menu at most once."""
    there = list(world.own.dishes.values_list("pk", flat=True))
    dishes = []
    for dish in body.get("dishes", []):
        dish = {name: value for name, value in dish.items() if name != "id"}
        if not {"name", "price"} <= dish.keys():
            if not there:
                continue
            dish["id"] = there.pop()
        dishes.append(dish)
    return _own_photos(world, body | ({"dishes": dishes} if "dishes" in body else {}))


BODIES: dict[str, Callable[[World, dict[str, Any]], dict[str, Any]]] = {
    "sign_up": _new_account,
    "sign_in": _known_account,
    "refresh": _own_refresh_token,
    "sign_out": _own_refresh_token,
    "change_me": _own_avatar,
    "publish": _own_photos,
    "edit_post": _known_dishes,
}
