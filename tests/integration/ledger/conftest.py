"""A ledger on a fresh database, its clock at noon of 2026-03-02, and one with a past."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from services.ledger.events import TransferPosted
from tests.support.board_model import settle_at_the_clock
from tests.support.ledger_bench import LedgerBench, ledger_bench
from tests.support.past_boards import Past, random_fact, reversal

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def bench(database_url: str) -> AsyncIterator[LedgerBench]:
    """A ledger that the test drives step by step."""
    async with ledger_bench(database_url, NOON) as opened:
        yield opened


@pytest.fixture
async def past(bench: LedgerBench) -> Past:
    """14 months of random transfers, late ones, reversals and midnights; the feed stands by the clock."""
    chance = random.Random(52)
    made = Past(bench, [str(UUID(int=chance.getrandbits(128))) for _ in range(14)])
    posted: list[TransferPosted] = []
    await settle_at_the_clock(bench)
    for _ in range(60):
        bench.clock.advance(timedelta(hours=chance.choice((1, 5, 24, 24 * 17))))
        facts = [random_fact(chance, made.accounts, bench.clock.now()) for _ in range(chance.randrange(6))]
        if posted and chance.random() < 0.3:
            facts.append(reversal(posted.pop(chance.randrange(len(posted)))))
        posted.extend(fact for fact in facts if not fact.reverses)
        if chance.random() < 0.5:
            await settle_at_the_clock(bench)
        await bench.log_facts(*facts)
        await settle_at_the_clock(bench)
        made.instants.append(bench.clock.now())
    return made
