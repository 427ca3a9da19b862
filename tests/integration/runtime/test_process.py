"""Processes of services, from start to exit code."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import grpc
import pytest

from libs.pb.sparrow.mcr.v1 import mcr_service_pb2
from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import McrServiceStub
from libs.runtime import process as process_module
from libs.runtime.config import REPOSITORY, SERVICES, Settings
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.failure import StartupFailure
from libs.runtime.health_probe import is_serving
from libs.runtime.process import Process
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.tokens import Keys
from services.account.servicer import bind as bind_account
from tests.support.edge import keys_for_tests

READY_S = 120.0  # for a machine that has much else to do

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Settings of a process with keys and a port of its own, without database and NATS."""
    ensure_keys(tmp_path / "keys")
    return {
        "PATH": os.environ["PATH"],
        "SPARROW_DATA_DIR": str(tmp_path),
        "SPARROW_PORT": str(free_port(str(tmp_path))),
        "SPARROW_DRAIN_GRACE_MS": "2000",
    }


@pytest.fixture
def mcr(environment: dict[str, str], module_database_url: str) -> Iterator[subprocess.Popen[str]]:
    """A serving process of the MCR service."""
    running = start("mcr", environment | {"SPARROW_DATABASE_URL": module_database_url})
    try:
        wait_serving(f"127.0.0.1:{environment['SPARROW_PORT']}", running)
        yield running
    finally:
        running.kill()
        running.communicate()


def start(name: str, environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """Start `python -m services.<name>`."""
    return subprocess.Popen(
        [sys.executable, "-m", f"services.{name}", *arguments],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_serving(endpoint: str, running: subprocess.Popen[str]) -> None:
    """Wait until the process says SERVING."""
    deadline = time.monotonic() + READY_S
    while not is_serving(endpoint):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline, "it never served"
        time.sleep(0.1)


def outcome(name: str, environment: dict[str, str]) -> tuple[int, str]:
    """Run a process that cannot start; return exit code and standard error."""
    running = start(name, environment)
    try:
        _, errors = running.communicate(timeout=READY_S)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        raise
    return running.returncode, errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_alone_serves_and_stops_in_good_order(
    mcr: subprocess.Popen[str], environment: dict[str, str], number: signal.Signals
) -> None:
    """It answers calls; a signal ends it with exit code 0 and without a traceback."""
    with grpc.insecure_channel(f"127.0.0.1:{environment['SPARROW_PORT']}") as channel:
        fans = McrServiceStub(channel).ListFans(mcr_service_pb2.ListFansRequest(), timeout=10).fans
    mcr.send_signal(number)
    output, errors = mcr.communicate(timeout=10)

    assert len(fans) == 82
    assert mcr.returncode == 0
    assert "Traceback" not in output + errors
    assert '"event": "process.stopped"' in output
    assert '"method": "/sparrow.mcr.v1.McrService/ListFans", "code": "OK"' in output


def test_a_port_in_use_is_one_sentence(mcr: subprocess.Popen[str], environment: dict[str, str]) -> None:
    """The second process on a port says so and exits 1; the first goes on."""
    code, errors = outcome("solitaire", environment)

    assert code == 1
    assert errors.count("\n") == 1
    assert f"cannot listen on 127.0.0.1:{environment['SPARROW_PORT']}" in errors
    assert is_serving(f"127.0.0.1:{environment['SPARROW_PORT']}", timeout_s=5)


def test_missing_keys_are_one_sentence(environment: dict[str, str], tmp_path: Path) -> None:
    """It names the folder and the file."""
    code, errors = outcome("solitaire", environment | {"SPARROW_KEYS_DIR": str(tmp_path / "nowhere")})

    assert code == 1
    assert errors.count("\n") == 1
    assert "nowhere/account.pub" in errors


def test_a_missing_database_setting_is_one_sentence(environment: dict[str, str]) -> None:
    """A service with a schema says which setting it misses."""
    code, errors = outcome("account", environment)

    assert code == 1
    assert errors.count("\n") == 1
    assert "SPARROW_DATABASE_URL" in errors


def test_a_nats_that_may_lose_messages_is_one_sentence(environment: dict[str, str]) -> None:
    """Scenario E32: whatever answers in place of a monitor that says so, the process does not start."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as monitor:
        Thread(target=monitor.handle_request).start()
        asked = {
            "SPARROW_NATS_URL": "nats://127.0.0.1:1",
            "SPARROW_NATS_MONITOR_URL": f"http://127.0.0.1:{monitor.server_port}",
        }
        code, errors = outcome("solitaire", environment | asked)

    assert code == 1
    assert errors.count("\n") == 1
    assert "does not flush every message" in errors


def test_a_service_that_is_not_named_is_one_sentence(
    environment: dict[str, str], module_database_url: str
) -> None:
    """A service alone does not take itself for the one that it would call."""
    code, errors = outcome("match", environment | {"SPARROW_DATABASE_URL": module_database_url})

    assert code == 1
    assert errors.count("\n") == 1
    assert "SPARROW_SERVICE_ADDRESSES does not say where " in errors


def test_settings_are_shown_in_place_of_running(environment: dict[str, str], tmp_path: Path) -> None:
    """Secrets come from files and are masked."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "nats_url").write_text("nats://sparrow:swordfish@bus:4222\n")
    shown = subprocess.run(
        [sys.executable, "-m", "services.mcr", "--role", "work", "--show-settings"],
        cwd=REPOSITORY,
        env=environment | {"SPARROW_SECRETS_DIR": str(tmp_path / "secrets")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert f"SPARROW_PORT={environment['SPARROW_PORT']}\n" in shown
    assert "SPARROW_NATS_URL=nats://**********@bus:4222\n" in shown
    assert "swordfish" not in shown


@pytest.mark.parametrize("name", ["ledger", "match"])
def test_a_service_works_without_serving(
    environment: dict[str, str], module_database_url: str, name: str
) -> None:
    """In the role work it opens no port, and stops in good order."""
    addresses = json.dumps(dict.fromkeys(SERVICES, "127.0.0.1:9"))
    settings = {"SPARROW_DATABASE_URL": module_database_url, "SPARROW_SERVICE_ADDRESSES": addresses}
    running = start(name, environment | settings, "--role", "work")
    assert running.stdout is not None
    told = iter(running.stdout.readline, "")
    try:
        assert any('"event": "process.started"' in line for line in told)
        assert not is_serving(f"127.0.0.1:{environment['SPARROW_PORT']}")
        running.terminate()
        _output, errors = running.communicate(timeout=40)
    finally:
        running.kill()
        running.communicate()

    assert (running.returncode, errors) == (0, "")


@pytest.mark.parametrize("arguments", [["--role", "play"], ["--help"]])
def test_arguments_are_explained(environment: dict[str, str], arguments: list[str]) -> None:
    """A role that does not exist is refused with those that do."""
    running = start("mcr", environment, *arguments)
    output, errors = running.communicate(timeout=30)

    assert "python -m services.mcr" in output + errors
    assert "both" in output + errors
    assert "Traceback" not in errors


def test_a_database_is_migrated_by_a_process_of_its_own(
    environment: dict[str, str], empty_database_url: str
) -> None:
    """As often as one likes; without a database it says which setting is missing."""

    def migrate(**settings: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "services", "--migrate"]
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment | settings, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    assert migrate(SPARROW_DATABASE_URL=empty_database_url)[0] == 0
    assert migrate(SPARROW_DATABASE_URL=empty_database_url)[0] == 0
    code, errors = migrate()
    assert code == 1
    assert errors.count("\n") == 1
    assert "SPARROW_DATABASE_URL" in errors


def test_bad_settings_are_one_sentence_each(environment: dict[str, str]) -> None:
    """They name the variable."""
    code, errors = outcome("solitaire", environment | {"SPARROW_PORT": "70000"})

    assert code == 1
    assert errors.count("\n") == 1
    assert "SPARROW_PORT" in errors


async def test_a_database_that_does_not_answer_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Host and port are named, user and password are not."""
    monkeypatch.setattr(process_module, "DATABASE_PATIENCE_S", 0.5)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        settings = Settings(database_url=f"postgresql://ana:swordfish@127.0.0.1:{port}/sparrow")  # type: ignore[arg-type]
        with pytest.raises(StartupFailure) as failure:
            await Process(settings, keys_for_tests(), "work").run({"account": bind_account})

    assert f"127.0.0.1:{port}" in str(failure.value)
    assert "swordfish" not in str(failure.value)
    assert "ana" not in str(failure.value)


async def test_what_start_up_made_is_not_collected_over_and_over() -> None:
    """A full round of the garbage collector while calls wait looks only at what came later."""
    frozen: list[int] = []

    async def look(stop: asyncio.Event) -> None:
        if not frozen:
            frozen.append(gc.get_freeze_count())
            os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()

    async def bind(_runtime: Runtime) -> Service:
        return Service("looking", (), lambda _server: None, working=(Loop("look", look),))

    gc.unfreeze()
    await Process(Settings(), keys_for_tests(), "work").run({"looking": bind})
    gc.unfreeze()

    assert frozen[0] > 10_000


async def test_a_database_without_tables_is_told(empty_database_url: str) -> None:
    """A database that was not migrated stops the start with one sentence."""
    settings = Settings(database_url=empty_database_url)  # type: ignore[arg-type]
    with pytest.raises(StartupFailure, match="not migrated"):
        await Process(settings, keys_for_tests(), "work").run({"account": bind_account})


def test_the_account_service_serves_while_nats_is_away(
    environment: dict[str, str], module_database_url: str
) -> None:
    """NATS is transport: its absence stops no start and no stop."""
    away = {
        "SPARROW_DATABASE_URL": module_database_url,
        "SPARROW_NATS_URL": f"nats://127.0.0.1:{free_port('nats')}",
    }
    running = start("account", environment | away)
    try:
        wait_serving(f"127.0.0.1:{environment['SPARROW_PORT']}", running)
        running.terminate()
        output, errors = running.communicate(timeout=20)
    finally:
        running.kill()

    assert running.returncode == 0, output + errors


def test_keys_of_the_folder_are_the_keys_of_the_process(environment: dict[str, str]) -> None:
    """The default folder of keys lies in the data folder."""
    settings = Settings(data_dir=Path(environment["SPARROW_DATA_DIR"]))

    assert Keys.load(settings.keys_path).private.keys() == {"account", "service", "operator"}
