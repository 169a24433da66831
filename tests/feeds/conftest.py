"""What the tests of races begin with."""

from collections.abc import Callable

import pytest

from tests.factories import Cast, PostFactory
from tests.feeds.helpers import warm


@pytest.fixture
def ready(cast: Cast, settle: Callable[[], None]) -> Cast:
    """The cast with one menu of ana's and warm feeds; nothing is left to deliver."""
    PostFactory(author=cast.ana, text="yesterday")
    settle()
    for viewer in (cast.ana, cast.carla, cast.sam, cast.maria):
        warm(viewer)
    return cast
