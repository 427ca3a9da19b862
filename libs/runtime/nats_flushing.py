"""Asks a NATS server's monitor whether JetStream flushes every message to disk before it acknowledges."""

from __future__ import annotations

import asyncio
import http.client
import json
from urllib.parse import urlsplit

import structlog

from libs.runtime.failure import StartupFailure

MONITOR_PORT = 8222
TIMEOUT_S = 3.0

log = structlog.get_logger(__name__)


async def require_flushing(monitor_url: str) -> None:
    """Refuse a server whose JetStream does not say `sync_always`. Raises StartupFailure.

    That nobody answers is told in the log: NATS may be away when a process starts.
    """
    try:
        told = await asyncio.to_thread(_varz, monitor_url)
    except OSError as error:
        log.warning("bus.flushing_unknown", monitor=monitor_url, error=str(error) or type(error).__name__)
        return
    jetstream = told.get("jetstream") if isinstance(told, dict) else None
    config = jetstream.get("config") if isinstance(jetstream, dict) else None
    if not isinstance(config, dict) or config.get("sync_always") is not True:
        raise StartupFailure(
            f"NATS at {monitor_url} does not flush every message: set `sync_interval: always` in its"
            " jetstream block, or give no SPARROW_NATS_MONITOR_URL"
        )


def _varz(monitor_url: str) -> object:
    """Return what the monitor says of the server; None where that is no JSON. Raises OSError."""
    parts = urlsplit(monitor_url)
    port = parts.port or MONITOR_PORT
    connection = http.client.HTTPConnection(parts.hostname or "", port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/varz")
        told: object = json.loads(connection.getresponse().read())
    except (http.client.HTTPException, ValueError):
        return None
    else:
        return told
    finally:
        connection.close()
