"""What runs on this machine, by the data folder: processes, PostgreSQL, NATS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import asyncpg
import psutil

from libs.cli.doctor.verdict import Finding
from libs.runtime.config import Settings
from libs.runtime.embedded.postgres import DATABASE, ROLE

_TIMEOUT_S = 3.0


def check_processes(facts: Mapping[str, object] | None, settings: Settings) -> list[Finding]:
    """Look whether the foreground process of the data folder and its children live."""
    if facts is None:
        detail = f"nothing was started by make run on {settings.data_dir}"
        return [Finding("processes", ok=None, detail=detail)]
    children = facts["children"]
    assert isinstance(children, dict)
    pids = {"foreground": facts["pid"], **children}
    dead = sorted(name for name, pid in pids.items() if pid is None or not psutil.pid_exists(int(str(pid))))
    detail = f"dead: {', '.join(dead)}" if dead else ", ".join(f"{name} {pid}" for name, pid in pids.items())
    return [Finding("processes", not dead, detail, {"pids": pids})]


def database_url(facts: Mapping[str, object] | None, settings: Settings) -> str | None:
    """Return the URL of PostgreSQL from the settings, or of the embedded one; none where neither is known."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    if facts is None:
        return None
    try:
        password = (settings.data_dir / "postgres" / "password").read_text().strip()
    except OSError:
        return None
    return f"postgresql://{ROLE}:{password}@{facts['postgres']}/{DATABASE}"


async def check_postgres(url: str | None) -> Finding:
    """Sign in to PostgreSQL and ask its version."""
    if url is None:
        return Finding("PostgreSQL", ok=None, detail="its address is not known here")
    shown = _host_and_port(url)
    try:
        connection = await asyncpg.connect(url, timeout=_TIMEOUT_S)
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        return Finding("PostgreSQL", ok=False, detail=f"{shown}: {_one_line(error)}")
    version = str(await connection.fetchval("SHOW server_version"))
    await connection.close()
    return Finding("PostgreSQL", ok=True, detail=f"{shown}, version {version}", figures={"version": version})


async def check_nats(facts: Mapping[str, object] | None, settings: Settings) -> Finding:
    """Read the greeting of NATS: that it is there, and that JetStream is on."""
    if settings.nats_url is not None:
        address = _host_and_port(settings.nats_url.get_secret_value())
    elif facts is not None:
        address = str(facts["nats"])
    else:
        return Finding("NATS", ok=None, detail="its address is not known here")
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, int(port))
            greeting = await reader.readline()
            writer.close()
    except (OSError, TimeoutError) as error:
        return Finding("NATS", ok=False, detail=f"{address}: {_one_line(error)}")
    if not greeting.startswith(b"INFO "):
        return Finding("NATS", ok=False, detail=f"{address} speaks something else")
    told = json.loads(greeting.removeprefix(b"INFO "))
    jetstream = "on" if told.get("jetstream") else "off"
    detail = f"{address}, version {told['version']}, JetStream {jetstream}"
    return Finding("NATS", jetstream == "on", detail, {"version": told["version"], "jetstream": jetstream})


def _host_and_port(url: str) -> str:
    """Return where a URL leads, without its password."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}"


def _one_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
