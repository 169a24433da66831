"""What bin/translations does: Django's makemessages and compilemessages, which need GNU gettext."""

import os
import re
import secrets
import shutil
import subprocess
import sys

from _checks import CHECKOUT, NO_SERVICES

EXTRACT = [
    "makemessages", "--all", "--no-location", "--no-wrap", "--no-obsolete",
    "--ignore=tests/*", "--ignore=benchmarks/*", "--ignore=docs/*",
]  # fmt: skip
NOISE = re.compile(r'^"(?:POT-Creation-Date|Report-Msgid-Bugs-To): .*\n', re.MULTILINE)


def main() -> int:
    if not shutil.which("msgmerge"):
        sys.exit("bin/translations needs GNU gettext (apt-get install gettext, brew install gettext).")
    environ = {"DJANGO_SETTINGS_MODULE": "courtyard.settings", "SECRET_KEY": secrets.token_urlsafe(50)}
    environ = {**os.environ, **environ, **NO_SERVICES, "PYTHONPATH": str(CHECKOUT)}
    code = _manage(EXTRACT, environ)
    for catalogue in (CHECKOUT / "locale").rglob("*.po"):
        catalogue.write_text(NOISE.sub("", catalogue.read_text()))
    return code or _manage(["compilemessages", "--ignore=.courtyard"], environ)


def _manage(command: list[str], environ: dict[str, str]) -> int:
    return subprocess.call([sys.executable, "manage.py", *command], cwd=CHECKOUT, env=environ)
