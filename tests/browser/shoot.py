"""Pictures of every page: bin/screens [NAME ...]

Throwaway PostgreSQL and Redis with the demo in them, a web server process, Chromium: each place on a phone and on a
desk, by day and by night, in each language, staff's in English. They go to
docs/screens/{language}/{name}-{window}-{colours}.webp.
"""

import argparse
import io
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.paint import measure
from tests.browser.places import PLACES, STAFF_PLACES, Place, go
from tests.browser.serving import People, served

SCREENS = Path(__file__).resolve().parents[2] / "docs" / "screens"
WINDOWS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}
COLOURS = ("light", "dark")
LANGUAGES = ("en", "pt-br")
TALLEST = 1500  # of a picture, in its own pixels
QUALITY = 50


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="bin/screens", description="Pictures of all pages into docs/screens."
    )
    parser.add_argument("names", nargs="*", help="only these places")
    parser.add_argument("--paint", action="store_true", help="instead: how soon and how calmly pages appear")
    parser.add_argument("--into", type=Path, default=SCREENS, help="another folder")
    options = parser.parse_args(arguments)
    known = (*PLACES, *STAFF_PLACES)
    places = [place for place in known if not options.names or place.name in options.names]
    if unknown := set(options.names) - {place.name for place in known}:
        parser.error(f"no such place: {', '.join(sorted(unknown))}")
    with served() as (address, people), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        if options.paint:
            print("\n".join(measure(chromium, address, people)))
            return 0
        for language in LANGUAGES:
            for who in sorted(
                {place.who for place in places if language == "en" or place not in STAFF_PLACES}
            ):
                _shoot(chromium, address, people, language, [p for p in places if p.who == who], options.into)
    return 0


def _shoot(
    chromium: Browser, address: str, people: People, language: str, places: Sequence[Place], into: Path
) -> None:
    """The places of one person, in every window and by day and night."""
    for window, size in WINDOWS.items():
        context = chromium.new_context(
            base_url=address,
            viewport=size,
            locale=language,
            reduced_motion="reduce",  # type: ignore[arg-type]
        )
        if cookie := people.cookie_of(places[0].who, language):
            context.add_cookies([cookie | {"url": address}])  # type: ignore[list-item]
        page = context.new_page()
        for place in places:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            go(page, place, people.names)
            height = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size(
                {"width": size["width"], "height": max(size["height"], min(height, TALLEST))}
            )
            page.wait_for_load_state("networkidle")
            for colours in COLOURS:
                page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
                _keep(page, into / language / f"{place.name}-{window}-{colours}.webp")
            print(f"{language} {window} {place.name}", flush=True)
        context.close()


def _keep(page: Page, file: Path) -> None:
    """As much of the page as a long window shows: what is fixed to its edge stays at its edge."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.save(file, quality=QUALITY)
