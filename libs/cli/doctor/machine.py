"""What runs on this machine, by the data folder: processes, PostgreSQL, NATS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import asyncpg
import psutil

from libs.bus.topology import feed_stream
from libs.cli.doctor.verdict import Finding
from libs.eventsourcing.envelope import Part
from libs.kernel import native
from libs.runtime.config import Settings
from libs.runtime.embedded.postgres import DATABASE, ROLE
from libs.runtime.free_space import free_space_mib
from libs.runtime.kernel_state import kernel_state

FEEDS: tuple[tuple[str, Part], ...] = (
    ("account", Part.FACTS),
    ("match", Part.FACTS),
    ("match", Part.MOVES),
    ("mcr", Part.FACTS),
    ("mcr", Part.MOVES),
    ("ledger", Part.FACTS),
    ("tournament", Part.FACTS),
)
"""Every feed there is: service and part."""
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


def check_free_space(facts: Mapping[str, object] | None, settings: Settings) -> Finding:
    """Look how much room the disk of the data folder has; Sparrow starts with no less than the limit."""
    if facts is None:
        return Finding("disk", ok=None, detail="no data folder is in use here")
    free, limit = free_space_mib(settings.data_dir), settings.free_space_min_mib
    detail = f"{free} MiB are free for {settings.data_dir}"
    if free < limit:
        detail += f", less than {limit} MiB: make room"
    return Finding("disk", free >= limit, detail, {"free_mib": free, "min_mib": limit})


def check_kernel(facts: Mapping[str, object] | None) -> Finding:
    """Look whether positions are decided by the compiled kernel; of a Sparrow elsewhere nothing is known."""
    ok = None if facts is None else native()
    return Finding("kernel", ok, kernel_state(), {"native": native()})


def check_stream_files(facts: Mapping[str, object] | None, settings: Settings) -> list[Finding]:
    """Look whether the embedded NATS still has its files: without them it goes on until it ends."""
    if facts is None or settings.nats_url is not None:
        return []
    streams = settings.data_dir / "nats" / "jetstream" / "$G" / "streams"
    names = [feed_stream(service, part).name for service, part in FEEDS]
    missing = [name for name in names if not (streams / name).is_dir()]
    detail = f"the files of {len(names)} streams are there"
    if missing:
        detail = f"no files of {', '.join(missing)} in {streams}: restart Sparrow, and they are filled again"
    return [Finding("NATS streams", not missing, detail, {"missing": missing})]


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
