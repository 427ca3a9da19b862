"""A ledger on a fresh database, its clock at noon of 2026-03-02."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from tests.support.ledger_bench import LedgerBench, ledger_bench

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def bench(database_url: str) -> AsyncIterator[LedgerBench]:
    """A ledger that the test drives step by step."""
    async with ledger_bench(database_url, NOON) as opened:
        yield opened
