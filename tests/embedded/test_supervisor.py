"""The supervisor in the test's own process, and the real Procfile."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from courtyard.embedded import supervisor
from courtyard.embedded.errors import ServiceError
from courtyard.embedded.home import CHECKOUT
from courtyard.embedded.procfile import read_procfile
from courtyard.embedded.stopping import Stopped, StopRequests
from courtyard.embedded.supervisor import Supervisor

pytestmark = pytest.mark.timeout(30)


def supervise(folder: Path, commands: dict[str, str]) -> Supervisor:
    return Supervisor(commands, folder=folder, run=folder, environ={"PATH": "/usr/bin:/bin"})


def test_it_gives_up_on_a_process_that_never_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supervisor, "LONGEST_PAUSE_SECONDS", 0.05)
    commands = {"web": "sleep 60", "worker": "sh -c 'echo no broker; exit 3'"}
    with pytest.raises(ServiceError, match=r"worker ended 5 times .* last with code 3"):
        supervise(tmp_path, commands).run(StopRequests(), lambda: None)
    assert capfd.readouterr().out.count("worker | no broker\n") == 5
    assert not list(tmp_path.glob("*.group"))


def test_a_second_request_does_not_wait_for_the_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = StopRequests()
    stubborn = {"web": """sh -c 'trap "echo not yet" TERM; while true; do sleep 0.1; done'"""}
    started_at = time.monotonic()

    def print_and_ask_again(name: str, line: str) -> None:
        if "not yet" in line:
            requests.count = 2

    product = supervise(tmp_path, stubborn)
    monkeypatch.setattr(product, "_print", print_and_ask_again)

    def stop_soon() -> None:
        if time.monotonic() > started_at + 0.5:
            requests.count = 1
            requests.check()

    with pytest.raises(Stopped):
        product.run(requests, stop_soon)
    assert time.monotonic() - started_at < supervisor.STOP_GRACE_SECONDS / 2


def test_the_same_request_sent_twice_counts_once() -> None:
    requests = StopRequests()
    requests._count()
    requests._count()
    assert requests.count == 1


def test_the_procfile_starts_three_processes_by_a_plain_shell() -> None:
    commands = read_procfile(CHECKOUT / "Procfile")
    assert list(commands) == ["web", "worker", "beat"]
    for command in commands.values():
        subprocess.run(["/bin/sh", "-n", "-c", f"exec {command}"], check=True, timeout=5)
        assert command.startswith("python -m ")


@pytest.mark.skipif(sys.platform != "linux", reason="granian's own parser is enough once")
def test_the_web_line_has_options_that_granian_knows() -> None:
    web = read_procfile(CHECKOUT / "Procfile")["web"].replace("python", f'"{sys.executable}"', 1)
    result = subprocess.run(
        ["/bin/sh", "-c", f"exec {web} --version"], capture_output=True, text=True, timeout=20, check=False
    )
    assert result.returncode == 0, result.stderr
