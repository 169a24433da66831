"""Make the Python environment that bin/run, bin/test and bin/manage share.

Standard library only: it runs before anything is installed. The environment lives in
$COURTYARD_HOME/venv; two starters at once wait for each other, and an environment that was left
half-made (Ctrl-C, power cut, full disk) is made again from nothing.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK_TIMEOUT_SECONDS = 900  # a first installation over a slow line, made by the other starter
MAKE_OPTIONS = ("-m", "venv")
# Settings of pip that would install somewhere else than into the environment.
PIP_SETTINGS_TO_DROP = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")


def enter(*, development: bool = False) -> None:
    """Go on with the calling script under the environment's Python, the checkout on sys.path."""
    home = courtyard_home()
    os.environ["COURTYARD_HOME"] = str(home)
    python = ensure(home, development=development)
    # A virtual environment's Python is a symlink to another Python: only the prefix tells them apart.
    if Path(sys.prefix).resolve() != (home / "venv").resolve():
        os.execv(python, [str(python), str(Path(sys.argv[0]).absolute()), *sys.argv[1:]])
    sys.path.insert(0, str(CHECKOUT))


def courtyard_home() -> Path:
    """The folder of everything that is made here and not kept in git."""
    return Path(os.environ.get("COURTYARD_HOME") or CHECKOUT / ".courtyard").absolute()


def ensure(home: Path, *, development: bool = False) -> Path:
    """Return the environment's Python, after installing what is missing."""
    names = ["requirements.txt", "requirements-dev.txt"] if development else ["requirements.txt"]
    venv = home / "venv"
    python = venv / "bin" / "python"
    if all(_is_installed(venv, name) for name in names):
        return python
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _exclusive(home / "environment.lock"):
            _make(venv)
            for name in names:
                _install(venv, name, home / "logs" / "pip.log")
    except OSError as error:
        fail(f"Cannot make the Python environment in {home}: {error}. COURTYARD_HOME names another folder.")
    return python


def fail(message: str) -> NoReturn:
    sys.exit(f"courtyard: {message}")


def say(message: str) -> None:
    print(f"courtyard: {message}", file=sys.stderr, flush=True)


def _stamp(venv: Path, name: str) -> Path:
    return venv / f".courtyard-{name}"


def _wanted(venv: Path, name: str) -> str:
    """What the stamp of an up-to-date installation says.

    The path is part of it because the scripts in bin/ of a moved environment no longer start.
    """
    digest = hashlib.sha256((CHECKOUT / name).read_bytes()).hexdigest()
    return f"{sys.version_info.major}.{sys.version_info.minor} {venv} {digest}\n"


def _is_installed(venv: Path, name: str) -> bool:
    try:
        current = _stamp(venv, name).read_text() == _wanted(venv, name)
    except FileNotFoundError:
        return False
    # The Python that it links to may have been removed since.
    return current and os.access(venv / "bin" / "python", os.X_OK)


def _make(venv: Path) -> None:
    """Make the bare environment unless a whole one of this Python is there."""
    made = _stamp(venv, "made")
    wanted = f"{sys.version_info.major}.{sys.version_info.minor} {venv}\n"
    whole = made.exists() and made.read_text() == wanted and os.access(venv / "bin" / "python", os.X_OK)
    if whole and not _stamp(venv, "installing").exists():
        return
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        fail(f"this Python cannot make virtual environments; on Debian: apt install python{version}-venv")
    shutil.rmtree(venv, ignore_errors=True)
    command = [sys.executable, *MAKE_OPTIONS, str(venv)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        fail(f"making the virtual environment failed:\n{(result.stdout + result.stderr).strip()}")
    made.write_text(wanted)


def _install(venv: Path, name: str, log: Path) -> None:
    if _is_installed(venv, name):
        return
    say(f"installing {name} into {venv} (once, about half a minute)")
    # Whoever finds this mark knows that an installation was cut short, and starts from nothing.
    _stamp(venv, "installing").touch()
    _stamp(venv, name).unlink(missing_ok=True)
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as output:
        code = subprocess.run(
            _pip_command(venv, name), stdout=output, stderr=subprocess.STDOUT, env=_pip_environ(), check=False
        ).returncode
    if code:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        fail(f"pip could not install {name}:\n{tail}")
    _stamp(venv, name).write_text(_wanted(venv, name))
    _stamp(venv, "installing").unlink()


def _pip_command(venv: Path, name: str) -> list[str]:
    options = ["--require-hashes", "--no-input", "--disable-pip-version-check", "--no-warn-script-location"]
    # -I: neither PYTHONPATH nor packages of the user count as installed.
    return [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", *options, "-r", str(CHECKOUT / name)]


def _pip_environ() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in PIP_SETTINGS_TO_DROP}


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the kernel releases it when the process dies."""
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    with path.open("w") as file:
        waiting = False
        while not _try_lock(file.fileno()):
            if not waiting:
                say("waiting for another start to finish its installation")
                waiting = True
            if time.monotonic() > deadline:
                fail(f"another process has held {path} for {LOCK_TIMEOUT_SECONDS} s")
            time.sleep(0.2)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
