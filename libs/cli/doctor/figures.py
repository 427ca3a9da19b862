"""The figures for Prometheus: whether every process that should show them does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException

from libs.cli.doctor.verdict import Finding

_TIMEOUT_S = 3.0


async def check_metrics(facts: Mapping[str, object] | None) -> list[Finding]:
    """Read each process's page of figures; nothing to say where none was announced."""
    addresses = facts.get("metrics") if facts is not None else None
    if not isinstance(addresses, dict):
        return []
    return [await _read(name, str(address)) for name, address in addresses.items()]


async def _read(name: str, address: str) -> Finding:
    try:
        count = await asyncio.to_thread(_count, address)
    except (OSError, HTTPException) as error:
        return Finding(f"metrics {name}", ok=False, detail=f"http://{address}/metrics: {error}")
    return Finding(
        f"metrics {name}", count > 0, f"http://{address}/metrics, {count} series", {"series": count}
    )


def _count(address: str) -> int:
    connection = HTTPConnection(address, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().splitlines()
    finally:
        connection.close()
    return sum(1 for line in lines if line and not line.startswith(b"#"))
