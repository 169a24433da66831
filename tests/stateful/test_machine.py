"""2,000 random actions and faults over HTTP, every feed compared with the truth. More of them: `bin/prove`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.stateful.machine import run_segment
from tests.stateful.world import World, running_world

SEGMENT = 250
SEEDS = range(2024, 2028)


@pytest.fixture
def world(stores: None, tmp_path: Path) -> Iterator[World]:
    url = connection.settings_dict
    database = (
        f"postgresql://{url['USER']}@/{url['NAME']}?host={url['HOST'] or url['OPTIONS']['host']}&port=5432"
    )
    environment = {"DATABASE_URL": database, "SECRET_KEY": settings.SECRET_KEY}
    with running_world(tmp_path, environment) as world:
        yield world


@pytest.mark.worker
@pytest.mark.timeout(600)  # minutes only on a machine that is shared
@pytest.mark.parametrize("first", [2024, 3024])
def test_every_feed_is_exact_whatever_happens(world: World, first: int) -> None:
    for seed in range(first, first + 4):
        run_segment(world, seed, SEGMENT)
