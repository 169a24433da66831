"""What can be asked of the feed Redis: one function for each, values in and out.

`…_command` functions only make a command, to be sent with others in one pipeline.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from feeds.keys import Keys
from feeds.lists.server import Command, execute, execute_one
from posts.ids import MAX_ID

LIST_PATIENCE_MS = 10_000  # after that a builder is taken for dead
VALUE_PATIENCE_MS = 5_000
OVERLAY_LIFE_MS = 60_000
FLOOR = b"floor"


@dataclass(frozen=True, slots=True)
class StoredList:
    """Ids of a list, newest first, as far as they were asked for.

    `floor`: every id above it is in the list; None: the list proves nothing. `cut`: there may be more ids
    below the last one here.
    """

    floor: int | None
    ids: list[int]
    cut: bool

    @property
    def usable(self) -> bool:
        return self.floor is not None


@dataclass(frozen=True, slots=True)
class Opened:
    """What one round trip brings for a viewer. `time_us` is the server's; values are None where absent.

    `newest_feed` and `newest_timeline` are the same two lists from the top down to an id, if that was asked for.
    """

    time_us: int
    overlay: list[bytes]
    feed: StoredList
    timeline: StoredList
    follows: bytes | None
    account: bytes | None
    likes: bytes | None
    feed_ms_left: int
    newest_feed: StoredList
    newest_timeline: StoredList


def _number(score: bytes | None) -> int | None:
    """A score as a number; servers may write a large one with an exponent. Below 2^53 floats are exact."""
    number = None if score is None else float(score)
    return int(number) if number is not None and isfinite(number) else None


def _stored_list(floor: bytes | None, members: list[bytes] | None, limit: int) -> StoredList:
    if floor is None or members is None:
        return StoredList(None, [], False)
    try:
        ids = [int(member) for member in members if member != FLOOR]
    except ValueError:  # somebody else's member: such a list proves nothing
        return StoredList(None, [], False)
    return StoredList(_number(floor), ids, cut=len(members) == limit)


def _sealed(value: bytes) -> bytes:
    """A value as it is stored: the form's number and the length before it. A new form gets a new number, so
    that processes of two versions beside each other do not read what the other wrote."""
    return b"v4%08x%b" % (len(value), value)


def _value(reply: bytes | None) -> bytes | None:
    """What was sealed; None for anything else: a build token, another form, damage."""
    if reply is None or reply[:2] != b"v4" or reply[2:10] != b"%08x" % (len(reply) - 10):
        return None
    return reply[10:]


def open_feed(
    keys: Keys,
    viewer_id: int,
    *,
    overlay_position: int,
    below: int,
    limit: int,
    newest_above: int | None = None,
    newest_limit: int = 0,
) -> Opened:
    """Everything stored that `viewer_id`'s page below an id needs: at most `limit` ids of each list; and the newest
    ones above an id, at most `newest_limit`."""
    reply = execute_one(
        keys,
        (
            ".open_feed",
            [
                keys.overlay,
                keys.feed(viewer_id),
                keys.timeline(viewer_id),
                keys.follows(viewer_id),
                keys.account(viewer_id),
                keys.likes(viewer_id),
            ],
            overlay_position,
            min(below, MAX_ID),
            limit,
            "" if newest_above is None else newest_above,
            newest_limit,
        ),
    )
    (
        time_us,
        overlay,
        feed_floor,
        feed,
        timeline_floor,
        timeline,
        follows,
        account,
        likes,
        ms_left,
        *newest,
    ) = reply
    return Opened(
        int(time_us),
        overlay or [],
        _stored_list(feed_floor, feed, limit),
        _stored_list(timeline_floor, timeline, limit),
        _value(follows),
        _value(account),
        _value(likes),
        ms_left,
        _stored_list(feed_floor, newest[0], newest_limit),
        _stored_list(timeline_floor, newest[1], newest_limit),
    )


def read_lists(keys: Keys, names: list[str], *, limit: int) -> list[StoredList]:
    if not names:
        return []
    replies = execute_one(keys, (".read_lists", names, limit))
    return [_stored_list(floor, members, limit) for floor, members in replies]


def begin_list(keys: Keys, name: str) -> bytes | None:
    """A token placed into a list that is to be built; None: it is complete, or somebody else builds it."""
    return execute_one(keys, (".begin_list", [name], secrets.token_hex(8), LIST_PATIENCE_MS))


def store_list(
    keys: Keys, name: str, token: bytes, ids: Sequence[int], *, floor: int, expires_ms: int
) -> bool:
    """Put ids and fence into a list, if `token` is still there; `expires_ms` is a moment, ms since 1970."""
    return bool(execute_one(keys, (".store_list", [name], token, floor, expires_ms, *ids)))


def prolong_list_command(name: str, expires_ms: int) -> Command:
    return (".prolong_list", [name], expires_ms)


def push_command(names: Sequence[str], ids: Sequence[int], *, length: int, trim: bool) -> Command:
    """Add ids to lists; with `trim`, those longer than `length` and an eighth are cut to `length`.

    Trimming looks at a list's length, so callers ask for it now and then; on average every eighth time keeps
    lists within a quarter above `length`.
    """
    return (".push", names, length + length // 8 if trim else 0, length, *ids)


@dataclass(frozen=True, slots=True)
class ListSize:
    """How a stored list lies in memory: ids, bytes with its key, the server's name for the form."""

    entries: int
    bytes: int
    encoding: str


def list_sizes(keys: Keys, names: Sequence[str]) -> list[ListSize | None]:
    """None: no such list. Each is looked at as a whole (SAMPLES 0), which costs the server some 0.1 ms.

    ListsUnavailable, also when a list goes between the two looks at it, since older servers call that an error.
    """
    sizes = execute(keys, [("MEMORY", "USAGE", name, "SAMPLES", 0) for name in names])
    there = [name for name, size in zip(names, sizes, strict=True) if size is not None]
    asked: list[Command] = [
        word for name in there for word in (("ZCARD", name), ("OBJECT", "ENCODING", name))
    ]
    replies = iter(execute(keys, asked))
    facts = {
        name: (int(count) - 1, bytes(form or b"").decode())
        for name, count, form in zip(there, replies, replies, strict=True)
    }
    return [
        ListSize(facts[name][0], int(size), facts[name][1]) if name in facts else None
        for name, size in zip(names, sizes, strict=True)
    ]


def delete_command(*names: str) -> Command:
    return ("UNLINK", *names)


def get_values(keys: Keys, names: Sequence[str]) -> list[bytes | None]:
    return [_value(reply) for reply in execute_one(keys, ("MGET", *names))] if names else []


def begin_values(keys: Keys, names: Sequence[str]) -> tuple[str, set[str]]:
    """A token placed into the values that are to be built, and the names of those that took it."""
    token = "building:" + secrets.token_hex(8)
    taken = execute_one(keys, (".begin_values", names, token, VALUE_PATIENCE_MS)) if names else []
    return token, {name for name, took in zip(names, taken, strict=True) if took}


def store_values(keys: Keys, token: str, values: Mapping[str, tuple[bytes, int]]) -> None:
    """Store `{name: (value, seconds to live)}` where `token` still stands."""
    if values:
        words = [word for value, seconds in values.values() for word in (int(seconds * 1000), _sealed(value))]
        execute_one(keys, (".store_values", list(values), token, *words))


def keep_snapshot(
    keys: Keys, viewer_id: int, number: int, value: bytes, *, most: int, seconds: float
) -> None:
    """Keep a ranked list of a viewer under its number; of the viewer's others the `most` - 1 with the highest numbers
    stay, and all for `seconds` from now."""
    words = (number, _sealed(value), most, int(seconds * 1000))
    execute_one(keys, (".keep_snapshot", [keys.snapshots(viewer_id)], *words))


def get_snapshot(keys: Keys, viewer_id: int, number: int) -> bytes | None:
    """ListsUnavailable, also when the key holds something else."""
    return _value(execute_one(keys, ("HGET", keys.snapshots(viewer_id), number)))


def add_notes(keys: Keys, notes: Sequence[bytes], *, most: int, seconds: float) -> int:
    """Append to what waits to be brought into PostgreSQL; how many of the oldest were dropped, since only `most` may
    wait."""
    words = (most, int(seconds * 1000), *notes)
    return execute_one(keys, (".add_notes", [keys.notes], *words))


def take_notes(keys: Keys, *, seconds: float) -> list[bytes]:
    """Set aside what waits, unless the last that was set aside is still there; and all of that."""
    return execute_one(keys, (".take_notes", [keys.notes, keys.notes_taken], int(seconds * 1000)))


def forget_taken_notes(keys: Keys) -> None:
    execute_one(keys, delete_command(keys.notes_taken))


def add_to_overlay_command(keys: Keys, entries: Iterable[str]) -> Command:
    return (".overlay_add", [keys.overlay], OVERLAY_LIFE_MS, *entries)


def drop_mark_command(keys: Keys) -> Command:
    """Take the overlay's mark away, and the token of whoever is building it: it is built anew before it is used."""
    return ("ZREMRANGEBYSCORE", keys.overlay, "+inf", "+inf")


def begin_overlay(keys: Keys) -> tuple[bytes, int] | None:
    """(token, server time in us) placed into the overlay, or None: somebody else is building it."""
    words = (
        ".overlay_begin",
        [keys.overlay],
        secrets.token_hex(8),
        VALUE_PATIENCE_MS * 1000,
        OVERLAY_LIFE_MS,
    )
    reply = execute_one(keys, words)
    return (reply[0], int(reply[1])) if reply else None


def store_overlay(keys: Keys, token: bytes, *, sweep_below: int, mark: str, entries: Iterable[str]) -> bool:
    words = (token, OVERLAY_LIFE_MS, sweep_below, secrets.token_hex(4), mark, *entries)
    return bool(execute_one(keys, (".overlay_store", [keys.overlay], *words)))
