"""bin/run, from its start to the end of its last process."""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import urllib.request
from pathlib import Path

import pytest

from courtyard.embedded.processes import wait_until
from tests.embedded.product import Product

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]


def test_run_prepares_serves_and_stops_with_nothing_left(product: Product) -> None:
    product.forget_commands()
    run = product.run_until_ready()
    assert product.address in product.output
    assert f"Courtyard is at {product.address}\n  ana / secret\n" in product.output
    assert re.search(f"Staff sign in at {product.address}/admin/\n  stef / \\S{{16}}\n", product.output)
    assert "bin/manage changepassword USERNAME" in product.output
    assert urllib.request.urlopen(f"{product.address}/readyz", timeout=5).status == 200
    assert product.commands.index("demo --if-empty") > product.commands.index(
        "migrate --noinput --verbosity 0"
    )

    run.send_signal(signal.SIGTERM)
    assert run.wait(30) == 0
    assert product.living() == {}
    # The worker was told first and alone, and ended its task with its pool still there.
    assert "finished, child ended: False" in product.output


def test_without_demo_no_demo_command_runs(product: Product) -> None:
    product.forget_commands()
    product.run("--no-demo")
    product.wait_for("Ctrl-C stops it.")
    assert not [command for command in product.commands if command.startswith("demo")]


def test_a_second_run_is_refused_with_the_address_of_the_first(product: Product) -> None:
    product.run_until_ready()
    second = product.call("run", PORT="1")
    assert second.returncode == 1
    assert second.stderr == f"courtyard: already running at {product.address}\n"


def test_a_used_port_is_refused_before_anything_starts(product: Product) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        refused = product.call("run", PORT=port)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert f"port {port}: Address already in use" in refused.stderr
    assert product.living() == {}


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("WEB_WORKERS", "x", "courtyard: WEB_WORKERS is 'x', which is not a whole number from 1 on"),
        (
            "WORKER_PROCESSES",
            "0",
            "courtyard: WORKER_PROCESSES is '0', which is not a whole number from 1 on",
        ),
        ("PORT", "http", "courtyard: PORT must be a number from 1 to 65535, not 'http'"),
        ("HOST", "nope.invalid", "courtyard: HOST is 'nope.invalid', which this machine does not know: "),
        ("HOST", "192.0.2.1", "courtyard: cannot listen on 192.0.2.1 port "),
    ],
)
def test_nonsense_is_refused_before_anything_starts(
    product: Product, name: str, value: str, line: str
) -> None:
    refused = product.call("run", **{name: value})
    assert refused.returncode == 1
    assert refused.stderr.startswith(line)
    assert refused.stderr.count("\n") == 1
    assert "PORT names another" not in refused.stderr
    assert product.living() == {}


def test_a_step_that_says_why_it_fails_is_the_last_to_speak(product: Product) -> None:
    failed = product.call("run", STAFF_USERNAME="nobody")
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1] == "courtyard: there is nobody"


def test_ctrl_c_while_starting_leaves_nothing(product: Product) -> None:
    run = product.run()
    product.wait_for("starting the services")
    run.send_signal(signal.SIGINT)
    assert run.wait(30) == 0
    product.wait_until_gone()


def test_a_crashed_process_is_started_again(product: Product) -> None:
    product.run_until_ready()
    os.kill(product.pid_of("worker.py"), signal.SIGKILL)
    product.wait_for("worker | ended by SIGKILL; starts again in ")
    assert wait_until(lambda: product.output.count("working with child") == 2, 10), product.output
    # The pool of the dead worker has gone with it.
    assert sum("time.sleep(600)" in command for command in product.living().values()) == 1


def test_a_killed_keeper_is_replaced(product: Product) -> None:
    product.run_until_ready()
    os.kill(product.pid_of("courtyard.embedded.keeper"), signal.SIGKILL)
    product.wait_for("the services have gone; starting them again")
    # It shares the services of the new keeper.
    assert product.call("manage", "query").stdout == "(42,)\n"


def test_a_killed_run_takes_everything_with_it(product: Product) -> None:
    run = product.run_until_ready()
    run.kill()
    product.wait_until_gone()


def test_kill_9_of_everything_is_recovered(product: Product) -> None:
    product.run_until_ready()
    for pid in product.living():
        os.kill(pid, signal.SIGKILL)
    product.wait_until_gone()
    product.run_until_ready()
    assert product.call("manage", "query").stdout == "(42,)\n"


def test_orphans_of_a_killed_run_are_ended_by_the_next(product: Product) -> None:
    run = product.run_until_ready()
    orphan = product.pid_of("time.sleep(600)")
    run.send_signal(signal.SIGSTOP)  # or it would start them again
    for name in ("worker.py", "web.py", "keeper"):
        os.kill(product.pid_of(name), signal.SIGKILL)
    run.kill()
    assert orphan in product.living()
    product.run_until_ready()
    assert orphan not in product.living()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_an_ordinary_user_runs_it_too() -> None:
    python = Path("/usr/bin/python3")  # ours may lie under /root
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not python.exists() or not python.resolve().name.endswith(version):
        pytest.skip(f"needs a Python {version} that everybody may use")
    nobody = pwd.getpwnam("nobody")
    become = ["setpriv", "--reuid", "nobody", "--regid", str(nobody.pw_gid), "--clear-groups"]
    packages = sysconfig.get_path("purelib")
    if subprocess.run([*become, "test", "-r", packages], check=False, cwd="/").returncode:
        pytest.skip("the packages lie in a folder that others may not enter")
    parent = Path(subprocess.check_output(["mktemp", "-d", "/tmp/ordinary user.XXXX"], text=True).strip())
    try:
        parent.chmod(0o755)
        product = Product(parent / "checkout", str(python))
        shutil.chown(product.folder, nobody.pw_uid)
        product.home.mkdir()
        shutil.chown(product.home, nobody.pw_uid)
        product.command_prefix = [
            *become,
            *("env", f"PYTHONPATH={packages}", "PYTHONDONTWRITEBYTECODE=1"),
        ]
        result = product.call("manage", "query")
        assert (result.stdout, result.returncode) == ("(42,)\n", 0), result.stderr
        assert (product.home / "data" / "postgres").stat().st_uid == nobody.pw_uid
        product.wait_until_gone()
    finally:
        product.clean_up()
        product.remove()
        shutil.rmtree(parent)
