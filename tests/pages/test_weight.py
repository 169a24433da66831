"""Today's menus are light: someone opens them on a phone, on a slow network."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

from django.contrib.staticfiles import finders
from django.test import Client

from social.models import Account
from tests.factories import Cast, DishFactory, PhotoFactory, PostFactory

MOST_BYTES = 100_000
COMPRESSED_BEFORE = (".woff2",)


def test_the_first_page_without_photos_is_below_100_kb(
    cast: Cast, browse: Callable[[Account | None], Client]
) -> None:
    for n in range(24):
        author = cast.ana if n % 2 else cast.maria
        PostFactory(author=author, dishes=DishFactory.build_batch(5), photos=[PhotoFactory()])
    page = browse(cast.carla).get("/", headers={"Accept-Encoding": "gzip"})
    html = gzip.decompress(page.content).decode()
    assert html.count("<article") == 20
    files = set(re.findall(r'(?:href|src)="/static/([^"#?]+)', re.sub(r"<img[^>]*>", "", html)))
    assert {Path(file).suffix for file in files} == {".css", ".js", ".svg", ".woff2"}
    assert len(page.content) + sum(map(sent, files)) < MOST_BYTES


def sent(name: str) -> int:
    """Bytes of a static file as it goes out: compressed when the files were collected."""
    content = Path(str(finders.find(name))).read_bytes()
    return len(content) if name.endswith(COMPRESSED_BEFORE) else len(gzip.compress(content, 9))
