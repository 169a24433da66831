"""The folder of one installation: what lies where, its secret key, and the settings that come from it."""

import os
import secrets
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

CHECKOUT = Path(__file__).resolve().parent.parent.parent


class Home:
    """Paths under $COURTYARD_HOME. Everything there can be deleted; deleting `data` empties the database."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.run = run = self.path / "run"
        self.address = run / "address"  # of the running bin/run
        self.state = run / "services.json"  # of the running keeper: its pid and the URLs
        self.run_lock = run / "run.lock"  # held by bin/run
        self.keeper_lock = run / "keeper.lock"  # held by the keeper
        self.start_lock = run / "start.lock"  # held while services are started, joined or stopped
        self.users_lock = run / "users.lock"  # shared by everyone who uses the services
        self.migrate_lock = run / "migrate.lock"  # held while tables are made
        self.tables_mark = run / "migrated"  # see tables.py
        self.static_mark = run / "collected"  # see static.py
        self.keeper_log = self.path / "logs" / "keeper.log"

    @classmethod
    def from_environ(cls) -> "Home":
        return cls(Path(os.environ.get("COURTYARD_HOME") or CHECKOUT / ".courtyard"))

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """What our processes find in their environment beside what is given: settings, and our `python`."""
        settings = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), given.get("PATH", os.defpath)]),
            "COURTYARD_HOME": str(self.path),
            "STATIC_ROOT": given.get("STATIC_ROOT") or str(self.path / "static"),
            "MEDIA_ROOT": given.get("MEDIA_ROOT") or str(self.path / "media"),
            "UPLOADS_ROOT": given.get("UPLOADS_ROOT") or str(self.path / "uploads"),
            "EMAIL_URL": given.get("EMAIL_URL") or f"filemail:///{quote(str(self.path / 'mail'))}",
            "DJANGO_SETTINGS_MODULE": given.get("DJANGO_SETTINGS_MODULE") or "courtyard.settings",
        }
        settings["SECRET_KEY"] = given.get("SECRET_KEY") or self._secret_key()
        return settings

    def _secret_key(self) -> str:
        """Made once: a new key would sign everybody out."""
        path = self.path / "secret_key"
        if not path.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.path, prefix=".secret_key-")  # mode 0600
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(50))
            try:
                os.link(name, path)  # whole or not at all; of two at once the first wins
            except FileExistsError:
                pass
            finally:
                os.unlink(name)
        return path.read_text().strip()
