"""What the API's document says of the calls of this app."""

from rest_framework import serializers

from feeds.api import ORDERS, Feed, FeedSeen, FeedUpdates, SeenSerializer
from feeds.ranking.rankers import current_ranker
from posts.api.document import MENU
from posts.api.objects import Post
from social.describing import CURSOR, FLAG, NEXT, PAGING, Answer, Call, Parameter, Shown, or_null

REFRESH = "RmG0yq8b1Cw3dI5hgMCW4PTVRw"
SINCE = "The `refresh_cursor` of a page."


FACTOR = {"type": "number", "minimum": 0}


class Ranking(serializers.Serializer):
    score = Shown(FACTOR, "The product of the parts.")
    parts = Shown(
        {"type": "object", "additionalProperties": FACTOR},
        "By name, each a factor: 1 makes no difference. Of this installation: "
        f"{', '.join(f'`{part}`' for part in current_ranker().parts)}.",
    )
    lifted = Shown(FLAG, "It stands higher than its score, since its cook seldom posts.")
    origin = Shown({"type": "string"}, "What brought it: `followed`, or a source of recommendations.")


class FeedPost(Post):
    ranking = Ranking(required=False, help_text="With `order=ranked` and `explain=1` only.")


class FeedPage(serializers.Serializer):
    posts = FeedPost(many=True, read_only=True)
    next_cursor = Shown(or_null(CURSOR), NEXT)
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
        " that cursor was given; `since` and `cursor` together page through that, newest first in either order.\n\n"
        "With `order=ranked` the menus of the last days in an order of your own: made when the first page is asked"
        " for, kept a quarter of an hour, paged through by cursor. What is out of sight by then is left out, what is"
        " new is not in it: `refresh_cursor` tells of that. When it is no longer kept its cursors answer 410; begin"
        " again without a cursor.",
        answers=(
            Answer(
                200,
                FeedPage,
                "A page of the feed.",
                {"posts": [MENU], "next_cursor": None, "refresh_cursor": REFRESH, "degraded": False},
            ),
        ),
        parameters=(
            *PAGING,
            Parameter("since", CURSOR, SINCE),
            Parameter(
                "order", {"type": "string", "enum": list(ORDERS), "default": ORDERS[0]}, "In which order."
            ),
            Parameter(
                "explain",
                {"type": "string", "enum": ["0", "1"]},
                "1: with why each menu of the ranked order stands where it does.",
            ),
        ),
        refusals=("snapshot_expired",),
    ),
    (FeedUpdates, "GET"): Call(
        "count_updates",
        "Feed",
        "How many menus are new",
        answers=(Answer(200, UpdateCount, "The count.", {"count": 3, "capped": False}),),
        parameters=(Parameter("since", CURSOR, SINCE, required=True),),
        refusals=("invalid_cursor",),
    ),
    (FeedSeen, "POST"): Call(
        "note_seen",
        "Feed",
        "Say which menus were in sight",
        "For the ranked order, in which what was seen stands lower, and for how often menus are opened by those who"
        " see them. Ids that are no menus of others are left out without a word.",
        takes=SeenSerializer,
        example={"post_ids": [MENU["id"]]},
        answers=(Answer(204, meaning="Noted; remembered within seconds."),),
        limited=True,
    ),
}
