from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management.base import CommandError
from django.db import connection

from feeds.epoch import current_epoch
from feeds.models import FeedSettings, Outbox, PulledAuthor
from social.models import Account, Follow
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text("# follower, followee\n1\t2\n3\t2\n2\t3\n1\t2\n")
    return path


def follows() -> set[tuple[str, str]]:
    return set(Follow.objects.values_list("follower__username", "followee__username"))


def test_accounts_and_follows_are_made_and_reported(run: Run, graph: Path) -> None:
    said = run("load_graph", graph)
    assert follows() == {("g1", "g2"), ("g3", "g2"), ("g2", "g3")}
    assert dict(Account.objects.values_list("username", "is_cook")) == {"g1": False, "g2": True, "g3": True}
    assert dict(Account.objects.values_list("username", "follower_count")) == {"g1": 0, "g2": 2, "g3": 1}
    assert all(Account.objects.values_list("display_name", flat=True))
    for figure in ("3  (3 new)", "1  lines, taken as one follow", "2  followers: g2", "Seconds"):
        assert figure in said


def test_the_outbox_stays_silent_and_the_epoch_rises(run: Run, graph: Path) -> None:
    before = current_epoch()
    run("load_graph", graph)
    assert not Outbox.objects.exists()
    assert current_epoch() > before


def test_without_a_password_nobody_can_sign_in(run: Run, graph: Path) -> None:
    run("load_graph", graph)
    assert not Account.objects.get(username="g1").has_usable_password()


def test_one_password_serves_all(run: Run, graph: Path) -> None:
    run("load_graph", graph, "--password", "lunch-at-noon")
    assert Account.objects.get(username="g1").check_password("lunch-at-noon")
    assert len(set(Account.objects.values_list("password", flat=True))) == 1


def test_loading_twice_adds_nothing(run: Run, graph: Path) -> None:
    run("load_graph", graph)
    before = (
        set(Follow.objects.values_list("pk", flat=True)),
        set(Account.objects.values_list("pk", flat=True)),
    )
    said = run("load_graph", graph)
    after = (
        set(Follow.objects.values_list("pk", flat=True)),
        set(Account.objects.values_list("pk", flat=True)),
    )
    assert after == before
    assert said.count("(0 new)") == 2


def test_a_second_file_adds_what_is_missing_and_makes_a_customer_a_cook(run: Run, graph: Path) -> None:
    run("load_graph", graph, "--password", "lunch-at-noon")
    Account.objects.filter(username="g1").update(display_name="Renamed")
    graph.write_text("2\t1\n1\t2\n4\t1\n")
    run("load_graph", graph)
    first = Account.objects.get(username="g1")
    assert (first.is_cook, first.follower_count, first.display_name) == (True, 2, "Renamed")
    assert first.check_password("lunch-at-noon")
    assert len(follows()) == 5
    assert not Outbox.objects.exists()


def test_a_bad_line_refuses_the_whole_file(run: Run, graph: Path) -> None:
    AccountFactory(username="sam")
    graph.write_text("1\t2\n2\t2\n")
    with pytest.raises(CommandError, match=r"1 bad line:\n +line 2: '2' follows itself\nNothing was loaded"):
        run("load_graph", graph)
    assert list(Account.objects.values_list("username", flat=True)) == ["sam"]
    assert not Follow.objects.exists()


@pytest.mark.parametrize("text", ["", "# nobody follows anybody\n"])
def test_a_file_without_follows_is_refused(run: Run, graph: Path, text: str) -> None:
    graph.write_text(text)
    with pytest.raises(CommandError, match="holds no follow"):
        run("load_graph", graph)


def test_the_planner_knows_the_new_sizes(run: Run, graph: Path) -> None:
    run("load_graph", graph)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'social_follow'::regclass")
        assert cursor.fetchone() == (3,)


def test_who_is_above_the_threshold_is_pulled(run: Run, graph: Path) -> None:
    FeedSettings.objects.update_or_create(pk=1, defaults={"threshold": 2})
    run("load_graph", graph)
    assert list(PulledAuthor.objects.values_list("author__username", flat=True)) == ["g2"]
