"""The naive checker bites: what it says of a sound ledger, and of one that was tampered with."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest

from tests.support.checker import findings
from tests.support.ledger_bench import LedgerBench, points_order

TAMPERED = {
    "a row of a board is lost": ("DELETE FROM board_row_g2 WHERE board = 1", "sums of the transfers"),
    "a row has other points": ("UPDATE board_row_g2 SET points = points + 1 WHERE board = 2", "sums"),
    "the digest is another": ("UPDATE board_state SET digest = decode(repeat('00', 32), 'hex')", "digest"),
    "a counter is off": ("UPDATE board_count_g2 SET players = players + 1 WHERE NOT coarse", "counters"),
    "an entry is lost": ("DELETE FROM board_entry_g2 WHERE seq = 2", "entries"),
    "an entry is of another instant": (
        "UPDATE board_entry_g2 SET occurred_at = occurred_at - interval '1 us'",
        "entries",
    ),
    "a history is another": ("UPDATE board_history_g2 SET players[1] = 77 WHERE board = 1", "histories"),
    "an event without transfer": ("DELETE FROM transfer WHERE ordinal = 2", "transfers have"),
    "points of nobody's level": ("UPDATE transfer SET key = 'level/1/first/' || key", "never earned"),
    "another day": ("UPDATE transfer SET day = day - 1", "counts for"),
    "a fact changed": ("UPDATE event SET data = data || 'x'::bytea WHERE type LIKE '%transfer%'", "chain"),
    "a fact of the feed lost": ("DELETE FROM feed WHERE seq = 2", "missing in the feed"),
    "the head moved": ("UPDATE feed_head SET last_seq = last_seq - 1 WHERE part = 1", "head"),
    "a fact left behind": (
        "INSERT INTO outbox (part, stream_id, version) VALUES (1, gen_random_uuid(), 1)",
        "outbox",
    ),
    "a balance off": ("UPDATE transfer SET asset = 'JOKER' WHERE ordinal = 2", "JOKER"),
    "a fact parked": ("INSERT INTO parked VALUES ('ledger-intake', 1, 't', 'r', '', now())", "parked"),
}


async def a_busy_day(bench: LedgerBench) -> None:
    """Post, take back, and roll over a midnight."""
    now = bench.clock.now()
    await bench.post(*(points_order(UUID(int=number % 7), 5 + number, now) for number in range(20)))
    await bench.post(points_order(UUID(int=3), -8, now))
    await bench.post(points_order(UUID(int=3), -8, now, reason="MCR"))
    await bench.settle()
    bench.clock.advance(timedelta(days=1))
    await bench.settle()


async def test_a_sound_ledger_has_no_findings(bench: LedgerBench, database_url: str) -> None:
    """After posts, a reversal and a midnight there is nothing to say; open connections are told."""
    await a_busy_day(bench)

    assert await findings(database_url, stopped=False) == []
    assert any("sessions" in finding for finding in await findings(database_url))


@pytest.mark.parametrize("what", TAMPERED)
async def test_what_was_tampered_with_is_found(what: str, bench: LedgerBench, database_url: str) -> None:
    """Each damage that a fault could do has its words."""
    await a_busy_day(bench)
    statement, words = TAMPERED[what]
    settings = {"search_path": "ledger", "session_replication_role": "replica"}
    connection = await asyncpg.connect(database_url, server_settings=settings)
    await connection.execute(statement)
    await connection.close()

    assert words in "\n".join(await findings(database_url, stopped=False))
