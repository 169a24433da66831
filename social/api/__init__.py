"""JSON: accounts, sign-in, and what lies between two accounts. Views are doors: validate, call, answer."""

from social.api.accounts import Accounts, Me, SingleAccount
from social.api.answers import PRIVATE, signed_in
from social.api.fields import CleanTextField
from social.api.lists import Blocked, Followers, Following, FollowRequests, Muted
from social.api.relations import Blocks, FollowRequest, Follows, Mutes, RemovedFollower
from social.api.signing_in import Refresh, SignIn, SignOut

__all__ = [
    "PRIVATE",
    "Accounts",
    "Blocked",
    "Blocks",
    "CleanTextField",
    "FollowRequest",
    "FollowRequests",
    "Followers",
    "Following",
    "Follows",
    "Me",
    "Muted",
    "Mutes",
    "Refresh",
    "RemovedFollower",
    "SignIn",
    "SignOut",
    "SingleAccount",
    "signed_in",
]
