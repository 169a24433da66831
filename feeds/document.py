"""What the API's document says of the calls of this app."""

from rest_framework import serializers

from feeds.api import Feed, FeedUpdates
from posts.api.document import MENU
from posts.api.objects import PostPage
from social.describing import CURSOR, FLAG, PAGING, Answer, Call, Parameter, Shown

REFRESH = "RmG0yq8b1Cw3dI5hgMCW4PTVRw"
SINCE = "The `refresh_cursor` of a page."


class FeedPage(PostPage):
    refresh_cursor = Shown(CURSOR, "What was visible at this moment, for `since`. Keep the newest one.")
    degraded = Shown(FLAG, "A part is away: the page may lack posts. Walking on yields them.")


class UpdateCount(serializers.Serializer):
    count = Shown({"type": "integer", "minimum": 0, "maximum": 99})
    capped = Shown(FLAG, "There are more than were counted.")


CALLS: dict[tuple[type, str], Call] = {
    (Feed, "GET"): Call(
        "read_feed",
        "Feed",
        "Today's menus",
        "One's own menus and those of whom one follows, newest first. With `since` only what was not visible when"
        " that cursor was given; `since` and `cursor` together page through that.",
        answers=(
            Answer(
                200,
                FeedPage,
                "A page of the feed.",
                {"posts": [MENU], "next_cursor": None, "refresh_cursor": REFRESH, "degraded": False},
            ),
        ),
        parameters=(*PAGING, Parameter("since", CURSOR, SINCE)),
    ),
    (FeedUpdates, "GET"): Call(
        "count_updates",
        "Feed",
        "How many menus are new",
        answers=(Answer(200, UpdateCount, "The count.", {"count": 3, "capped": False}),),
        parameters=(Parameter("since", CURSOR, SINCE, required=True),),
        refusals=("invalid_cursor",),
    ),
}
