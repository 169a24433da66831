"""verify_feeds, warm_feeds, rebuild_feeds, set_threshold: what they accept and what they say."""

from collections.abc import Callable

import pytest
from django.core.management.base import CommandError

from feeds.epoch import current_epoch
from tests.factories import Cast

Run = Callable[..., str]


@pytest.mark.parametrize("command", ["verify_feeds", "warm_feeds"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--all", "--processes", 0), "--processes: must be a whole number from 1 to 64, not '0'"),
        (("--all", "--processes", 65), "--processes: must be a whole number from 1 to 64, not '65'"),
        (("--sample", 0), "--sample: must be a whole number from 1 to"),
        (("--sample", "many"), "--sample: must be a whole number from 1 to"),
        (("--account", -1), "--account: must be a whole number from 1 to"),
        (("--account", 10**20), "--account: must be a whole number from 1 to"),
        (("--account", 2**63 - 1), "There is no account"),
    ],
)
def test_nonsense_is_refused(
    cast: Cast, run: Run, command: str, arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        run(command, *arguments)


@pytest.mark.parametrize(
    "option", [("--limit", 0), ("--limit", 101), ("--drained", "nan"), ("--drained", -1)]
)
def test_nonsense_of_a_walk_is_refused(cast: Cast, run: Run, option: tuple[object, ...]) -> None:
    with pytest.raises(CommandError, match=f"{option[0]}: must be"):
        run("verify_feeds", "--all", *option)


def test_undelivered_changes_ask_for_a_worker(cast: Cast, run: Run) -> None:
    run("publish_menus", "--author", cast.ana.pk)
    with pytest.raises(
        CommandError, match=r"^1 change is still undelivered after 0.1 s. Is a worker running\?$"
    ):
        run("verify_feeds", "--all", "--drained", 0.1)


def test_rebuild_says_what_it_means(cast: Cast, run: Run) -> None:
    before = current_epoch()
    said = run("rebuild_feeds", "--all")
    assert current_epoch() == before + 1
    assert "the next visit of each viewer builds hers from PostgreSQL" in said


def test_one_pulled_author_is_one(cast: Cast, run: Run) -> None:
    assert "; 1 author is pulled." in run("set_threshold", cast.maria.follower_count)
    assert "; 0 authors are pulled." in run("set_threshold", 1_000_000)
