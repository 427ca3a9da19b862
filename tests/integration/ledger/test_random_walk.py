"""Many workers post, spend and cancel at once on a real PostgreSQL; then all rows are added up again."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from libs.eventstore.port import Request
from services.ledger.assets import HOUSE_JOKERS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.journal import Refusal
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.store.rows import Cancelled, KeptTransfer
from tests.support.ledger_bench import LedgerBench

WORKERS, STEPS, KEYS = 8, 60, 70
PLAYERS = [player_account(UUID(int=number)) for number in range(1, 4)]
SERVICE = uuid4()


async def walk(bench: LedgerBench, seed: int) -> Counter[str]:
    """Make random calls on keys that all workers share; return what was answered how often."""
    chance, answers = random.Random(seed), Counter[str]()
    for _ in range(STEPS):
        now = bench.clock.now()
        key = f"k/{chance.randrange(KEYS)}"
        request = Request(SERVICE, str(uuid4()), bytes(32))
        answer: object
        if chance.random() < 0.3:
            answer = await bench.journal.cancel_command(key, now=now, request=request)
        else:
            # What a key is for follows from the key, as it does for callers who repeat themselves.
            of_key = random.Random(key)
            debit, credit = of_key.sample([HOUSE_JOKERS, *PLAYERS], 2)
            amount = of_key.randrange(1, 5)
            order = PostTransfer(key, Asset.JOKER, debit, credit, amount, "WALK", now, now, "")
            answer = await bench.journal.post_command(order, now=now, request=request)
        answers[answer.value if isinstance(answer, Refusal) else type(answer).__name__] += 1
    return answers


@pytest.mark.parametrize("seed", [3, 1415])
async def test_whatever_workers_do_at_once_the_books_balance(bench: LedgerBench, seed: int) -> None:
    """Balances are the sums of transfers and never below zero; a dead key has one reversal or tombstone."""
    counts = await asyncio.gather(*(walk(bench, seed + worker) for worker in range(WORKERS)))
    answers = sum(counts, Counter[str]())
    await bench.settle()
    facts = [fact for _, fact in await bench.log()]
    transfers = [fact for fact in facts if isinstance(fact, TransferPosted)]
    sums = Counter[str]()
    for transfer in transfers:
        sums[transfer.credit] += transfer.amount
        sums[transfer.debit] -= transfer.amount
    async with bench.database.engine.connect() as connection:
        rows = await connection.execute(text("SELECT account, amount FROM balance"))
        held = {row.account: row.amount for row in rows}
    tombstones = [fact.key for fact in facts if isinstance(fact, TransferCancelled)]
    reversed_keys = [transfer.reverses for transfer in transfers if transfer.reverses]
    keys = [transfer.key for transfer in transfers]

    assert answers.keys() <= {
        KeptTransfer.__name__,
        Cancelled.__name__,
        "KEY_CANCELLED",
        "BALANCE_TOO_LOW",
    }
    assert {account: sums[account] for account in held} == held
    assert min(held.values()) >= 0
    assert sum(sums.values()) == 0
    assert len(set(keys)) == len(keys)
    assert set(reversed_keys) <= set(keys)
    assert not set(tombstones) & set(keys)
    assert len({*tombstones, *reversed_keys}) == len(tombstones) + len(reversed_keys)
    assert await bench.count("SELECT count(*) FROM transfer") == len(keys) + len(tombstones)
    assert min(len(tombstones), len(reversed_keys), answers["KEY_CANCELLED"]) > 0
