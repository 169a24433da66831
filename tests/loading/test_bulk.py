"""Loading in the hands of a role that may not skip the checks of foreign keys."""

from collections.abc import Callable, Iterator

import pytest
from django.db import IntegrityError, connection, transaction

from feeds.loading.bulk import copy_rows, trusted_keys
from social.models import Account, Follow
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db
Run = Callable[..., str]


def execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture
def plain_role(db: None) -> Iterator[None]:
    """As a role like that of a hosted database: it owns nothing and is no superuser. Gone with the transaction."""
    execute(
        "CREATE ROLE plain NOSUPERUSER",
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO plain",
        "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO plain",
        "SET LOCAL ROLE plain",
    )
    yield
    execute("RESET ROLE")


@transaction.atomic
def load_follows(*rows: tuple[int, int]) -> None:
    """As far as the checks that a commit makes."""
    with trusted_keys():
        copy_rows(Follow, ("follower_id", "followee_id"), rows)
    execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_plain_role_loads_the_platform_with_its_keys_checked(plain_role: None, run: Run) -> None:
    run("seed_platform", "--cooks", 5, "--customers", 40, "--follows", 2, "--top-cook", 30)
    assert Follow.objects.count() == 80
    execute("SET CONSTRAINTS ALL IMMEDIATE")  # none is broken


def test_what_a_plain_role_is_trusted_with_is_checked_all_the_same(plain_role: None) -> None:
    carla = AccountFactory(username="carla")
    with pytest.raises(IntegrityError):
        load_follows((carla.pk, 10**9))
    assert not Follow.objects.exists()


def test_a_superuser_skips_the_checks_only_within() -> None:
    carla = AccountFactory(username="carla")
    with trusted_keys(), connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone() == ("replica",)
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone() == ("origin",)
    assert Account.objects.get() == carla
