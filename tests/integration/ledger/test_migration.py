"""A journal from before keys could be cancelled is kept as it was."""

from __future__ import annotations

from importlib import import_module

import asyncpg
import pytest

from libs.eventstore.migrations import MIGRATIONS

VERSIONS = "libs.eventstore.migrations.versions.ledger"
TRANSFER = """
INSERT INTO transfer
    (key, asset, debit, credit, amount, reason, occurred_at, day, time_zone_data, posted_at, cause)
VALUES ('k', 'POINTS', 'house/points', 'players/x', 20, 'ARENA', now(), '2026-03-02', '2026.1', now(), '')
"""


async def test_transfers_from_before_are_whole_and_no_row_is_half_a_transfer(empty_database_url: str) -> None:
    """They reverse nothing; a row is a transfer with all its contents, or a tombstone with none of them."""
    connection = await asyncpg.connect(empty_database_url)
    try:
        await connection.execute((MIGRATIONS / "sql" / "event_core.sql").read_text())
        await connection.execute(import_module(f"{VERSIONS}.0002_journal_and_boards").JOURNAL)
        await connection.execute(TRANSFER)
        await connection.execute(import_module(f"{VERSIONS}.0004_cancelled_keys_and_streaks").CANCELLED_KEYS)
        before = await connection.fetchrow("SELECT amount, reverses FROM transfer")
        await connection.execute("INSERT INTO transfer (key, reverses, posted_at) VALUES ('t', NULL, now())")
        for half in ("(key, posted_at)", "(key, asset, posted_at)"):
            values = "'h', now()" if half.count(",") == 1 else "'h', 'JOKER', now()"
            with pytest.raises(asyncpg.CheckViolationError):
                await connection.execute(f"INSERT INTO transfer {half} VALUES ({values})")
    finally:
        await connection.close()

    assert before is not None
    assert tuple(before) == (20, "")


async def test_histories_from_before_become_running_sums(database_url: str) -> None:
    """Points rise, and players says how many had those or more; of nobody, nothing."""
    connection = await asyncpg.connect(database_url, server_settings={"search_path": "ledger"})
    try:
        await connection.execute(
            "INSERT INTO board_history_g2 VALUES ('2026-03-01', 1, 2, '{20,5,-1}', '{2,1,3}'),"
            " ('2026-03-01', 4, 2, '{}', '{}')"
        )
        await connection.execute(import_module(f"{VERSIONS}.0010_ranks_of_ended_days").HISTORIES)
        kept = await connection.fetch("SELECT points, players FROM board_history_g2 ORDER BY board")
    finally:
        await connection.close()

    assert [tuple(row) for row in kept] == [([-1, 5, 20], [6, 3, 2]), ([], [])]
