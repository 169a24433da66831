"""bin/manage: it shares the services of whoever has started them."""

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from courtyard.embedded.processes import wait_until
from tests.embedded.product import TIMEOUT, Product

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]


def begin(product: Product, *arguments: str) -> "subprocess.Popen[str]":
    """Start bin/manage and return once its command runs."""
    process = subprocess.Popen(
        product.command("manage", *arguments), env=product.environ(), stdout=subprocess.PIPE, text=True
    )
    product.started.append(process)  # type: ignore[arg-type]
    assert process.stdout
    assert process.stdout.readline() == "sleeping\n"
    return process


def test_services_prints_the_three_urls_and_nothing_else(product: Product) -> None:
    result = product.call("manage", "services")
    assert list(json.loads(result.stdout)) == ["DATABASE_URL", "FEED_REDIS_URL", "CELERY_BROKER_URL"]
    assert "they have stopped again: start bin/run to use them" in result.stderr
    assert product.living() == {}


def test_services_of_somebody_else_are_printed_without_a_warning(product: Product) -> None:
    begin(product, "sleep", "60")
    assert product.call("manage", "services").stderr == ""


def test_services_takes_no_arguments_and_has_a_help(product: Product) -> None:
    result = product.call("manage", "services", "x")
    assert result.returncode == 2
    assert "usage: bin/manage services" in result.stderr
    for words in (["services", "--help"], ["help", "services"]):
        assert "URLs of the services as JSON" in product.call("manage", *words).stdout
    assert product.living() == {}


def test_the_exit_code_and_standard_input_are_those_of_manage(product: Product) -> None:
    begin(product, "sleep", "60")  # so that the services are there
    assert product.call("manage", "exit", "7").returncode == 7
    assert product.call("manage", "echo", stdin="bread").stdout == "bread"


def test_the_second_keeps_the_services_when_the_first_ends(product: Product) -> None:
    first = begin(product, "sleep", "60")
    second = begin(product, "sleep", "60")
    keeper = product.pid_of("courtyard.embedded.keeper")
    first.send_signal(signal.SIGTERM)
    assert first.wait(TIMEOUT) == -signal.SIGTERM
    assert product.call("manage", "query").stdout == "(42,)\n"
    assert product.pid_of("courtyard.embedded.keeper") == keeper
    second.kill()
    second.wait(TIMEOUT)
    product.wait_until_gone()


def test_several_at_once_start_one_set_of_services(product: Product) -> None:
    with ThreadPoolExecutor(5) as pool:
        results = list(pool.map(lambda _: product.call("manage", "query"), range(5)))
    assert [result.stdout for result in results] == ["(42,)\n"] * 5, results
    product.wait_until_gone()


def test_tables_are_made_once_and_not_for_migrate_itself(product: Product) -> None:
    begin(product, "sleep", "60")  # so that the services are there
    before = len(product.commands)
    product.call("manage", "query")
    product.call("manage", "migrate", "--plan")
    assert product.commands[before:] == ["query", "migrate --plan"]
    (product.home / "run" / "migrated").unlink()
    product.call("manage", "showmigrations")
    product.call("manage", "query")
    assert product.commands[before + 2 :] == ["showmigrations", "migrate --noinput --verbosity 0", "query"]


def test_it_uses_the_services_of_a_running_run(product: Product) -> None:
    product.run_until_ready()
    keeper = product.pid_of("courtyard.embedded.keeper")
    assert product.call("manage", "query").stdout == "(42,)\n"
    assert product.pid_of("courtyard.embedded.keeper") == keeper


def test_a_service_that_dies_is_started_again_at_the_same_url(product: Product) -> None:
    begin(product, "sleep", "60")
    os.kill(product.pid_of("feed.sock"), signal.SIGKILL)
    assert wait_until(lambda: any("feed.sock" in command for command in product.living().values()), TIMEOUT)
    os.kill(product.pid_of("bin/postgres"), signal.SIGKILL)
    assert wait_until(lambda: product.call("manage", "query").stdout == "(42,)\n", TIMEOUT)


def test_a_given_url_is_used_and_not_started(product: Product) -> None:
    result = product.call("manage", "services", FEED_REDIS_URL="redis://elsewhere", DATABASE_URL="")
    urls = json.loads(result.stdout)
    assert urls["FEED_REDIS_URL"] == "redis://elsewhere"
    assert urls["DATABASE_URL"].startswith("postgresql://")


def test_services_that_lack_one_say_which_url_to_give(product: Product) -> None:
    process = subprocess.Popen(
        product.command("manage", "sleep", "60"),
        env=product.environ(FEED_REDIS_URL="redis://elsewhere"),
        stdout=subprocess.PIPE,
    )
    product.started.append(process)
    assert process.stdout
    process.stdout.readline()
    result = product.call("manage", "query")
    assert result.returncode == 1
    assert "another FEED_REDIS_URL: give it here too" in result.stderr


def test_the_secret_key_is_made_once_and_private(product: Product) -> None:
    begin(product, "sleep", "60")  # so that the services are there
    product.call("manage", "echo")
    path = product.home / "secret_key"
    key = path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(key) > 50
    product.call("manage", "echo")
    assert path.read_text() == key


@pytest.mark.skipif(os.geteuid() != 0, reason="the data of root lie elsewhere")
def test_a_home_that_was_deleted_begins_anew_and_names_what_was_left(product: Product) -> None:
    product.call("manage", "query")
    link = product.home / "data" / "postgres-of-root"
    first = link.readlink()
    assert first.is_dir()
    again = product.call("manage", "query")
    assert (link.readlink(), again.stderr) == (first, "")

    shutil.rmtree(product.home)
    product.home.mkdir()
    result = product.call("manage", "query")
    assert result.stdout == "(42,)\n"
    assert f"earlier ones of this folder are left in {first.parent}" in result.stderr
    assert link.readlink() != first
    assert link.readlink().is_dir()
    assert first.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="the data of root lie elsewhere")
def test_a_copied_home_does_not_use_the_database_of_the_first(product: Product, tmp_path: Path) -> None:
    product.call("manage", "query")
    copy = tmp_path / "copy"
    shutil.copytree(product.home, copy, symlinks=True)
    result = product.call("manage", "query", COURTYARD_HOME=str(copy))
    assert result.returncode == 1
    assert "the database of another folder" in result.stderr
