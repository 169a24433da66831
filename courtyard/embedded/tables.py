"""Whether the embedded database has the tables of this checkout's code."""

import hashlib
from collections.abc import Sequence

from courtyard.embedded.home import CHECKOUT, Home

LOCK_TIMEOUT_SECONDS = 600

# Commands that make or look at migrations, or that need no tables at all.
WITHOUT_TABLES = frozenset(
    {
        "check",
        "collectstatic",
        "compilemessages",
        "createcachetable",
        "dbshell",
        "diffsettings",
        "findstatic",
        "help",
        "makemessages",
        "makemigrations",
        "migrate",
        "optimizemigration",
        "services",
        "showmigrations",
        "sqlflush",
        "sqlmigrate",
        "sqlsequencereset",
        "squashmigrations",
        "startapp",
        "startproject",
        "test",
        "testserver",
        "version",
    }
)


def needs_tables(arguments: Sequence[str]) -> bool:
    command = arguments[0] if arguments else "help"
    return not (command in WITHOUT_TABLES or command.startswith("-") or "--help" in arguments)


def are_current(home: Home, cluster: str) -> bool:
    """A cheap guess by the names of the migrations, which saves the second that `migrate` takes."""
    try:
        return home.tables_mark.read_text() == _fingerprint(cluster)
    except OSError:
        return False


def note_current(home: Home, cluster: str) -> None:
    home.tables_mark.write_text(_fingerprint(cluster))


def _fingerprint(cluster: str) -> str:
    names = sorted(str(path.relative_to(CHECKOUT)) for path in CHECKOUT.glob("*/migrations/*.py"))
    packages = (CHECKOUT / "requirements.txt").read_bytes()  # Django's own migrations
    return hashlib.sha256(repr((cluster, names)).encode() + packages).hexdigest()
