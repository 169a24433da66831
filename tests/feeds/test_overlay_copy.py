"""A process's copy of the overlay: a value that is advanced by replies."""

import pytest

from feeds.overlay import Mark, Overlay, entry_of


def reply(*members: tuple[str, str]) -> list[bytes]:
    """As ZRANGEBYSCORE … WITHSCORES answers."""
    return [word.encode() for pair in members for word in pair]


MARK = ("mark:g1:2000000:3:0", "inf")


def test_entries_are_sorted_by_what_they_demand() -> None:
    overlay = Overlay().with_entries(
        ["post:10:1", "changed:11", "undelivered:12", "account:13", "account!:14", "viewer:15"]
    )
    assert overlay.published == {10: 1}
    assert overlay.changed == {11, 12}
    assert overlay.undelivered == {12}
    assert overlay.accounts == {13, 14}
    assert overlay.undelivered_accounts == {14}
    assert overlay.viewers == {15}


def test_without_entries_it_stays_the_same_value() -> None:
    overlay = Overlay().with_entries(["post:10:1"])
    assert overlay.with_entries([]) is overlay


@pytest.mark.parametrize(
    ("kind", "pending", "entry"),
    [
        ("published", True, "post:5:6"),
        ("published", False, "post:5:6"),
        ("edited", True, "undelivered:5"),
        ("edited", False, "changed:5"),
        ("deleted", True, "undelivered:5"),
        ("deleted", False, "changed:5"),
        ("followed", True, "viewer:5"),
        ("unfollowed", False, "viewer:5"),
        ("account_changed", True, "account!:5"),
        ("account_changed", False, "account:5"),
    ],
)
def test_the_entry_of_each_kind(kind: str, pending: bool, entry: str) -> None:
    assert entry_of(kind, 5, 6, pending=pending) == entry


def test_a_reply_advances_the_copy_to_its_highest_position() -> None:
    first = Overlay().advanced(reply(("post:10:1", "100"), ("post:11:1", "1.01e+02"), MARK))
    assert first is not None
    assert first.position == 101
    assert first.mark == Mark("g1", 2_000_000, 3, False)
    then = first.advanced(reply(("changed:10", "105"), MARK))
    assert then is not None
    assert (then.position, set(then.published), then.changed) == (105, {10, 11}, {10})


def test_a_builders_token_is_no_entry() -> None:
    overlay = Overlay().advanced(reply(("building:abc:1", "inf"), MARK))
    assert overlay is not None
    assert (overlay.position, overlay.published) == (0, {})


def test_an_empty_key_has_no_mark() -> None:
    overlay = Overlay().advanced([])
    assert overlay is not None
    assert not overlay.trusted(0)


@pytest.mark.parametrize(
    "later", [[], reply(("post:12:1", "150")), reply(("mark:g2:3000000:3:0", "inf"))], ids=repr
)
def test_another_generation_is_no_continuation(later: list[bytes]) -> None:
    copy = Overlay().advanced(reply(("post:10:1", "100"), MARK))
    assert copy is not None
    assert copy.advanced(later) is None


@pytest.mark.parametrize(("now", "trusted"), [(1_999_999, True), (2_000_000, False), (2_000_001, False)])
def test_a_mark_is_trusted_until_its_moment(now: int, trusted: bool) -> None:
    overlay = Overlay().advanced(reply(MARK))
    assert overlay is not None
    assert overlay.trusted(now) is trusted


def test_a_mark_reads_as_it_was_written() -> None:
    text = Mark.text(2_000_000, 3, True)
    assert Mark.parse(f"mark:g1:{text}") == Mark("g1", 2_000_000, 3, True)


def test_what_was_read_from_the_outbox_joins_and_vouches() -> None:
    stored = Overlay().with_entries(["post:10:1", "viewer:3"])
    built = Overlay(mark=Mark("", 7, 1, False)).with_entries(["post:11:2", "account!:9", "undelivered:10"])
    joined = stored.joined(built)
    assert joined.published == {10: 1, 11: 2}
    assert (joined.viewers, joined.accounts, joined.undelivered) == ({3}, {9}, {10})
    assert joined.mark == built.mark
