"""Where sockets, data and temporary files live, and who owns them."""

import fcntl
import hashlib
import os
import pwd
import shutil
import stat
import tempfile
import time
from pathlib import Path

from courtyard.embedded.errors import ServiceError

# Not $TMPDIR: it may be long (macOS) and differs between shells, and a socket path over 107 bytes is cut
# silently.
SOCKET_ROOT = Path("/tmp")
SYSTEM_ROOT = Path("/var/lib/courtyard")
SYSTEM_USERS = ("courtyard", "postgres", "nobody")
THROWAWAY_PREFIX = "courtyard-throwaway-"


def digest(path: Path) -> str:
    """Twelve characters that stand for a folder."""
    return hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:12]


def make_socket_folder(folder: Path, name: str, user: pwd.struct_passwd | None) -> Path:
    """Make the short private folder for the socket of one server.

    Its name can be foreseen, and /tmp is open to everyone: a folder that somebody else made there first
    is refused, since they could answer in our server's place.
    """
    owner = user.pw_uid if user else os.geteuid()
    path = SOCKET_ROOT / f"courtyard-{owner}-{digest(folder / name)}"
    try:
        path.mkdir(mode=0o700)
        if user:
            os.chown(path, user.pw_uid, user.pw_gid)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner or found.st_mode & 0o077:
            raise ServiceError(f"{path} was made by somebody else; remove it and start again") from None
    return path


def make_owned_folder(path: Path, user: pwd.struct_passwd | None) -> None:
    """Make a private folder that `user` may write to; one that exists keeps its permissions."""
    if path.exists():
        return
    path.mkdir(parents=True, mode=0o700)
    if user:
        os.chown(path, user.pw_uid, user.pw_gid)


def system_folder(path: Path) -> Path:
    """Make a folder of root's under SYSTEM_ROOT that the system user may pass through."""
    for folder in (SYSTEM_ROOT, path):
        if not folder.exists():
            folder.mkdir(mode=0o755, exist_ok=True)
            folder.chmod(0o755)  # the umask of root may be stricter; we have only just made it
    return path


def system_user(data: Path) -> pwd.struct_passwd | None:
    """Whom PostgreSQL runs as: itself refuses to run as root. None means as ourselves.

    Data that exist stay with their owner, whoever would be chosen today.
    """
    if os.geteuid() != 0:
        return None
    if data.exists():
        return pwd.getpwuid(data.stat().st_uid)
    users = {user.pw_name: user for user in pwd.getpwall()}
    for name in SYSTEM_USERS:
        if name in users:
            return users[name]
    raise ServiceError(f"PostgreSQL does not run as root, and there is no user {' or '.join(SYSTEM_USERS)}")


class ThrowawayFolder:
    """A temporary folder that is removed at the end, or by the next one when its owner was killed."""

    def __init__(self) -> None:
        _remove_forgotten_folders()
        self.path = Path(tempfile.mkdtemp(prefix=THROWAWAY_PREFIX, dir=SOCKET_ROOT))
        self.path.chmod(0o711)  # root's servers run as another user, who has to pass through
        self._lock = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _remove_forgotten_folders() -> None:
    for path in SOCKET_ROOT.glob(f"{THROWAWAY_PREFIX}*"):
        try:
            if path.lstat().st_uid != os.geteuid():
                continue
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            # A living owner holds the lock. One that has made its folder and not yet locked it is a
            # moment away from it: spare what is young.
            if path.stat().st_mtime < time.time() - 60:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(descriptor)
