"""What the API's document says of the calls of this app."""

from typing import Any

from posts.api.media import Media, MediaSerializer
from posts.api.menus import AccountPosts, EditSerializer, Likes, MenuSerializer, Posts, SinglePost
from posts.api.objects import Photo, Post, PostPage, PublishedPost
from posts.api.reports import Reports, ReportSerializer
from social.describing import PAGING, Answer, Call, Parameter
from social.text import VISIBLE

SOUP: dict[str, Any] = {
    "id": 6,
    "name": "Lentil soup",
    "price": "6.50",
    "currency": "EUR",
    "tags": ["vegan"],
    "sold_out": False,
}
MENU: dict[str, Any] = {
    "id": 312442109952001,
    "author": {"id": 51, "username": "lina", "display_name": "Lina", "avatar_url": None, "city": "Porto"},
    "text": "Ready at noon.",
    "day": "2026-05-31",
    "dishes": [SOUP],
    "photos": [],
    "created_at": "2026-05-31T09:30:00.000Z",
    "edited_at": None,
    "like_count": 12,
    "liked": True,
}
PUBLISHED = {"post_id": MENU["id"]} | MENU | {"liked": False, "like_count": 0}
PHOTO = {
    "media_id": 17,
    "url": "",
    "srcset": "",
    "alt": "Lentil soup in a blue bowl",
    "width": 1600,
    "height": 1200,
    "placeholder": "#a4683c",
    "state": "processing",
}
NEW_MENU = {
    "text": "Ready at noon.",
    "dishes": [{"name": "Lentil soup", "price": "6.50", "tags": ["vegan"]}],
}
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    "A word of your own for this call, kept for 24 hours. Sent again with the same body it gets the first answer"
    " again; with another body it is 422, and 409 while the first is still running.",
    place="header",
    example="6f1c2b1e-menu-of-today",
)
# A menu has something to say.
_A_TEXT = {"properties": {"text": {"pattern": VISIBLE}}, "required": ["text"]}
_A_DISH = {"properties": {"dishes": {"minItems": 1}}, "required": ["dishes"]}
_ONCE = {"uniqueItems": True}
_OLD_OR_NEW = {"anyOf": [{"required": ["id"]}, {"required": ["name", "price"]}]}
_NO_TEXT, _NO_DISHES = {"not": {"required": ["text"]}}, {"not": {"required": ["dishes"]}}

CALLS: dict[tuple[type, str], Call] = {
    (Posts, "POST"): Call(
        "publish",
        "Menus",
        "Publish a menu",
        "For cooks. It needs a text or a dish. When this is answered, the menu is in the feed of every follower.",
        answers=(
            Answer(
                201,
                PublishedPost,
                "The menu.",
                {"post_id": MENU["id"], **MENU, "liked": False, "like_count": 0},
            ),
        ),
        takes=MenuSerializer,
        takes_more={"properties": {"media_ids": _ONCE}, "anyOf": [_A_TEXT, _A_DISH]},
        example=NEW_MENU,
        parameters=(IDEMPOTENCY_KEY,),
        refusals=("not_a_cook", "idempotency_mismatch", "idempotency_running"),
        limited=True,
    ),
    (Media, "POST"): Call(
        "upload",
        "Menus",
        "Upload a photo",
        "A JPEG, PNG, WebP or GIF, told by its content, up to 10 MB and 50 million pixels; of one that moves the"
        " first picture. Its sizes are made in a moment: until then `url` is empty. The menu that shows it says when"
        " its `state` is `ready`. What no menu takes within a day is deleted.",
        answers=(Answer(201, Photo, "The photo, to be named in `media_ids` of a menu.", PHOTO),),
        takes=MediaSerializer,
        media_type="multipart/form-data",
        example={"file": "(the bytes of the photo)", "alt": "Lentil soup in a blue bowl"},
        parameters=(IDEMPOTENCY_KEY,),
        refusals=("too_large", "idempotency_mismatch", "idempotency_running"),
        limited=True,
    ),
    (SinglePost, "GET"): Call(
        "get_post",
        "Menus",
        "Read a menu",
        answers=(Answer(200, Post, "The menu.", MENU),),
        refusals=("not_found",),
    ),
    (SinglePost, "PATCH"): Call(
        "edit_post",
        "Menus",
        "Edit one's own menu",
        "What is not given stays. `media_ids` replaces the photos; one that it does not name is deleted. `dishes`"
        " replaces the list, in its order: a dish with an `id` of this menu stays"
        " that dish, with those of its fields that are left out; one without is new; one that is not named goes. A"
        " text or a dish must remain.",
        answers=(Answer(200, Post, "The menu, edited.", MENU | {"edited_at": "2026-05-31T10:00:00.000Z"}),),
        takes=EditSerializer,
        body_optional=True,
        takes_more={
            "properties": {"dishes": {"items": _OLD_OR_NEW}, "media_ids": _ONCE},
            "anyOf": [_A_TEXT, _A_DISH, _NO_TEXT, _NO_DISHES],
        },
        example={"dishes": [{"id": 6, "sold_out": True}, {"name": "Corn bread", "price": "2.20"}]},
        refusals=("not_found", "forbidden"),
        limited=True,
    ),
    (SinglePost, "DELETE"): Call(
        "delete_post",
        "Menus",
        "Delete one's own menu",
        "For good. The second time it is not found.",
        answers=(Answer(204, meaning="Deleted."),),
        refusals=("not_found", "forbidden"),
        limited=True,
    ),
    (Likes, "PUT"): Call("like", "Menus", "Like a menu", refusals=("not_found",), limited=True),
    (Likes, "DELETE"): Call(
        "unlike",
        "Menus",
        "Take a like back",
        "Also from a menu that one no longer sees.",
        refusals=("not_found",),
        limited=True,
    ),
    (Reports, "POST"): Call(
        "report",
        "Menus",
        "Report a menu",
        "Tells staff what is wrong with it; its cook is not told. A repeat replaces the reason. One's own menu is"
        " refused (403): edit or delete it.",
        answers=(Answer(204, meaning="Staff will look at it."),),
        takes=ReportSerializer,
        example={"reason": "The photo is not of food."},
        refusals=("not_found", "forbidden"),
        limited=True,
    ),
    (AccountPosts, "GET"): Call(
        "get_posts_of_account",
        "Menus",
        "Menus of an account",
        "Those that one may see, newest first; none of a private account that one does not follow.",
        answers=(Answer(200, PostPage, "A page of menus.", {"posts": [MENU], "next_cursor": None}),),
        parameters=PAGING,
        refusals=("not_found",),
    ),
}
