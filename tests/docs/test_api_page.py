"""docs/api.md and docs/client.sh against a real server process: every command, in order, as it stands there."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stateful.processes import Web

CHECKOUT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "--- end of block ---"


@pytest.fixture
def address(start_web: Callable[..., Web]) -> str:
    """Of a web server process on this test's stores."""
    return f"http://127.0.0.1:{start_web().port}"


def blocks() -> list[tuple[str, str]]:
    """Of the page: commands, and what it says that they print (empty: it does not say)."""
    found = BLOCK.findall((CHECKOUT / "docs" / "api.md").read_text())
    after = [*found[1:], ("sh", "")]
    return [
        (text, shown if kind == "text" else "")
        for (language, text), (kind, shown) in zip(found, after, strict=True)
        if language == "sh"
    ]


def as_pattern(shown: str) -> str:
    return ".*".join(re.escape(part) for part in shown.strip().split("…"))


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", script, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_every_command_of_the_page_does_what_the_page_shows(address: str) -> None:
    script = f"\necho '{END}'\n".join(["set -eu", *(commands for commands, _ in blocks())])
    assert "http://127.0.0.1:8000" in script
    done = run(script.replace("http://127.0.0.1:8000", address))
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(f"{END}\n")[1:]
    for (commands, shown), output in zip(blocks(), printed, strict=True):
        if shown:
            assert re.fullmatch(as_pattern(shown), output.strip(), re.DOTALL), f"{commands}\n{output}"
        else:
            assert output == "", commands


def test_the_client_works_from_signing_up_to_leaving(
    address: str, start_worker: Callable[..., object]
) -> None:
    start_worker()
    done = run(f'"$0" {address}', str(CHECKOUT / "docs" / "client.sh"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all good"), done.stdout + done.stderr
