"""Follows, requests, blocks, mutes. Most pairs are viewer and cook."""

from typing import Any

from tests.stateful.actions.table import action
from tests.stateful.play import Play, Told


@action(weight=8)
def follow(play: Play) -> Told:
    viewer, cook = _pair(play)
    answer = play.call(viewer, "PUT", f"/follows/{cook}")
    if answer.status == 202:
        play.confirm(answer, _has("followrequest", "follower", "followee"), viewer, cook)
    else:
        play.confirm(answer, _has("follow", "follower", "followee"), viewer, cook)
    return _told(play, viewer, "follows", cook, answer)


@action(weight=5)
def unfollow(play: Play) -> Told:
    viewer, cook = _pair(play, "SELECT follower_id, followee_id FROM social_follow ORDER BY id")
    answer = play.call(viewer, "DELETE", f"/follows/{cook}")
    play.confirm(answer, "NOT " + _has("follow", "follower", "followee"), viewer, cook)
    play.confirm(answer, "NOT " + _has("followrequest", "follower", "followee"), viewer, cook)
    return _told(play, viewer, "unfollows", cook, answer)


@action(weight=4)
def accept(play: Play) -> Told:
    viewer, cook = _pair(play, "SELECT follower_id, followee_id FROM social_followrequest ORDER BY id")
    answer = play.call(cook, "PUT", f"/follow-requests/{viewer}")
    play.confirm(answer, _has("follow", "follower", "followee"), viewer, cook)
    return _told(play, cook, "accepts", viewer, answer)


@action(weight=2)
def reject(play: Play) -> Told:
    viewer, cook = _pair(play, "SELECT follower_id, followee_id FROM social_followrequest ORDER BY id")
    answer = play.call(cook, "DELETE", f"/follow-requests/{viewer}")
    play.confirm(answer, "NOT " + _has("followrequest", "follower", "followee"), viewer, cook)
    return _told(play, cook, "rejects", viewer, answer)


@action(weight=3)
def remove_follower(play: Play) -> Told:
    viewer, cook = _pair(play, "SELECT follower_id, followee_id FROM social_follow ORDER BY id")
    answer = play.call(cook, "DELETE", f"/followers/{viewer}")
    play.confirm(answer, "NOT " + _has("follow", "follower", "followee"), viewer, cook)
    return _told(play, cook, "removes the follower", viewer, answer)


@action(weight=2)
def block(play: Play) -> Told:
    blocker, blocked = _either_way(play, *_pair(play))
    answer = play.call(blocker, "PUT", f"/blocks/{blocked}")
    play.confirm(answer, _has("block", "blocker", "blocked"), blocker, blocked)
    for one, other in ((blocker, blocked), (blocked, blocker)):
        play.confirm(answer, "NOT " + _has("follow", "follower", "followee"), one, other)
        play.confirm(answer, "NOT " + _has("followrequest", "follower", "followee"), one, other)
    return _told(play, blocker, "blocks", blocked, answer)


@action(weight=3)
def unblock(play: Play) -> Told:
    blocker, blocked = _pair(play, "SELECT blocker_id, blocked_id FROM social_block ORDER BY id")
    answer = play.call(blocker, "DELETE", f"/blocks/{blocked}")
    play.confirm(answer, "NOT " + _has("block", "blocker", "blocked"), blocker, blocked)
    return _told(play, blocker, "unblocks", blocked, answer)


@action(weight=3)
def mute(play: Play) -> Told:
    return _mute(play, None)


@action(weight=3)
def mute_for_a_second(play: Play) -> Told:
    return _mute(play, {"expires_in": 1})


def _mute(play: Play, body: Any) -> Told:
    viewer, cook = _pair(play, "SELECT follower_id, followee_id FROM social_follow ORDER BY id")
    answer = play.call(viewer, "PUT", f"/mutes/{cook}", body)
    play.confirm(answer, _has("mute", "muter", "muted"), viewer, cook)
    return _told(play, viewer, "mutes", cook, answer)


@action(weight=3)
def unmute(play: Play) -> Told:
    viewer, cook = _pair(play, "SELECT muter_id, muted_id FROM social_mute ORDER BY id")
    answer = play.call(viewer, "DELETE", f"/mutes/{cook}")
    play.confirm(answer, "NOT " + _has("mute", "muter", "muted"), viewer, cook)
    return _told(play, viewer, "unmutes", cook, answer)


def _pair(play: Play, existing: str = "") -> tuple[int, int]:
    """Mostly one of the `existing` pairs, else any viewer and another cook."""
    rows = play.sql(existing) if existing and play.dice.random() < 0.9 else []
    if rows:
        return play.dice.choice(rows)
    viewer = play.a_viewer()
    return viewer, play.a_cook(but=viewer)


def _either_way(play: Play, one: int, other: int) -> tuple[int, int]:
    return (one, other) if play.dice.random() < 0.5 else (other, one)


def _has(table: str, one: str, other: str) -> str:
    return f"EXISTS (SELECT FROM social_{table} WHERE {one}_id = %s AND {other}_id = %s)"


def _told(play: Play, one: int, does: str, other: int, answer: Any) -> Told:
    return Told(f"{play.people.name(one)} {does} {play.people.name(other)}", answer)
