"""Collect static files beside the other steps, and only when they have changed."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from courtyard.embedded.home import CHECKOUT, Home
from courtyard.embedded.steps import Step
from courtyard.embedded.stopping import StopRequests

MANIFEST = "staticfiles.json"


class StaticFiles:
    """One `collectstatic`, or none when what it would collect is there already."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self._mark = home.static_mark
        self._root = Path(environ["STATIC_ROOT"])
        # Taken before: what changes while we collect is collected again next time.
        self._fingerprint = _fingerprint(self._root)
        self._step = None if self._are_current() else self._start(home, environ)

    def finish(self, requests: StopRequests) -> None:
        if self._step:
            self._step.finish(requests)
            self._mark.write_text(self._fingerprint)

    def abandon(self) -> None:
        if self._step:
            self._step.abandon()

    def _are_current(self) -> bool:
        try:
            return (self._root / MANIFEST).exists() and self._mark.read_text() == self._fingerprint
        except FileNotFoundError:
            return False

    def _start(self, home: Home, environ: Mapping[str, str]) -> Step:
        self._root.mkdir(parents=True, exist_ok=True)
        log = home.path / "logs" / "collectstatic.log"
        return Step("collectstatic", "--noinput", environ=environ, log=log)


def _fingerprint(root: Path) -> str:
    """Changes with our files, with the packages (the admin's files), with the settings and the target."""
    paths = [CHECKOUT / "requirements.txt", CHECKOUT / "courtyard" / "settings.py"]
    paths += sorted(path for path in CHECKOUT.glob("*/static/**/*") if path.is_file())
    digest = hashlib.sha256(str(root).encode())
    for path in paths:
        digest.update(f"{path} ".encode() + (path.read_bytes() if path.exists() else b""))
    return digest.hexdigest()
