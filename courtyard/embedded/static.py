"""Collect static files beside the other steps, and only when they have changed."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from courtyard.embedded.home import CHECKOUT, Home
from courtyard.embedded.steps import Step

MANIFEST = "staticfiles.json"


def start_collecting(home: Home, environ: Mapping[str, str]) -> Step | None:
    """Start `collectstatic` unless what it would collect is there already."""
    root = Path(environ["STATIC_ROOT"])
    if (root / MANIFEST).exists() and _mark(home) == _fingerprint(root):
        return None
    root.mkdir(parents=True, exist_ok=True)
    log = home.path / "logs" / "collectstatic.log"
    return Step("collectstatic", "--noinput", environ=environ, log=log)


def note_collected(home: Home, environ: Mapping[str, str]) -> None:
    home.static_mark.write_text(_fingerprint(Path(environ["STATIC_ROOT"])))


def _mark(home: Home) -> str:
    return home.static_mark.read_text() if home.static_mark.exists() else ""


def _fingerprint(root: Path) -> str:
    """Changes with our files, with the packages (the admin's files), with the settings and the target."""
    digest = hashlib.sha256(str(root).encode())
    for name in ("requirements.txt", "courtyard/settings.py"):
        digest.update((CHECKOUT / name).read_bytes())
    for path in sorted(CHECKOUT.glob("*/static/**/*")):
        found = path.stat()
        digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
