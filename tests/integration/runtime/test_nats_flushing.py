"""Whether a NATS server flushes every message, asked of real servers that do and that do not."""

from __future__ import annotations

import http.client
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from libs.runtime.config import read_settings
from libs.runtime.embedded.ports import free_port
from libs.runtime.failure import StartupFailure
from libs.runtime.nats_flushing import require_flushing


@contextmanager
def nats_server(folder: Path, jetstream: dict[str, Any] | None) -> Iterator[str]:
    """Run a server with a monitor; yield the monitor's address."""
    port, monitor = (free_port(secrets.token_hex(4)) for _ in range(2))
    config: dict[str, Any] = {"host": "127.0.0.1", "port": port, "http": f"127.0.0.1:{monitor}"}
    if jetstream is not None:
        config["jetstream"] = {"store_dir": str(folder / "jetstream"), **jetstream}
    file = folder / "nats.conf"
    file.write_text(json.dumps(config))
    program = Path(sys.executable).with_name("nats-server")
    running = subprocess.Popen([program, "-c", file], stderr=subprocess.DEVNULL)
    try:
        _wait_for_monitor(monitor)
        yield f"http://127.0.0.1:{monitor}"
    finally:
        running.kill()
        running.wait()


def _wait_for_monitor(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            assert time.monotonic() < deadline, "the monitor never answered"
            time.sleep(0.05)
        finally:
            connection.close()


async def test_a_server_that_flushes_every_message_is_taken(tmp_path: Path) -> None:
    """Scenario E32: `sync_interval: always` is reported, and nothing is said."""
    with nats_server(tmp_path, {"sync_interval": "always"}) as monitor, capture_logs() as lines:
        await require_flushing(monitor)

    assert lines == []


@pytest.mark.parametrize("jetstream", [{}, {"sync_interval": "1s"}, None], ids=["default", "1 s", "none"])
async def test_a_server_that_may_lose_what_it_acknowledged_is_refused(
    tmp_path: Path, jetstream: dict[str, Any] | None
) -> None:
    """Scenario E32: flushed by the default, by the second, or no JetStream: a sentence with the way out."""
    with (
        nats_server(tmp_path, jetstream) as monitor,
        pytest.raises(StartupFailure, match="sync_interval: always"),
    ):
        await require_flushing(monitor)


async def test_a_monitor_that_is_away_is_told_and_keeps_nobody_from_starting() -> None:
    """NATS may be away: the log says that nobody could be asked."""
    with capture_logs() as lines:
        await require_flushing(f"http://127.0.0.1:{free_port(secrets.token_hex(4))}")

    assert [(line["event"], line["log_level"]) for line in lines] == [("bus.flushing_unknown", "warning")]


@pytest.mark.parametrize("url", ["nats://host:8222", "http://host:8222/varz", "http://a:b@host", "host:8222"])
def test_a_monitor_is_a_plain_address(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Anything else is told in one line before the process begins."""
    monkeypatch.setenv("SPARROW_NATS_MONITOR_URL", url)
    with pytest.raises(StartupFailure, match="SPARROW_NATS_MONITOR_URL: http://host:port"):
        read_settings()
