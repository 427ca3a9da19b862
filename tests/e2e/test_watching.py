"""A running Sparrow is watched: every process shows figures, and no line of any log tells a secret."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from tests.support.installation import Installation, wait_until
from tests.support.playing import clear

pytestmark = pytest.mark.timeout(180)

FIELDS = {"event", "level", "timestamp", "method", "code", "reason", "duration_ms", "caller"}


def lines(log: Path, offset_bytes: int) -> Iterator[dict[str, object]]:
    """Return the whole lines of one of our logs that came after the offset: each is JSON.

    What came before may hold the last words of a process that an earlier test killed, in Python's own form.
    """
    whole, _, _ = log.read_bytes()[offset_bytes:].decode().rpartition("\n")
    for line in whole.splitlines():
        parsed = json.loads(line)
        assert isinstance(parsed, dict)
        yield parsed


def figures(address: str) -> dict[str, float]:
    """Return the figures of a process, each by its name and labels, as Prometheus parses them."""
    host, _, port = address.rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=5)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return {
        f"{sample.name} {json.dumps(sample.labels, sort_keys=True)}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_no_log_tells_what_is_nobodys_business(sparrow_server: Installation) -> None:
    """Device key, tokens, display names and whom a call was about stand in no line; a call is one line."""
    key, name = secrets.token_bytes(32), f"Ana{secrets.randbelow(10**6)}"
    serving_log = sparrow_server.data_dir / "logs" / "serving.log"
    before_bytes = serving_log.stat().st_size
    async with await SparrowClient.connect(sparrow_server.endpoint, device_key=key) as client:
        token = await client._link.session.token()
        await client.rename(name)
        game = await clear(await client.start_level(3))
        async with await SparrowClient.connect(sparrow_server.endpoint) as other:
            with pytest.raises(RefusedError):
                await other.rename(name)
        account = client.profile.name.removeprefix("players/")

    def renames_told() -> int:
        told = (str(line.get("method")) for line in lines(serving_log, before_bytes))
        return sum(method.endswith("/UpdateProfile") for method in told)

    # A line is written after its answer was sent.
    wait_until(lambda: renames_told() == 2, 10, sparrow_server.output)
    secrets_told = [key.hex(), key.decode("latin-1"), name, token, token.split(".")[2], account, game.name]

    logs = sorted(sparrow_server.data_dir.glob("logs/*.log"))
    assert {"nats.log", "postgres.log", "serving.log", "worker.log"} <= {log.name for log in logs}
    told = {
        (log.name, secret) for log in logs for secret in secrets_told if secret in log.read_text("latin-1")
    }
    assert told == set()
    served = list(lines(serving_log, before_bytes))
    calls_told = [line for line in served if line["event"] == "rpc"]
    assert {field for line in calls_told for field in line} == FIELDS


async def test_both_processes_show_their_figures_where_they_announce_them(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """The serving process knows of calls, the worker of leases; doctor reads both."""
    await clear(await client.start_level(2))

    facts = sparrow_server._announcement()
    assert facts is not None
    serving, worker = figures(facts["metrics"]["serving"]), figures(facts["metrics"]["worker"])
    checks = json.loads(sparrow_server.sparrow("doctor", "--json").stdout)["checks"]

    touch = json.dumps(
        {
            "rpc_method": "sparrow.match.v1.MatchService/Touch",
            "rpc_response_status_code": "OK",
            "rpc_system_name": "grpc",
        }
    )
    assert serving[f"rpc_server_call_duration_seconds_count {touch}"] >= 4
    assert worker['sparrow_leases_held {"service": "ledger"}'] >= 4
    assert [check["ok"] for check in checks if check["name"].startswith("metrics")] == [True, True]
