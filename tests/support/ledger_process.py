"""A ledger service that is a process of its own, for tests that kill it or what it stands on."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from libs.runtime.embedded.ports import free_port
from tests.support.ledger_bench import LedgerBench
from tests.support.service_process import ServiceProcess

NOWHERE = dict.fromkeys(("match", "mcr", "account", "tournament"), "127.0.0.1:1")
"""Where those services are that no test here needs."""


@asynccontextmanager
async def ledger_process(
    database_url: str, keys: Path, fault: str = "", **addresses: str
) -> AsyncIterator[ServiceProcess]:
    """Run the ledger on a database, with other services at these addresses or nowhere; kill it at the end."""
    settings = {
        "SPARROW_DATABASE_URL": database_url,
        "SPARROW_KEYS_DIR": str(keys),
        "SPARROW_PORT": str(free_port(secrets.token_hex(4))),
        "SPARROW_SERVICE_ADDRESSES": json.dumps(NOWHERE | addresses),
        "SPARROW_LOG_LEVEL": "error",
        "SPARROW_FAULT": fault,
    }
    process = ServiceProcess(["ledger"], settings)
    try:
        yield process
    finally:
        await process.end()


async def until_all_is_folded(bench: LedgerBench) -> None:
    """Wait until the boards hold every fact that was appended."""
    is_done = """
        SELECT count(*) FROM board_state s JOIN checkpoint c ON c.name = 'boards_g2'
        WHERE s.as_of_day IS NOT NULL AND c.seq = (SELECT count(*) FROM event)
    """
    while await bench.count(is_done) == 0:  # noqa: ASYNC110 another process sets no event
        await asyncio.sleep(0.05)
