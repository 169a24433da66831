"""How soon and how calmly Today's menus appear: bin/screens --paint

The warm page against the same page as a static file: saved with all it loads, and served by a plain file server. They
take turns, each visit in a browser that has never been there.
"""

import statistics
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Response

from tests.browser.serving import People

VISITS = 25
WINDOW = {"width": 390, "height": 844}
WATCH = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def measure(chromium: Browser, address: str, people: People) -> list[str]:
    """Lines to print: the ratio of the first contentful paints, and how much the page moved."""
    cookie = people.cookie_of("customer", "en")
    assert cookie
    with tempfile.TemporaryDirectory(prefix="courtyard-paint-") as folder:
        _visit(chromium, address, cookie)  # its feed is stored from now on
        weight = _save(chromium, address, cookie, Path(folder))
        with _file_server(Path(folder)) as copy:
            pairs = [
                (_visit(chromium, address, cookie), _visit(chromium, copy, cookie)) for _ in range(VISITS)
            ]
    ratios = sorted(page[0] / static[0] for page, static in pairs)
    shifts = [page[1] for page, _ in pairs]
    return [
        f"first contentful paint, warm page to static copy: {statistics.median(ratios):.2f}"
        f" ({ratios[0]:.2f} to {ratios[-1]:.2f}, {VISITS} pairs)",
        f"layout shift, scrolled to the end of the first page: at most {max(shifts):.4f}",
        f"weight of the first page without photos: {weight / 1000:.0f} kB as sent",
    ]


def _visit(chromium: Browser, address: str, cookie: dict[str, str]) -> tuple[float, float]:
    """(milliseconds to the first contentful paint, layout shift)."""
    context = chromium.new_context(base_url=address, viewport=WINDOW)  # type: ignore[arg-type]
    context.add_cookies([cookie | {"url": address}])  # type: ignore[list-item]
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto("/")
    for _ in range(12):
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(60)
    painted, shifted = page.evaluate(f"[{PAINTED}, window.shifted]")
    context.close()
    return painted, shifted


def _save(chromium: Browser, address: str, cookie: dict[str, str], folder: Path) -> int:
    """The page and all that it loads, as files; the bytes sent for it, photos left out."""
    context = chromium.new_context(base_url=address, viewport=WINDOW)  # type: ignore[arg-type]
    context.add_cookies([cookie | {"url": address}])  # type: ignore[list-item]
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # a built-in takes no mark of Playwright
    page.goto("/")
    for _ in range(40):  # photos are loaded when they come near
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(50)
    page.wait_for_load_state("networkidle")
    weight = 0
    for answer in answers:
        path = urlsplit(answer.url).path
        if not answer.ok or path.startswith("/api/") or "?" in answer.url:
            continue
        file = folder / (path.strip("/") or "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer.body())
        if answer.request.resource_type != "image":
            weight += answer.request.sizes()["responseBodySize"]
    context.close()
    return weight


@contextmanager
def _file_server(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(timeout=5)
        server.server_close()
