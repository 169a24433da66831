"""Writes to accounts and to what lies between two of them.

All are safe to repeat and safe in parallel: the database holds the rules, and a violation becomes the refusal that
says it in words. What follows from a change is announced by the models' own signals.
"""

from social.services.accounts import create_account, update_account
from social.services.blocks import block_account, unblock_account
from social.services.emails import change_email
from social.services.follows import FollowState, follow_account, remove_follower, unfollow_account
from social.services.lifecycle import (
    deactivate_account,
    erase_account,
    reactivate_account,
    restore_account,
    suspend_account,
)
from social.services.mutes import mute_account, unmute_account
from social.services.passwords import change_password, sign_out_everywhere
from social.services.requests import accept_request, reject_request
from social.services.token_families import (
    begin_token_family,
    end_token_family,
    prune_token_families,
    rotate_token_family,
)

__all__ = [
    "FollowState",
    "accept_request",
    "begin_token_family",
    "block_account",
    "change_email",
    "change_password",
    "create_account",
    "deactivate_account",
    "end_token_family",
    "erase_account",
    "follow_account",
    "mute_account",
    "prune_token_families",
    "reactivate_account",
    "reject_request",
    "remove_follower",
    "restore_account",
    "rotate_token_family",
    "sign_out_everywhere",
    "suspend_account",
    "unblock_account",
    "unfollow_account",
    "unmute_account",
    "update_account",
]
