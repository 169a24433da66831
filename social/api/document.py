"""What the API's document says of the calls of this app."""

from typing import Any

from social.api.accounts import SEARCHED, Accounts, Me, ProfileSerializer, SignUpSerializer, SingleAccount
from social.api.lists import Blocked, Followers, Following, FollowRequests, Muted
from social.api.objects import Account, AccountPage, FollowState, OwnAccount, RequestPage, TokenPair
from social.api.relations import Blocks, FollowRequest, Follows, Mutes, MuteSerializer, RemovedFollower
from social.api.signing_in import Refresh, RefreshSerializer, SignIn, SignInSerializer, SignOut
from social.describing import PAGING, Answer, Call, Parameter
from social.text import STORABLE

NO_RELATION = dict.fromkeys(("following", "requested", "followed_by", "blocking", "muting"), False)
LINA: dict[str, Any] = {
    "id": 51,
    "username": "lina",
    "display_name": "Lina",
    "bio": "Soups and stews, from what the market has.",
    "city": "Porto",
    "cuisine": "Portuguese",
    "avatar_url": None,
    "order_url": "https://example.org/order",
    "is_cook": True,
    "is_private": False,
    "follower_count": 240,
    "following_count": 3,
    "relation": NO_RELATION | {"following": True},
}
OWN = LINA | {
    "email": "lina@example.org",
    "time_zone": "Europe/Lisbon",
    "language": "en",
    "relation": NO_RELATION,
}
PAIR = {"access": "eyJhbGciOi…", "refresh": "eyJhbGciOi…"}
ACCOUNTS = {"accounts": [LINA], "next_cursor": None}
REQUESTS = {
    "requests": [{"id": 51, "account": LINA, "created_at": "2026-05-31T09:30:00.000Z"}],
    "next_cursor": "Wn6PqJ0Ff0n2mJm5Ag",
}


def _searched(name: str, meaning: str, example: str) -> Parameter:
    schema = {"type": "string", "maxLength": SEARCHED[name], "pattern": STORABLE}
    return Parameter(name, schema, meaning, example=example)


def _page_of_accounts(name: str, summary: str, meaning: str = "", *refusals: str) -> Call:
    return Call(
        name,
        "Relations",
        summary,
        meaning,
        answers=(Answer(200, AccountPage, "A page, newest first.", ACCOUNTS),),
        parameters=PAGING,
        refusals=refusals,
    )


def _change(name: str, summary: str, meaning: str = "", *refusals: str, **more: Any) -> Call:
    return Call(name, "Relations", summary, meaning, refusals=("not_found", *refusals), limited=True, **more)


CALLS: dict[tuple[type, str], Call] = {
    (Accounts, "POST"): Call(
        "sign_up",
        "Accounts",
        "Sign up",
        "Makes an account. Capital letters of the username become small ones. Beyond what the fields say, the"
        " username must be free, and the password neither a common one nor like the other fields.",
        answers=(Answer(201, Account, "The account.", LINA | {"relation": NO_RELATION}),),
        takes=SignUpSerializer,
        example={"username": "lina", "password": "stew-for-seven", "display_name": "Lina", "is_cook": True},
        signed_in=False,
        limited=True,
    ),
    (Accounts, "GET"): Call(
        "find_accounts",
        "Accounts",
        "Search for accounts",
        "Newest first. What is given must all match.",
        answers=(Answer(200, AccountPage, "A page of accounts.", ACCOUNTS),),
        parameters=(
            _searched("username", "The whole name, in any case.", "lina"),
            _searched("q", "Words, each anywhere in name, city or cuisine.", "soup porto"),
            _searched("city", "The whole city, in any case.", "Porto"),
            _searched("cuisine", "The whole cuisine, in any case.", "Portuguese"),
            *PAGING,
        ),
    ),
    (SingleAccount, "GET"): Call(
        "get_account",
        "Accounts",
        "Read an account",
        "Also of a private one; its menus and lists are another matter.",
        answers=(Answer(200, Account, "The account.", LINA),),
        refusals=("not_found",),
    ),
    (Me, "GET"): Call(
        "get_me",
        "Accounts",
        "Read one's own account",
        answers=(Answer(200, OwnAccount, "The account, with what nobody else sees.", OWN),),
    ),
    (Me, "PATCH"): Call(
        "change_me",
        "Accounts",
        "Change one's own account",
        "What is not given stays. Going public accepts all pending requests; going private keeps the followers.",
        answers=(Answer(200, OwnAccount, "The account, changed.", OWN),),
        takes=ProfileSerializer,
        body_optional=True,
        example={"city": "Porto", "cuisine": "Portuguese", "time_zone": "Europe/Lisbon"},
        limited=True,
    ),
    (Me, "DELETE"): Call(
        "delete_me",
        "Accounts",
        "Delete one's own account",
        "For good: gone for everybody at once, erased in the background. All tokens end.",
        answers=(Answer(204, meaning="Gone."),),
        limited=True,
    ),
    (SignIn, "POST"): Call(
        "sign_in",
        "Signing in",
        "Sign in",
        "A wrong name and a wrong password are answered alike: 401.",
        answers=(Answer(200, TokenPair, "Two tokens.", PAIR),),
        takes=SignInSerializer,
        example={"username": "lina", "password": "stew-for-seven"},
        refusals=("not_authenticated",),
        signed_in=False,
        limited=True,
    ),
    (Refresh, "POST"): Call(
        "refresh",
        "Signing in",
        "Refresh the tokens",
        "A new pair for a refresh token, which can be used once. One that is used again has been copied: then its"
        " whole sign-in ends, the newest refresh token too.",
        answers=(Answer(200, TokenPair, "Two new tokens.", PAIR),),
        takes=RefreshSerializer,
        example={"refresh": "eyJhbGciOi…"},
        refusals=("not_authenticated",),
        signed_in=False,
        limited=True,
    ),
    (SignOut, "POST"): Call(
        "sign_out",
        "Signing in",
        "Sign out",
        "Ends the sign-in that a refresh token is of. Its access token lives on for at most 15 minutes: forget it."
        " One that has expired, or whose sign-in has ended, is fine.",
        answers=(Answer(204, meaning="Signed out."),),
        takes=RefreshSerializer,
        example={"refresh": "eyJhbGciOi…"},
        refusals=("not_authenticated",),
        signed_in=False,
        limited=True,
    ),
    (Followers, "GET"): _page_of_accounts(
        "get_followers",
        "Who follows an account",
        "Of a private account for its followers only; for others it is not found.",
        "not_found",
    ),
    (Following, "GET"): _page_of_accounts(
        "get_following",
        "Whom an account follows",
        "Of a private account for its followers only; for others it is not found.",
        "not_found",
    ),
    (Blocked, "GET"): _page_of_accounts("get_blocks", "Whom one blocks"),
    (Muted, "GET"): _page_of_accounts("get_mutes", "Whom one mutes"),
    (FollowRequests, "GET"): Call(
        "get_follow_requests",
        "Relations",
        "Requests that one has received",
        answers=(Answer(200, RequestPage, "A page, newest first.", REQUESTS),),
        parameters=PAGING,
    ),
    (Follows, "PUT"): _change(
        "follow",
        "Follow an account",
        "A private account is asked. Whom one blocks one cannot follow.",
        "self_target",
        "forbidden",
        answers=(
            Answer(204, meaning="Followed, or followed before."),
            Answer(202, FollowState, "Asked: the account is private.", {"status": "requested"}),
        ),
    ),
    (Follows, "DELETE"): _change("unfollow", "Unfollow, or take back a request", "", "self_target"),
    (FollowRequest, "PUT"): _change("accept_request", "Accept a request", "", "self_target"),
    (FollowRequest, "DELETE"): _change("reject_request", "Reject a request", "", "self_target"),
    (RemovedFollower, "DELETE"): _change("remove_follower", "Remove a follower", "", "self_target"),
    (Blocks, "PUT"): _change(
        "block", "Block an account", "Ends follows and requests both ways.", "self_target"
    ),
    (Blocks, "DELETE"): _change("unblock", "Unblock an account", "Brings no follow back.", "self_target"),
    (Mutes, "PUT"): _change(
        "mute",
        "Mute an account",
        "Its menus are left out of the feed. Muting again replaces the end.",
        "self_target",
        takes=MuteSerializer,
        body_optional=True,
        example={"expires_in": 86400},
    ),
    (Mutes, "DELETE"): _change("unmute", "Unmute an account", "", "self_target"),
}
